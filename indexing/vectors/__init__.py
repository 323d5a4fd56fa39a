"""Compute late interaction over packed multi-vectors, and the codes and sketches that find candidates."""

from indexing.vectors.codes import encode_tokens, rows_for, sketch
from indexing.vectors.maxsim import (
    InvertedLists,
    compile_kernels,
    element_maxima,
    mean_maxima,
    token_scores,
)
from indexing.vectors.packing import MULTI_VECTORS, Packing, normalize
