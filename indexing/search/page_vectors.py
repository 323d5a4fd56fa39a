"""One view of all pages, by their text or by their pixels: codes in memory, vectors on disk, exact scores."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexing.embed import SCALE, QueryVectors, RegionVectors
from indexing.errors import NotScored
from indexing.search.index_arrays import ORDINALS
from indexing.store import Snapshot
from indexing.types import BBox, View
from indexing.vectors import InvertedLists, element_maxima, mean_maxima

CACHE_BYTES = 256 * 1024 * 1024
"""The bytes of vectors cached between questions: some 6,000 pages. The oldest are evicted first."""
WHOLE = 0.999
"""The share of its page from which a region has no particular place and is left out of maps."""
LEAST_WEIGHT = 0.5
"""The share of the heaviest token's weight below which the first stage skips a token: half of them, no page lost."""

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

    The codes of the pages follow one another, each page's from `starts` (p + 1,) on: of a codebook, or packed sketches.
    Codes can come with their `residuals`, for the second stage, and their inverted lists (`list_pages` and
    `list_starts`, `indexing.vectors.maxsim`), which are otherwise made with the first question.
    """

    def __init__(self, snapshot: Snapshot, view: View, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Keep the arrays; no vector is read before it is needed."""
        self._snapshot = snapshot
        self._view = view
        self._packing = snapshot.packings[view]
        self._rows = arrays["rows"]
        self._codes = arrays["codes"]
        self._starts = arrays["starts"]
        width = self._packing.dim // 8 + 1
        is_complete = len(arrays["residuals"]) == self._starts[-1] // 2 * width > 0
        self._residuals = arrays["residuals"].reshape(-1, width) if is_complete else None
        has_lists = "list_pages" in arrays
        self._lists = InvertedLists(arrays["list_pages"], arrays["list_starts"]) if has_lists else None
        self._cache: dict[int, PackedPage] = {}
        self._cache_bytes = 0
        self._lock = threading.Lock()

    def code_scores(self, queries: Sequence[QueryVectors], codebook: NDArray[np.float32] | None) -> NDArray[np.float32]:
        """Return MaxSim (p,) of every page's codes, or of its sketch if there is no codebook.

        It is the maximum over the queries; -1 for a page without codes or sketch.
        """
        if not len(self._codes):
            return np.full(len(self._rows), -1.0, np.float32)
        if codebook is not None:
            return self._list_scores(queries, codebook)
        tokens, weights = _query_tokens(queries, LEAST_WEIGHT)
        ends = self._starts // self._packing.width
        sketches = self._codes.reshape(-1, self._packing.width)
        best = element_maxima(tokens, sketches, ends[:-1], ends[1:], self._packing)
        best[ends[:-1] == ends[1:]] = -1.0
        scores: NDArray[np.float32] = _weigh_maxima(best, weights).max(axis=1)
        return scores

    def _list_scores(self, queries: Sequence[QueryVectors], codebook: NDArray[np.float32]) -> NDArray[np.float32]:
        """Approximate `code_scores` by inverted lists, from the codes nearest to each token."""
        lists = self._inverted_lists()
        scores = np.full(len(self._rows), -1.0, np.float32)
        for query in queries:
            tokens, (weights,) = _query_tokens([query], LEAST_WEIGHT)
            if len(tokens):
                query_scores = lists.scores(len(self._rows), codebook @ tokens.T, weights)
                np.maximum(scores, query_scores, out=scores, where=self.present)
        return scores

    def _inverted_lists(self) -> InvertedLists:
        with self._lock:
            if self._lists is None:
                self._lists = InvertedLists.of(self._codes.view(np.uint16), self._starts // 2)
            return self._lists

    def uncoded_pages(self) -> NDArray[np.int64]:
        """Return the positions (n,) of pages with code 0: they were written before a codebook was fitted."""
        lists = self._inverted_lists()
        return lists.pages[: lists.starts[1] if len(lists.starts) > 1 else 0].astype(np.int64)

    @property
    def present(self) -> NDArray[np.bool_]:
        """True (p,) for each page that has a vector in this view."""
        return np.diff(self._starts) > 0

    @property
    def has_residuals(self) -> bool:
        """True if there is a second stage; not with sketches, nor in collections of an older Vouch."""
        return self._residuals is not None

    def mean_scores(
        self, pages: NDArray[np.int64], queries: Sequence[QueryVectors], codebook: NDArray[np.float32]
    ) -> NDArray[np.float32]:
        """Return MaxSim (n,) of some pages (positions) over the means of tokens that share a code (`mean_maxima`)."""
        assert self._residuals is not None  # noqa: S101  has_residuals
        tokens, weights = _query_tokens(queries)
        firsts, ends = self._starts[pages] // 2, self._starts[pages + 1] // 2
        best = mean_maxima(tokens, codebook, self._codes.view(np.uint16), self._residuals, firsts, ends)
        scores: NDArray[np.float32] = _weigh_maxima(best, weights).max(axis=1)
        return scores

    def element_scores(self, pages: Sequence[int], queries: Sequence[QueryVectors]) -> ScoredElements:
        """Return the exact scores of all elements of some pages (positions)."""
        entries = [
            (page, *packed_page)
            for page, packed_page in zip(pages, self.read(pages), strict=True)
            if len(packed_page[1])
        ]
        if not entries:
            return ScoredElements(np.zeros(0, np.int64), *(np.zeros((0, len(queries)), np.float32) for _ in range(2)))
        bases = np.concatenate([[0], np.cumsum([len(packed) for _, packed, _ in entries])[:-1]])
        spans = np.concatenate([spans for _, _, spans in entries])
        counts = np.array([len(spans) for _, _, spans in entries])
        first = spans[:, 1] + np.repeat(bases, counts)
        tokens, weights = _query_tokens(queries)
        packed = np.concatenate([p for _, p, _ in entries])
        maxima = element_maxima(tokens, packed, first, first + spans[:, 2], self._packing)
        of_page = np.maximum.reduceat(maxima, np.concatenate([[0], np.cumsum(counts)[:-1]]), axis=0)
        keys = np.repeat([page for page, _, _ in entries], counts).astype(np.int64) * ORDINALS + spans[:, 0] + 1
        return ScoredElements(
            keys, _weigh_maxima(maxima, weights), np.repeat(_weigh_maxima(of_page, weights), counts, axis=0)
        )

    def vectors_of(self, key: int) -> NDArray[Any]:
        """Return the vectors (n, d) of the element with that key, component x 127; without rows if it has none."""
        packed, spans = self.read([key // ORDINALS])[0]
        rows = [packed[first : first + n] for ordinal, first, n in spans.tolist() if ordinal + 1 == key % ORDINALS]
        return self._packing.rows(rows[0] if rows else packed[:0])

    def read(self, pages: Sequence[int]) -> list[PackedPage]:
        """Return the vectors and spans of pages, from the cache where an earlier question read them."""
        with self._lock:
            in_memory = {page: self._cache[page] for page in pages if page in self._cache}
        missing = [page for page in pages if page not in in_memory]
        rows = [int(self._rows[page]) for page in missing]
        fresh = dict(zip(missing, self._snapshot.packed_vectors(rows, self._view), strict=True))
        with self._lock:
            for page, packed_page in fresh.items():
                if page not in self._cache:  # another thread may have read it meanwhile
                    self._cache[page] = packed_page
                    self._cache_bytes += packed_page[0].nbytes
            while self._cache_bytes > CACHE_BYTES:
                self._cache_bytes -= self._cache.pop(next(iter(self._cache)))[0].nbytes
        return [in_memory[page] if page in in_memory else fresh[page] for page in pages]


def _query_tokens(
    queries: Sequence[QueryVectors], least: float = 0.0
) -> tuple[NDArray[np.float32], list[NDArray[np.float32]]]:
    """Return the tokens (q, d) of all queries side by side, and the weights of those of each query.

    Left out are tokens without weight, and those below `least` of the heaviest of their query. Raises NotScored for
    values that are not numbers.
    """
    masks = [(q.weights > 0) & (q.weights >= least * q.weights.max(initial=0)) for q in queries]
    tokens = np.concatenate([q.vectors[mask] for q, mask in zip(queries, masks, strict=True)])
    weights = [q.weights[mask] for q, mask in zip(queries, masks, strict=True)]
    if not all(np.isfinite(values).all() for values in (tokens, *weights)):
        raise NotScored(
            "the embedder returned vectors for the question that are not numbers: ask again, or in other words"
        )
    return tokens, weights


def _weigh_maxima(maxima: NDArray[np.float32], weights: Sequence[NDArray[np.float32]]) -> NDArray[np.float32]:
    """Return scores (m, Q): the sum of each query's columns of `maxima` (m, q) by the weights of its tokens."""
    ends = np.cumsum([len(own) for own in weights])
    return np.stack([maxima[:, end - len(own) : end] @ own for own, end in zip(weights, ends, strict=True)], axis=1)


def regions_on_page(vectors: NDArray[Any], boxes: NDArray[np.float32], counts: NDArray[np.int32]) -> RegionVectors:
    """Return the regions of `Snapshot.visual_vectors` that have a box on the page, with their vectors."""
    page_boxes = [BBox.from_page(x0, y0, x1, y1, 1.0, 1.0) for x0, y0, x1, y1 in boxes.tolist()]
    mask = [box is not None and box.area < WHOLE for box in page_boxes]
    rows = np.repeat(np.array(mask, bool), counts)
    local_boxes = tuple(box for box, keep in zip(page_boxes, mask, strict=True) if box is not None and keep)
    return RegionVectors(vectors[rows], counts[np.array(mask, bool)], local_boxes)


def region_scores(regions: RegionVectors, query: QueryVectors) -> NDArray[np.float32]:
    """Return MaxSim (r,) of every region with the query: the weighted mean, over its tokens, of the best cosine.

    These are the similarity maps of ColPali (Faysse et al. 2024).
    """
    scores = np.zeros(len(regions.boxes), np.float32)
    owning = np.flatnonzero(regions.counts)
    if not len(owning) or not len(query.vectors):
        return scores
    cosines = regions.vectors.astype(np.float32) @ query.vectors.T / np.float32(SCALE)
    starts = (np.cumsum(regions.counts) - regions.counts)[owning]
    scores[owning] = np.maximum.reduceat(cosines, starts, axis=0) @ query.weights
    return scores
