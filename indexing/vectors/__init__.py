"""Vectors: late interaction over packed multi-vectors, and the smaller forms that find candidates."""

from indexing.vectors.maxsim import compile_kernels, element_maxima, mean_maxima, page_maxima, segment_max, token_scores
from indexing.vectors.normalize import normalize
from indexing.vectors.packing import MULTI_VECTORS, Packing
from indexing.vectors.residuals import coded, outline
from indexing.vectors.sketch import rows_for, sketch

__all__ = [
    "MULTI_VECTORS",
    "Packing",
    "coded",
    "compile_kernels",
    "element_maxima",
    "mean_maxima",
    "normalize",
    "outline",
    "page_maxima",
    "rows_for",
    "segment_max",
    "sketch",
    "token_scores",
]
