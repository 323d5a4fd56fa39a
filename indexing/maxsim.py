"""MaxSim, the late-interaction score, over int8 token vectors (Khattab & Zaharia 2020, ColBERT, eq. 3).

score(q, P) = sum_i w_i * max_{j in P} <q_i, p_j>, with unit vectors and weights w that sum to 1: at most 1.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

BLOCK = 1 << 13
"""Token vectors that are widened to float32 at a time: 4 MB at d = 128, which stays in the cache."""
SEGMENTS = 1 << 9
"""Passages whose maxima are taken at a time."""


def token_scores(query: NDArray[np.float32], vectors: NDArray[np.int8]) -> NDArray[np.float32]:
    """Cosine of every query token with every stored token: (n, q) for `query` (q, d) and `vectors` (n, d) int8."""
    scaled = np.ascontiguousarray(query.T / np.float32(127.0))
    out = np.empty((len(vectors), query.shape[0]), np.float32)

    def fill(at: int) -> None:
        np.matmul(vectors[at : at + BLOCK].astype(np.float32), scaled, out=out[at : at + BLOCK])

    _each(fill, range(0, len(vectors), BLOCK))
    return out


def segment_max(scores: NDArray[np.float32], starts: NDArray[np.int64]) -> NDArray[np.float32]:
    """Column maxima (m, q) of the row segments of `scores` (n, q) that begin at `starts` (m,), none of them empty."""
    if len(starts) == 0:
        return np.zeros((0, scores.shape[1]), np.float32)
    maxima = np.empty((len(starts), scores.shape[1]), np.float32)
    ends = np.append(starts[1:], len(scores))

    def fill(at: int) -> None:
        own = starts[at : at + SEGMENTS]
        rows = scores[own[0] : ends[min(at + SEGMENTS, len(starts)) - 1]]
        np.maximum.reduceat(rows, own - own[0], axis=0, out=maxima[at : at + SEGMENTS])

    _each(fill, range(0, len(starts), SEGMENTS))
    return maxima


def _each(task: Callable[[int], None], places: range) -> None:
    """Run the parts of one computation on all cores; numpy lets go of the interpreter inside them."""
    if len(places) == 1:
        task(places[0])
    else:
        list(_threads().map(task, places))


@lru_cache(maxsize=1)
def _threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(os.cpu_count() or 1, thread_name_prefix="maxsim")


def maxsim(
    query: NDArray[np.float32], weights: NDArray[np.float32], vectors: NDArray[np.int8], starts: NDArray[np.int64]
) -> NDArray[np.float32]:
    """MaxSim (m,) of a weighted query with m passages whose vectors stand one after another in `vectors`."""
    return segment_max(token_scores(query, vectors), starts) @ weights
