"""The inner loop of making pages, compiled: a page's token vectors are turned, moved, coded and packed."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from indexing.vectors import MOST, RESIDUAL_STEP, STEP


@numba.njit(fastmath=True, nogil=True)
def _turn(row: NDArray[np.float32], a: NDArray[np.float32], b: NDArray[np.float32]) -> None:
    """Rotate `row` in the plane of the unit vectors a and b, by the rotation that takes a to b."""
    on_a, on_b, between = np.float32(0), np.float32(0), np.float32(0)
    for k in range(len(row)):
        on_a += row[k] * a[k]
        on_b += row[k] * b[k]
        between += a[k] * b[k]
    both = (on_a + on_b) / (np.float32(1) + between)
    for k in range(len(row)):
        row[k] += np.float32(2) * on_a * b[k] - both * (a[k] + b[k])


@numba.njit(fastmath=True, nogil=True)
def _outline(
    rows: NDArray[np.float32], own: NDArray[np.int64], codebook: NDArray[np.float32], codes: Any, residuals: Any
) -> int:
    """Write codes and residuals of a page as `indexing.vectors.outline` does; return how many there are."""
    order, count, dim = np.argsort(own), 0, rows.shape[1]
    eighth, at = dim // 8, 0
    while at < len(order):
        code = own[order[at]]
        mean = np.zeros(dim, np.float32)
        while at < len(order) and own[order[at]] == code:
            mean += rows[order[at]]
            at += 1
        mean = mean / np.sqrt((mean * mean).sum()) - codebook[code]
        codes[count] = code
        for i in range(eighth):
            byte = 0
            for bit in range(8):
                byte |= int(mean[bit * eighth + i] > 0) << bit
            residuals[count, i] = byte
        residuals[count, eighth] = min(255.0, np.round(np.abs(mean).mean() / RESIDUAL_STEP))
        count += 1
    return count


@numba.njit(fastmath=True, nogil=True)
def _make_page(real: Any, tokens: NDArray[np.int64], draws: NDArray[np.float32], out: Any) -> int:
    """Make the vectors of one page, and return the number of its codes; see `make_pages`."""
    vectors, means, of_code, codebook, near = real
    packed, codes, residuals = out
    dim = codebook.shape[1]
    n = len(tokens)
    rows, own = np.empty((n, dim), np.float32), np.empty(n, np.int64)
    order, at = np.argsort(tokens[:, 1]), 0
    while at < n:
        old, new = tokens[order[at], 1], tokens[order[at], 2]
        end, mean = at, np.zeros(dim, np.float32)
        while end < n and tokens[order[end], 1] == old:
            i = order[end]
            for k in range(dim):
                rows[i, k] = np.float32(vectors[tokens[i, 0], k]) / np.float32(127)
            if old != new:
                _turn(rows[i], codebook[old], codebook[new])
            mean += rows[i]
            end += 1
        there = of_code[new + 1] - of_code[new]
        if there:
            draw = draws[order[at]]
            target = means[of_code[new] + min(there - 1, int(draw[0] * there))]
            move = draw[1] * (target - mean / np.float32(end - at))
            for j in range(at, end):
                rows[order[j]] += move
        for j in range(at, end):
            i = order[j]
            row = rows[i]
            row /= np.sqrt((row * row).sum())
            best = np.float32(-2)
            for other in near[new]:
                product = np.float32(0)
                for k in range(dim):
                    product += row[k] * codebook[other, k]
                if product > best:
                    best, own[i] = product, other
            for k in range(dim // 2):
                low = max(-MOST, min(MOST, np.round(row[2 * k] * np.float32(127 / STEP)))) + 8
                high = max(-MOST, min(MOST, np.round(row[2 * k + 1] * np.float32(127 / STEP)))) + 8
                packed[i, k] = int(low) | int(high) << 4
        at = end
    return _outline(rows, own, codebook, codes, residuals)


@numba.njit(parallel=True, fastmath=True, nogil=True)
def make_pages(real: Any, made: Any, starts: NDArray[np.int64], out: Any, counts: NDArray[np.int64]) -> None:
    """Make the vectors of p pages.

    real  Vectors (t, d) int8 of the real pages; means (m, d) of codes on real pages, ordered by code, those of code c
          from of_code[c] (c + 1,) on; codebook (c, d); the codes `near` (c, k) each code, itself first.
    made  Tokens (n, 3): row of the vectors, its code, the code it becomes; draws (n, 2) from 0 to 1, of which a
          bundle of tokens takes those of its first. A page has those from starts[p] (p + 1,) on.
    out   Packed (n, d / 2); codes (n,) and residuals (n, d / 8 + 1), a page's from its start on; counts[p] of them.
    """
    tokens, draws = made
    packed, codes, residuals = out
    for page in numba.prange(len(counts)):
        a, b = starts[page], starts[page + 1]
        n = _make_page(real, tokens[a:b], draws[a:b], (packed[a:b], codes[a:b], residuals[a:b]))
        counts[page] = n
