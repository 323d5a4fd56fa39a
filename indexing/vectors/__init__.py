"""Compute late interaction over packed multi-vectors, and the codes and sketches that find candidates."""

from indexing.vectors.maxsim import (
    InvertedLists,
    compile_kernels,
    element_maxima,
    mean_maxima,
    token_scores,
)
from indexing.vectors.packing import MULTI_VECTORS, Packing, encode_tokens, normalize, rows_for, sketch
