"""Inverted lists: for each code of a codebook the pages that have it, for the first stage of search.

A query token only reads the lists of its nearest codes (some percent of all entries), from the nearest on; a page gets
the similarity of its first code in these lists, and a page in none gets that of the last code read, an upper bound: the
missing similarity of WARP (Scheerer et al. 2025). So the time grows with the number of pages that have a near code.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

PROBES = 32
"""The number of codes whose lists a query token looks at."""


@dataclass(frozen=True, slots=True)
class InvertedLists:
    """The `pages` (n,), positions in rising order, that have code c: from starts[c] (c + 1,) on."""

    pages: NDArray[np.uint32]
    starts: NDArray[np.int64]

    @classmethod
    def of(cls, codes: NDArray[np.uint16], starts: NDArray[np.int64]) -> InvertedLists:
        """Turn the codes of pages, page p's from starts[p] (p + 1,) on, into the pages of codes."""
        order = np.argsort(codes, kind="stable")
        owners = np.repeat(np.arange(len(starts) - 1, dtype=np.uint32), np.diff(starts))
        counts = np.bincount(codes) if len(codes) else np.zeros(0, np.int64)
        return cls(owners[order], np.concatenate([[0], np.cumsum(counts)]).astype(np.int64))

    def scores(
        self, n_pages: int, table: NDArray[np.float32], weights: NDArray[np.float32], probes: int = PROBES
    ) -> NDArray[np.float32]:
        """Return MaxSim (p,) of `n_pages` pages, as nearly as the `probes` nearest codes of each token tell.

        `table` (c, q) has the cosines of all codes with the query's tokens.
        """
        from indexing.vectors.maxsim import listed_maxima

        similar = np.ascontiguousarray(table[: len(self.starts) - 1].T)
        count = min(probes, similar.shape[1])
        if not count or not len(similar):
            return np.zeros(n_pages, np.float32)
        nearest = np.argpartition(-similar, count - 1, axis=1)[:, :count]
        nearest = np.take_along_axis(nearest, np.argsort(-np.take_along_axis(similar, nearest, axis=1)), axis=1)
        similar = np.take_along_axis(similar, nearest, axis=1)
        missing = similar[:, -1]
        gains = weights[:, None] * (similar - missing[:, None])
        return listed_maxima(self.pages, self.starts, nearest, gains, n_pages) + np.float32(missing @ weights)
