"""MaxSim, the late-interaction score, over int8 and packed token vectors (Khattab & Zaharia 2020, ColBERT, eq. 3).

The score is score(q, P) = sum_i w_i * max_{j in P} <q_i, p_j>, with unit vectors and weights w that sum to 1: at most
1.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexing.errors import NotScored
from indexing.vectors.packing import MULTI_VECTORS, RESIDUAL_STEP, STEP, Packing

BLOCK = 1 << 13
"""The number of token vectors that are widened to float32 at a time: 4 MB at d = 128, which stays in the cache."""
PROBES = 32
"""The number of codes whose lists are read for a query token."""


def token_scores(query: NDArray[np.float32], vectors: NDArray[np.int8]) -> NDArray[np.float32]:
    """Return the cosine of every query token with every token: (n, q) for `query` (q, d), `vectors` (n, d) int8."""
    scaled_query = np.ascontiguousarray(query.T / np.float32(127.0))
    out = np.empty((len(vectors), query.shape[0]), np.float32)
    for at in range(0, len(vectors), BLOCK):
        np.matmul(vectors[at : at + BLOCK].astype(np.float32), scaled_query, out=out[at : at + BLOCK])
    return out


def element_maxima(
    queries: NDArray[np.float32],
    packed: NDArray[np.uint8],
    first: NDArray[np.int64],
    last: NDArray[np.int64],
    packing: Packing = MULTI_VECTORS,
) -> NDArray[np.float32]:
    """Return the cosine (m, q) of every query token (q, d) with the nearest of the packed vectors of m elements.

    An element has the vectors [first, last); elements are in any order and may share vectors.
    """
    if packing.bits == 8:
        return _single_maxima(queries, packed, first, last)
    from indexing.vectors.kernels import packed_maxima

    halves = np.concatenate([queries[:, ::2], queries[:, 1::2]], axis=1)
    halves *= np.float32(STEP / 127.0 / packing.spread)
    arrays = (
        _kernel_array(halves, np.float32),
        _kernel_array(packed, np.uint8),
        _kernel_array(first, np.int64),
        _kernel_array(last, np.int64),
    )
    return _run_kernel(packed_maxima, *arrays, rows=len(first), columns=len(queries))


def _single_maxima(
    queries: NDArray[np.float32], packed: NDArray[np.uint8], first: NDArray[np.int64], last: NDArray[np.int64]
) -> NDArray[np.float32]:
    """Return `element_maxima` for vectors in eight bits, which are few and long."""
    rows = packed.view(np.int8)
    cosines = token_scores(queries, rows)
    for at in range(0, len(rows), BLOCK):
        lengths = np.linalg.norm(rows[at : at + BLOCK].astype(np.float32), axis=1, keepdims=True)
        cosines[at : at + BLOCK] *= 127 / np.maximum(lengths, np.float32(1e-9))
    best = np.full((len(first), len(queries)), -1.0, np.float32)
    for segment, (start, end) in enumerate(zip(first.tolist(), last.tolist(), strict=True)):
        if end > start:
            best[segment] = cosines[start:end].max(axis=0)
    return best


@dataclass(frozen=True, slots=True)
class InvertedLists:
    """Inverted lists: for each code c of a codebook the `pages` (n,), in rising order, that have it: from starts[c] on.

    A query token only reads the lists of its nearest codes (some percent of all entries), from the nearest on; a page
    gets the similarity of its first code in these lists, and a page in none gets that of the last code read, an upper
    bound: the missing similarity of WARP (Scheerer et al. 2025). So the time grows with the number of pages that have a
    near code.
    """

    pages: NDArray[np.uint32]
    starts: NDArray[np.int64]

    @classmethod
    def of(cls, codes: NDArray[np.uint16], starts: NDArray[np.int64]) -> InvertedLists:
        """Return the inverted lists of the codes of pages, those of page p from starts[p] (p + 1,) on."""
        order = np.argsort(codes, kind="stable")
        owners = np.repeat(np.arange(len(starts) - 1, dtype=np.uint32), np.diff(starts))
        counts = np.bincount(codes) if len(codes) else np.zeros(0, np.int64)
        return cls(owners[order], np.concatenate([[0], np.cumsum(counts)]).astype(np.int64))

    def scores(
        self, n_pages: int, table: NDArray[np.float32], weights: NDArray[np.float32], probes: int = PROBES
    ) -> NDArray[np.float32]:
        """Return MaxSim (p,) of `n_pages` pages, approximated by the `probes` nearest codes of each token.

        `table` (c, q) has the cosines of all codes with the query's tokens.
        """
        from indexing.vectors.kernels import listed_scores

        similar = np.ascontiguousarray(table[: len(self.starts) - 1].T)
        count = min(probes, similar.shape[1])
        if not count or not len(similar):
            return np.zeros(n_pages, np.float32)
        nearest = np.argpartition(-similar, count - 1, axis=1)[:, :count]
        nearest = np.take_along_axis(nearest, np.argsort(-np.take_along_axis(similar, nearest, axis=1)), axis=1)
        similar = np.take_along_axis(similar, nearest, axis=1)
        missing = similar[:, -1]
        gains = weights[:, None] * (similar - missing[:, None])
        arrays = (
            _kernel_array(self.pages, np.uint32),
            _kernel_array(self.starts, np.int64),
            _kernel_array(nearest, np.int64),
            _kernel_array(gains, np.float32),
        )
        return _run_kernel(listed_scores, *arrays, rows=n_pages, columns=1)[:, 0] + np.float32(missing @ weights)


def mean_maxima(
    queries: NDArray[np.float32],
    codebook: NDArray[np.float32],
    codes: NDArray[np.uint16],
    residuals: NDArray[np.uint8],
    first: NDArray[np.int64],
    last: NDArray[np.int64],
) -> NDArray[np.float32]:
    """Return the cosine (m, q) of every query token (q, d) with the nearest mean of tokens that share a code.

    It is approximated by the residuals, over the means [first, last) of each of m pages; -1 for a page without any.
    """
    from indexing.vectors.kernels import residual_maxima

    arrays = (
        _kernel_array(queries * np.float32(RESIDUAL_STEP), np.float32),
        _kernel_array(codebook @ queries.T, np.float32),
        _kernel_array(codes, np.uint16),
        _kernel_array(residuals, np.uint8),
        _kernel_array(first, np.int64),
        _kernel_array(last, np.int64),
    )
    return _run_kernel(residual_maxima, *arrays, rows=len(first), columns=len(queries))


def _kernel_array(array: NDArray[Any], kind: type[np.generic]) -> NDArray[Any]:
    """Return an array in the form that the kernels are compiled for: of that type, in C order, and read-only."""
    view = np.ascontiguousarray(array, kind).view()
    view.flags.writeable = False
    return view


def _run_kernel(kernel: Callable[..., None], *arrays: NDArray[Any], rows: int, columns: int) -> NDArray[np.float32]:
    """Return the result (rows, columns) of a kernel. Raises NotScored if it skipped a row."""
    best = np.full((rows, columns), np.nan, np.float32)
    try:
        with _one_at_a_time:
            kernel(*arrays, best)
    except (MemoryError, SystemError) as error:  # of the thread that called; other threads' errors are lost
        raise NotScored(f"a part of the search failed ({error.__cause__ or error}): {_ADVICE}") from error
    if not np.isfinite(best).all():
        bad = np.flatnonzero(~np.isfinite(best).all(axis=1))
        raise NotScored(f"{len(bad)} of {rows} passages got no score (the first is number {bad[0]}): {_ADVICE}")
    return best


_ADVICE = "memory may have run out: close other programs, and ask again"


def compile_kernels() -> None:
    """Compile the kernels if this installation has not done so yet: it takes some five seconds, once."""
    first, last = np.array([[0], [1]])
    codes, residuals = np.zeros(1, np.uint16), np.zeros((1, 2), np.uint8)
    mean_maxima(np.zeros((1, 8), np.float32), np.zeros((1, 8), np.float32), codes, residuals, first, last)
    element_maxima(np.zeros((1, 2), np.float32), np.zeros((1, 1), np.uint8), first, last, Packing(2))
    InvertedLists(np.zeros(1, np.uint32), np.array([0, 1])).scores(
        1, np.zeros((1, 1), np.float32), np.ones(1, np.float32)
    )


_one_at_a_time = threading.Lock()
"""The lock of the kernels: one uses all cores, and Numba's plainest threads cannot serve two callers."""
