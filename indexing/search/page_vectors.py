"""One view of all pages, by their text or by their pixels: codes in memory, vectors on disk, exact scores."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexing.embed import QueryVectors
from indexing.errors import NotScored
from indexing.store import Snapshot
from indexing.types import View
from indexing.vectors import element_maxima, mean_maxima, page_maxima

KEPT_BYTES = 256 * 1024 * 1024
"""The bytes of vectors that are kept in memory between questions: some 6,000 pages, the oldest given up first."""
COUNTED = 0.5
"""The share of the heaviest token's weight below which the first stage skips a token: half of them, no page lost."""
ORDINALS = 1 << 20
"""The factor in an element's key, its page's position x ORDINALS + its ordinal + 1; so 0 stands for no element."""

PackedPage = tuple[NDArray[np.uint8], NDArray[np.int32]]
"""The packed vectors (n, bytes of one) of a page and spans (m, 3) of its elements: ordinal, first, number."""


@dataclass(frozen=True, slots=True)
class ScoredElements:
    """The MaxSim of several queries with the elements (`keys` (e,), `own` (e, Q)) of some pages, and with whole pages.

    `page` (e, Q) is the MaxSim with each element's page.
    """

    keys: NDArray[np.int64]
    own: NDArray[np.float32]
    page: NDArray[np.float32]


class PageVectors:
    """The pages in one order, `rows` (p,) their LanceDB row ids, `codes` the bytes for the first stage of search.

    The codes stand one page's after another's, each from `starts` (p + 1,) on: codes of a codebook, or packed sketches.
    Beside codes may stand their `residuals`, for the second stage.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        view: View,
        rows: NDArray[np.uint64],
        codes: NDArray[np.uint8],
        starts: NDArray[np.int64],
        residuals: NDArray[np.uint8] | None = None,
    ) -> None:
        """Keep the parts; no vector is read before it is needed."""
        self._snapshot = snapshot
        self._view = view
        self._packing = snapshot.packings[view]
        self._rows = rows
        self._codes = codes
        self._starts = starts
        width = self._packing.dim // 8 + 1
        whole = residuals is not None and len(residuals) == starts[-1] // 2 * width > 0
        self._residuals = residuals.reshape(-1, width) if residuals is not None and whole else None
        self._kept: dict[int, PackedPage] = {}
        self._kept_bytes = 0
        self._lock = threading.Lock()

    def coded(self, queries: Sequence[QueryVectors], codebook: NDArray[np.float32] | None) -> NDArray[np.float32]:
        """Return MaxSim (p,) of every page's codes, or of its sketch where there is no codebook.

        It is the maximum over the queries; -1 for a page without any.
        """
        if not len(self._codes):
            return np.full(len(self._rows), -1.0, np.float32)
        tokens, weights = _asked(queries, COUNTED)
        if codebook is None:
            ends = self._starts // self._packing.width
            sketches = self._codes.reshape(-1, self._packing.width)
            best = element_maxima(tokens, sketches, ends[:-1], ends[1:], self._packing)
            best[ends[:-1] == ends[1:]] = -1.0
        else:
            best = page_maxima(codebook @ tokens.T, self._codes.view(np.uint16), self._starts // 2)
        scores: NDArray[np.float32] = _weighted(best, weights).max(axis=1)
        return scores

    @property
    def present(self) -> NDArray[np.bool_]:
        """True (p,) for each page that has a vector in this view."""
        return np.diff(self._starts) > 0

    @property
    def has_residuals(self) -> bool:
        """True if there is a second stage; not with sketches, nor in collections of an older Vouch."""
        return self._residuals is not None

    def outlined(
        self, pages: NDArray[np.int64], queries: Sequence[QueryVectors], codebook: NDArray[np.float32]
    ) -> NDArray[np.float32]:
        """Score some pages (positions) more closely than `coded`: MaxSim (n,) of the means of their tokens by code."""
        assert self._residuals is not None  # noqa: S101  has_residuals
        tokens, weights = _asked(queries)
        firsts = self._starts // 2
        best = mean_maxima(
            tokens, codebook, self._codes.view(np.uint16), self._residuals, firsts[pages], firsts[pages + 1]
        )
        scores: NDArray[np.float32] = _weighted(best, weights).max(axis=1)
        return scores

    def scored(self, pages: Sequence[int], queries: Sequence[QueryVectors]) -> ScoredElements:
        """Return exact scores of the elements of pages (positions)."""
        found = [(page, *read) for page, read in zip(pages, self.read(pages), strict=True) if len(read[1])]
        if not found:
            return ScoredElements(np.zeros(0, np.int64), *(np.zeros((0, len(queries)), np.float32) for _ in range(2)))
        bases = np.concatenate([[0], np.cumsum([len(packed) for _, packed, _ in found])[:-1]])
        spans = np.concatenate([spans for _, _, spans in found])
        counts = np.array([len(spans) for _, _, spans in found])
        first = spans[:, 1] + np.repeat(bases, counts)
        tokens, weights = _asked(queries)
        packed = np.concatenate([p for _, p, _ in found])
        maxima = element_maxima(tokens, packed, first, first + spans[:, 2], self._packing)
        of_page = np.maximum.reduceat(maxima, np.concatenate([[0], np.cumsum(counts)[:-1]]), axis=0)
        keys = np.repeat([page for page, _, _ in found], counts).astype(np.int64) * ORDINALS + spans[:, 0] + 1
        return ScoredElements(keys, _weighted(maxima, weights), np.repeat(_weighted(of_page, weights), counts, axis=0))

    def of_element(self, key: int) -> NDArray[Any]:
        """Return the vectors (n, d) of one element, component x 127; none when the view has none."""
        packed, spans = self.read([key // ORDINALS])[0]
        own = [packed[first : first + n] for ordinal, first, n in spans.tolist() if ordinal + 1 == key % ORDINALS]
        return self._packing.rows(own[0] if own else packed[:0])

    def read(self, pages: Sequence[int]) -> list[PackedPage]:
        """Read vectors and spans of pages, from memory where an earlier question left them."""
        with self._lock:
            kept = {page: self._kept[page] for page in pages if page in self._kept}
        missing = [page for page in pages if page not in kept]
        rows = [int(self._rows[page]) for page in missing]
        fresh = dict(zip(missing, self._snapshot.packed(rows, self._view), strict=True))
        with self._lock:
            for page, read in fresh.items():
                if page not in self._kept:  # another thread may have read it meanwhile
                    self._kept[page] = read
                    self._kept_bytes += read[0].nbytes
            while self._kept_bytes > KEPT_BYTES:
                self._kept_bytes -= self._kept.pop(next(iter(self._kept)))[0].nbytes
        return [kept[page] if page in kept else fresh[page] for page in pages]


def _asked(
    queries: Sequence[QueryVectors], least: float = 0.0
) -> tuple[NDArray[np.float32], list[NDArray[np.float32]]]:
    """Return the tokens (q, d) of all queries side by side, and the weights of those of each query.

    Left out are tokens without weight, and those below `least` of the heaviest of their query. Raises NotScored for
    values that are not numbers.
    """
    counted = [(q.weights > 0) & (q.weights >= least * q.weights.max(initial=0)) for q in queries]
    tokens = np.concatenate([q.vectors[kept] for q, kept in zip(queries, counted, strict=True)])
    weights = [q.weights[kept] for q, kept in zip(queries, counted, strict=True)]
    if not all(np.isfinite(values).all() for values in (tokens, *weights)):
        raise NotScored("the embedder gave vectors of the question that are not numbers: ask again, or in other words")
    return tokens, weights


def _weighted(maxima: NDArray[np.float32], weights: Sequence[NDArray[np.float32]]) -> NDArray[np.float32]:
    """Return (m, Q) scores out of the maxima (m, q) of all queries' tokens."""
    ends = np.cumsum([len(own) for own in weights])
    return np.stack([maxima[:, end - len(own) : end] @ own for own, end in zip(weights, ends, strict=True)], axis=1)
