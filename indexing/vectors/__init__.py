"""Compute late interaction over packed multi-vectors, and the codes and sketches that find candidates."""

from indexing.vectors.codes import RESIDUAL_STEP, encode_tokens, outline, rows_for, sketch
from indexing.vectors.maxsim import (
    PROBES,
    InvertedLists,
    compile_kernels,
    element_maxima,
    mean_maxima,
    segment_max,
    token_scores,
)
from indexing.vectors.packing import MOST, MULTI_VECTORS, STEP, Packing, normalize

__all__ = [
    "MOST",
    "MULTI_VECTORS",
    "PROBES",
    "RESIDUAL_STEP",
    "STEP",
    "InvertedLists",
    "Packing",
    "compile_kernels",
    "element_maxima",
    "encode_tokens",
    "mean_maxima",
    "normalize",
    "outline",
    "rows_for",
    "segment_max",
    "sketch",
    "token_scores",
]
