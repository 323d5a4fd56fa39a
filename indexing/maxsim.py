"""MaxSim, the late-interaction score, over int8 token vectors (Khattab & Zaharia 2020, ColBERT, eq. 3).

score(q, P) = sum_i w_i * max_{j in P} <q_i, p_j>, with unit vectors and weights w that sum to 1: at most 1.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

BLOCK = 1 << 15
"""Token vectors that are widened to float32 at a time: 16 MB at d = 128."""


def token_scores(query: NDArray[np.float32], vectors: NDArray[np.int8]) -> NDArray[np.float32]:
    """Cosine of every query token with every stored token: (n, q) for `query` (q, d) and `vectors` (n, d) int8."""
    scaled = np.ascontiguousarray(query.T / np.float32(127.0))
    out = np.empty((len(vectors), query.shape[0]), np.float32)
    for at in range(0, len(vectors), BLOCK):
        np.matmul(vectors[at : at + BLOCK].astype(np.float32), scaled, out=out[at : at + BLOCK])
    return out


def segment_max(scores: NDArray[np.float32], starts: NDArray[np.int64]) -> NDArray[np.float32]:
    """Column maxima (m, q) of the row segments of `scores` (n, q) that begin at `starts` (m,), none of them empty."""
    if len(starts) == 0:
        return np.zeros((0, scores.shape[1]), np.float32)
    maxima: NDArray[np.float32] = np.maximum.reduceat(scores, starts, axis=0)
    return maxima


def maxsim(
    query: NDArray[np.float32], weights: NDArray[np.float32], vectors: NDArray[np.int8], starts: NDArray[np.int64]
) -> NDArray[np.float32]:
    """MaxSim (m,) of a weighted query with m passages whose vectors stand one after another in `vectors`."""
    return segment_max(token_scores(query, vectors), starts) @ weights
