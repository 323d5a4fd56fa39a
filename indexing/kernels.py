"""The two inner loops of search, compiled by Numba on first use and kept compiled beside this file.

Both take, for each segment of rows, the maximum over its rows of every query token's similarity, which is MaxSim before
its weighted sum. They run on all cores, over data as it is stored: nothing is widened or copied first.
"""

from __future__ import annotations

from collections.abc import Callable

import numba
import numpy as np
from numpy.typing import NDArray


def _compiled(function: Callable[..., None]) -> Callable[..., None]:
    """Compile a kernel; where no folder can be written it is compiled anew in every process."""
    try:
        return numba.njit(parallel=True, fastmath=True, nogil=True, cache=True)(function)
    except RuntimeError:  # Numba found no place for its cache
        return numba.njit(parallel=True, fastmath=True, nogil=True)(function)


@_compiled
def packed_maxima(
    query: NDArray[np.float32],
    packed: NDArray[np.uint8],
    first: NDArray[np.int64],
    last: NDArray[np.int64],
    out: NDArray[np.float32],
) -> None:
    """`out` (m, q): for segments [first, last) of `packed` (n, d / 2), two components in four bits a byte, the largest
    product with each row of `query` (q, d), whose even components stand before its odd ones.
    """
    half = packed.shape[1]
    for segment in numba.prange(len(first)):
        row = np.empty(2 * half, np.float32)
        best = np.full(query.shape[0], np.float32(-3.4e38))
        for at in range(first[segment], last[segment]):
            for i in range(half):
                byte = packed[at, i]
                row[i] = np.float32(byte & 15) - np.float32(8)
                row[half + i] = np.float32(byte >> 4) - np.float32(8)
            for token in range(query.shape[0]):
                total = np.float32(0)
                for i in range(2 * half):
                    total += query[token, i] * row[i]
                best[token] = max(best[token], total)
        out[segment] = best


@_compiled
def coded_maxima(
    table: NDArray[np.float32], codes: NDArray[np.uint16], starts: NDArray[np.int64], out: NDArray[np.float32]
) -> None:
    """`out` (p, q): for segments [starts[p], starts[p + 1]) of `codes`, the largest of their rows of `table` (c, q)."""
    for segment in numba.prange(len(out)):
        best = np.full(table.shape[1], np.float32(-1))
        for at in range(starts[segment], starts[segment + 1]):
            code = codes[at]
            for token in range(table.shape[1]):
                best[token] = max(best[token], table[code, token])
        out[segment] = best
