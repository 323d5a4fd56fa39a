"""The inner loops of search, compiled by Numba on first use and kept compiled beside this file.

Two take, for each segment of rows, the maximum over its rows of every query token's similarity, which is MaxSim before
its weighted sum; one adds up the scores from inverted lists. They run on all cores, over data as it is stored: nothing
is widened or copied first. Four rows are taken together, so that a query token is loaded once for them. That loop is
here twice: as a function of its own it takes a third longer.

An error in a thread of Numba, such as a lack of memory, silently ends that thread's share of the loop: its rows stay
unchanged. So `indexing.vectors.maxsim` passes rows of NaN, and checks whether any is left.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import numba
import numpy as np
from filelock import FileLock
from numpy.typing import NDArray


class Kernel:
    """A loop that is compiled with its first call, by one process at a time.

    Numba numbers the files of its cache without a lock: of two processes that compile one loop for different types of
    arrays, the second writes its code into the file that the index of the first names. `indexing.vectors.maxsim` hands
    over arrays of one type each, and the lock sees to the rest: code of an older version that is being replaced.
    """

    def __init__(self, function: Callable[..., None]) -> None:
        """Nothing is compiled yet. Where no folder can be written, every process compiles for itself."""
        try:
            self.compiled: Any = numba.njit(parallel=True, fastmath=True, nogil=True, cache=True)(function)
        except RuntimeError:  # Numba found no place for its cache
            self.compiled = numba.njit(parallel=True, fastmath=True, nogil=True)(function)
        self._ready = False

    def __call__(self, *arrays: NDArray[Any]) -> None:
        """Run the loop; the last array receives the result."""
        if self._ready:
            self.compiled(*arrays)
            return
        with self._exclusive():
            self.compiled(*arrays)
        self._ready = True

    def _exclusive(self) -> AbstractContextManager[object]:
        """Return an acquired lock of all processes that share the cache; no lock if there is no cache."""
        folder = self.compiled.stats.cache_path
        if not folder:
            return nullcontext()
        try:
            Path(folder).mkdir(parents=True, exist_ok=True)
            return FileLock(Path(folder) / "kernels.lock").acquire()
        except OSError:
            return nullcontext()


@Kernel
def packed_maxima(
    query: NDArray[np.float32],
    packed: NDArray[np.uint8],
    first: NDArray[np.int64],
    last: NDArray[np.int64],
    out: NDArray[np.float32],
) -> None:
    """Write the maxima of packed vectors to `out` (m, q).

    For segments [first, last) of `packed` (n, d / 2), two components in four bits a byte, it is the largest product
    with each row of `query` (q, d), whose even components stand before its odd ones.
    """
    half = packed.shape[1]
    for segment in numba.prange(len(first)):
        rows = np.empty((4, 2 * half), np.float32)
        best = np.full(query.shape[0], np.float32(-3.4e38))
        end = last[segment] - 1
        for at in range(first[segment], end + 1, 4):
            for k in range(4):
                for i in range(half):
                    byte = packed[min(at + k, end), i]
                    rows[k, i] = np.float32(byte & 15) - np.float32(8)
                    rows[k, half + i] = np.float32(byte >> 4) - np.float32(8)
            for token in range(query.shape[0]):
                a, b, c, d = np.float32(0), np.float32(0), np.float32(0), np.float32(0)
                for i in range(2 * half):
                    factor = query[token, i]
                    a += factor * rows[0, i]
                    b += factor * rows[1, i]
                    c += factor * rows[2, i]
                    d += factor * rows[3, i]
                best[token] = max(best[token], a, b, c, d)
        out[segment] = best


@Kernel
def listed_scores(
    pages: NDArray[np.uint32],
    starts: NDArray[np.int64],
    nearest: NDArray[np.int64],
    gains: NDArray[np.float32],
    out: NDArray[np.float32],
) -> None:
    """Write to `out` (p, 1) the sum, over the query's tokens, of the gain of the first of its codes that a page has.

    Token t has the codes `nearest` (q, k), with decreasing gains (q, k). Code c has pages[starts[c] : starts[c + 1]],
    increasing. A thread takes as many pages at a time as fit in its cache.
    """
    for part in numba.prange((len(out) + 32767) // 32768):
        low = part * 32768
        high = min(low + 32768, len(out))
        out[low:high] = 0
        last_token = np.full(high - low, -1, np.int16)
        for token in range(nearest.shape[0]):
            for n in range(nearest.shape[1]):
                code = nearest[token, n]
                code_pages = pages[starts[code] : starts[code + 1]]
                for at in range(np.searchsorted(code_pages, low), len(code_pages)):
                    page = np.int64(code_pages[at])
                    if page >= high:
                        break
                    if page >= low and last_token[page - low] != token:
                        last_token[page - low] = token
                        out[page, 0] += gains[token, n]


@Kernel
def residual_maxima(
    query: NDArray[np.float32],
    table: NDArray[np.float32],
    codes: NDArray[np.uint16],
    residuals: NDArray[np.uint8],
    first: NDArray[np.int64],
    last: NDArray[np.int64],
    out: NDArray[np.float32],
) -> None:
    """Write the maxima of codes with residuals to `out` (m, q).

    For segments [first, last) of `codes` (n,), it is the largest of their rows of `table` (c, q), each with the
    products of `query` (q, d) and the residual vector of its row of `residuals` (n, d / 8 + 1,
    `indexing.vectors.packing`).
    """
    eighth, top = residuals.shape[1] - 1, len(table) - 1
    for segment in numba.prange(len(first)):
        rows = np.empty((4, 8 * eighth), np.float32)
        best = np.full(query.shape[0], np.float32(-1))
        end = last[segment] - 1
        for at in range(first[segment], end + 1, 4):
            for k in range(4):
                row = min(at + k, end)
                size = np.float32(residuals[row, eighth])
                for bit in range(8):
                    for i in range(eighth):
                        rows[k, bit * eighth + i] = (size + size) * np.float32((residuals[row, i] >> bit) & 1) - size
            for token in range(query.shape[0]):
                a, b = table[min(top, codes[at]), token], table[min(top, codes[min(at + 1, end)]), token]
                c = table[min(top, codes[min(at + 2, end)]), token]
                d = table[min(top, codes[min(at + 3, end)]), token]
                for i in range(8 * eighth):
                    factor = query[token, i]
                    a += factor * rows[0, i]
                    b += factor * rows[1, i]
                    c += factor * rows[2, i]
                    d += factor * rows[3, i]
                best[token] = max(best[token], a, b, c, d)
        out[segment] = best
