"""A question -> the elements and pages that match best: candidates by codes and full text, then exact MaxSim.

There are three stages. First, pages are scored by MaxSim over the centroids nearest to their vectors (their codes: the
first stage of PLAID, Santhanam et al. 2022), as inverted lists tell of the codes near to the question. The best of them
are scored by the means of their tokens, as nearly as residuals tell. The best of those, pages with a good full-text
hit, and pages that the question names are candidates: their vectors are read, or found in memory, and every element is
scored exactly. For embedders without a codebook a page's sketch replaces the first two. Collections of at most
`ALL_PAGES` pages skip both.

An element's score is the sum of the scores of its text and its page's pixels (their weighted mean in mode multi, on one
scale; a universal embedder has both in one space, and is asked once), of its full-text match, and of bonuses for its
page when the question says where to look. Several queries are scored together: the first counts as much as the best of
the others. A page's score is that of its best element.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from indexing.embed import Embedder, QueryVectors, TextEmbedder, VisualEmbedder, VisualKind, context, passage
from indexing.errors import CollectionDamaged
from indexing.hints import Hints
from indexing.search.fusion import by_view, combined, drawn_only, lexical, mean_query, on_one_scale
from indexing.search.index_arrays import ORDINALS
from indexing.search.memory_index import MemoryIndex, read_memory_index
from indexing.search.page_vectors import ScoredElements
from indexing.settings import Mode, SearchSettings
from indexing.store import Snapshot, Store
from indexing.types import Element, Found, Hit, PageHit, View
from indexing.vectors import token_scores

ALL_PAGES = 64
TEXT_HITS = 200
"""The number of elements that full text finds for each query."""
LEAST_PAGES = 20
"""The number of pages that are returned even where fewer elements are asked for."""
NAMED_PAGES = 64
"""The most pages that become candidates because the question names them."""

_VIEWS: dict[Mode, tuple[View, ...]] = {"text": ("text",), "image": ("visual",), "multi": ("text", "visual")}


class _Ranking(NamedTuple):
    """The elements (`keys` (e,)) with their scores (e,), and with their scores by each query (e, Q)."""

    keys: NDArray[np.int64]
    scores: NDArray[np.float32]
    by_query: NDArray[np.float32]


class Searcher:
    """The search of one collection, which follows its changes. Safe to use from several threads."""

    def __init__(
        self, store: Store, text: TextEmbedder, visual: Callable[[], VisualEmbedder | None] | None = None
    ) -> None:
        """Keep the parts; nothing is read before the first search.

        Without `visual`, which is not called before pixels are searched, there is mode text only.
        """
        self._store = store
        self._text = text
        self._visual = visual
        self._state: tuple[int, Snapshot, MemoryIndex] | None = None
        self._lock = threading.Lock()

    def warm(self) -> None:
        """Read the structures that searching holds in memory."""
        self._current()

    def elements_on(self, pages: Sequence[tuple[str, int]]) -> list[tuple[Element, ...]]:
        """Return for each page (document, number) its elements in reading order, groups last."""
        try:
            return _elements_on(pages, *self._current())
        except CollectionDamaged:  # as below
            return _elements_on(pages, *self._current(anew=True))

    def unseen_pages(self, doc_ids: Sequence[str]) -> tuple[int, int]:
        """Count the pages with text that have no visual vector, and all that have text; all documents if none named."""
        snapshot, catalogue = self._current()
        return catalogue.unseen(doc_ids, [document.id for document in snapshot.documents() if document.is_image])

    def search(
        self,
        queries: str | Sequence[str],
        *,
        image_queries: Sequence[str] | None = None,
        mode: Mode = "text",
        hints: Hints | None = None,
        doc_ids: Sequence[str] = (),
        limit: int = 10,
        settings: SearchSettings | None = None,
    ) -> Found:
        """Find the best `limit` elements and pages for a question, which may be put in several ways, best first.

        Pixels are compared with `image_queries`, one for each of the queries, if they are given; in mode multi a
        universal embedder is asked with the queries or, by `space_query`, with the mean of both.
        """
        texts = [queries] if isinstance(queries, str) else list(queries)
        visual = self._visual() if self._visual and mode != "text" else None
        visual_kind = visual.visual_kind if visual else None
        one_space = (
            visual_kind == "space" and mode == "multi"
        )  # then texts stand among the pixels: one search finds both
        asked: dict[View, list[str]] = {"text": texts, "visual": texts if one_space else list(image_queries or texts)}
        known: dict[View, Embedder | None] = {"text": self._text, "visual": visual}
        views: tuple[View, ...] = ("visual",) if one_space else _VIEWS[mode]
        embedders = {view: e for view in views if (e := known[view]) is not None}
        chosen = settings or SearchSettings()
        averaged = list(image_queries or ()) if one_space and chosen.space_query == "averaged" else []
        request = _Request(
            self._text,
            embedders,
            asked,
            mode,
            visual_kind,
            hints or Hints(),
            doc_ids,
            limit,
            chosen,
            averaged,
        )
        try:
            return request.answer(*self._current())
        except CollectionDamaged:  # a writer may have cleaned up the version in use: look again, once
            return request.answer(*self._current(anew=True))

    def _current(self, *, anew: bool = False) -> tuple[Snapshot, MemoryIndex]:
        """Return the state of the collection; `anew` if what was read of it led to what is not there."""
        with self._lock:
            version = self._store.version()
            if anew or self._state is None or self._state[0] != version:
                snapshot = self._store.snapshot()
                self._state = (version, snapshot, read_memory_index(snapshot, anew=anew))
            return self._state[1], self._state[2]


def growth(pages: int) -> tuple[float, float]:
    """Return the factors by which candidates by codes, and exact ones, grow with the number of pages.

    They are 1 for a small collection, 4 and 3 in 100,000 pages.
    """
    tens = max(1.0, pages / 10_000)
    return float(tens**0.6), float(tens**0.5)


def _best(scores: NDArray[np.float32], count: float) -> NDArray[np.int64]:
    """Return the places of the `count` highest, in no order."""
    most = min(round(count), len(scores))
    return np.argpartition(-scores, most - 1)[:most]


def _elements_on(
    pages: Sequence[tuple[str, int]], snapshot: Snapshot, catalogue: MemoryIndex
) -> list[tuple[Element, ...]]:
    rows = [catalogue.rows_on(*page) for page in pages]
    found = iter(snapshot.elements([row for own in rows for row in own]))
    return [tuple(islice(found, len(own))) for own in rows]


@dataclass(frozen=True, slots=True)
class _Request:
    """One search: `embedders` are those of its mode's views. `averaged` are forms of the queries, one for each, whose
    vectors are averaged with theirs.
    """

    text: TextEmbedder
    embedders: dict[View, Embedder]
    queries: dict[View, list[str]]
    mode: Mode
    visual_kind: VisualKind | None
    hints: Hints
    doc_ids: Sequence[str]
    limit: int
    settings: SearchSettings
    averaged: Sequence[str] = ()

    def answer(self, snapshot: Snapshot, catalogue: MemoryIndex) -> Found:
        """Search one state of the collection."""
        first = self.text.embed_query(self.queries["text"][0])
        allowed = catalogue.allowed(self.doc_ids)
        nothing = Found((), first.tokens, first.weights)
        if not len(first.tokens) or not allowed.any():
            return nothing
        embedded = {view: [e.embed_query(q) for q in self.queries[view]] for view, e in self.embedders.items()}
        if self.averaged:
            others = {view: [e.embed_query(q) for q in self.averaged] for view, e in self.embedders.items()}
            embedded = {view: list(map(mean_query, embedded[view], others[view])) for view in embedded}
        worded = self.queries["text"] if self.mode != "image" else []
        texts = [snapshot.full_text(q, TEXT_HITS, self.doc_ids) for q in worded]
        named = catalogue.placed(self.hints)
        pages = self._candidates(catalogue, embedded, texts, allowed, named)
        scored = {view: catalogue.views[view].scored(pages, queries) for view, queries in embedded.items()}
        ranking = self._ranked(catalogue, scored, texts, named)
        if not len(ranking.keys):
            return nothing
        order = np.argsort(-ranking.scores, kind="stable")
        shown = order[ranking.keys[order] % ORDINALS > 0][: self.limit]
        keys = ranking.keys[shown].tolist()
        elements = snapshot.elements([catalogue.row(key) for key in keys])
        hits = tuple(
            replace(
                self._hit(catalogue, element, at, ranking, first),
                by_view=by_view(scored, int(ranking.keys[at]), self.settings.element_weight),
            )
            for element, at in zip(elements, shown, strict=True)
        )
        return Found(hits, first.tokens, first.weights, self._pages(catalogue, ranking, order))

    def _candidates(
        self,
        catalogue: MemoryIndex,
        embedded: dict[View, list[QueryVectors]],
        texts: Sequence[Sequence[tuple[int, float]]],
        allowed: NDArray[np.bool_],
        named: tuple[NDArray[np.float32], NDArray[np.float32]],
    ) -> list[int]:
        """Return the positions of the pages that are scored exactly."""
        if allowed.sum() <= ALL_PAGES:
            return np.flatnonzero(allowed).tolist()
        chosen: dict[int, None] = {}
        s, places = self.settings, np.flatnonzero(allowed)
        more_coded, more_exact = growth(allowed.size)
        for view, queries in embedded.items():
            known, book = catalogue.views[view], self.embedders[view].codebook()
            if book is not None and not book[0].any():  # fitted to the collection
                if len(book) == 1:  # not yet: there are few pages
                    return places.tolist()
                early = known.from_before_the_fit()
                chosen.update(dict.fromkeys(early[allowed[early]].tolist()))
            scores = known.coded(queries, book)[places]
            if book is None or not known.has_residuals:
                best = places[_best(scores, s.sketch_candidates * more_exact)]
            else:
                coded = places[_best(scores, s.code_candidates * more_coded)]
                best = coded[_best(known.outlined(coded, queries, book), s.exact_candidates * more_exact)]
            chosen.update(dict.fromkeys(best.tolist()))
        for found in texts:
            pages = dict.fromkeys((catalogue.keys_of_rows([row for row, _ in found]) // ORDINALS).tolist())
            kept = [page for page in pages if page >= 0 and allowed[page]]
            chosen.update(dict.fromkeys(kept[: self.settings.text_candidates]))
        pointed = np.flatnonzero(((named[0] > 0) | (named[1] > 0)) & allowed)
        if len(pointed) <= NAMED_PAGES:
            chosen.update(dict.fromkeys(pointed.tolist()))
        return list(chosen)

    def _ranked(
        self,
        catalogue: MemoryIndex,
        scored: dict[View, ScoredElements],
        texts: Sequence[Sequence[tuple[int, float]]],
        named: tuple[NDArray[np.float32], NDArray[np.float32]],
    ) -> _Ranking:
        """Return all elements of the candidates with their scores."""
        s = self.settings
        keys = np.unique(np.concatenate([view.keys for view in scored.values()]))
        if not len(keys):
            return _Ranking(keys, np.zeros(0, np.float32), np.zeros((0, len(self.queries["text"])), np.float32))
        page = keys // ORDINALS
        firsts = np.flatnonzero(np.diff(page, prepend=-1))
        counts = np.diff(np.append(firsts, len(keys)))
        weights: dict[View, float] = {"text": 1 - s.visual_weight, "visual": s.visual_weight}
        if len(scored) == 1:
            weights = dict.fromkeys(scored, 1.0)
        elif self.visual_kind == "patches":
            scored = on_one_scale(scored)
        if self.visual_kind == "space" and self.mode == "image":
            scored = {"visual": drawn_only(scored["visual"], catalogue)}
        by_query = combined(scored, weights, keys, firsts, counts, s.element_weight)
        if texts:
            words = lexical(catalogue, texts, keys)
            whole = np.repeat(np.maximum.reduceat(words, firsts, axis=0), counts, axis=0)
            by_query += s.full_text_weight * (s.element_weight * words + (1 - s.element_weight) * whole)
        scores = by_query[:, 0]
        if by_query.shape[1] > 1:
            scores = (1 - s.variant_weight) * scores + s.variant_weight * by_query[:, 1:].max(axis=1)
        doc = catalogue.doc[page]
        if len(np.unique(doc)) > 1:
            best = np.full(len(catalogue.doc_ids), -1.0, np.float32)
            np.maximum.at(best, doc, scores)
            scores = scores + s.document_weight * (best[doc] - best.max())  # nothing for those of the best document
        return _Ranking(keys, (scores + self._bonus(catalogue, named)[page]).astype(np.float32), by_query)

    def _bonus(
        self, catalogue: MemoryIndex, named: tuple[NDArray[np.float32], NDArray[np.float32]]
    ) -> NDArray[np.float32]:
        """Return the bonus of each page (p,) for the places that the question names."""
        s = self.settings
        bonus = s.page_bonus * named[0] + s.name_bonus * named[1]
        if self.hints.pictures:
            bonus += s.kind_bonus * catalogue.pictures
        if self.hints.tables:
            bonus += s.kind_bonus * catalogue.tables
        if self.hints.front:
            bonus += s.front_bonus * (catalogue.number == 1)
        return bonus.astype(np.float32)

    def _hit(self, catalogue: MemoryIndex, element: Element, at: int, ranking: _Ranking, query: QueryVectors) -> Hit:
        """Return the hit of rank entry `at`, with the similarities of its text to the first query.

        It also lists the queries that have it among their own best.
        """
        vectors = catalogue.views["text"].of_element(int(ranking.keys[at]))
        offsets = self.text.offsets(passage(element)) - len(context(element))
        if not len(vectors):
            offsets = offsets[:0]
        if len(offsets) != len(vectors):
            raise CollectionDamaged(f"{element.doc_id}: indexed by another version of Vouch: index the file again")
        better = (ranking.by_query > ranking.by_query[at]).sum(axis=0)
        found_by = tuple(np.flatnonzero(better < self.limit).tolist()) or (int(np.argmin(better)),)
        return Hit(element, float(ranking.scores[at]), token_scores(query.vectors, vectors), offsets, found_by)

    def _pages(self, catalogue: MemoryIndex, ranking: _Ranking, order: NDArray[np.int64]) -> tuple[PageHit, ...]:
        """Return the best pages, each by its best element."""
        pages, firsts = np.unique(ranking.keys[order] // ORDINALS, return_index=True)
        shown = np.argsort(firsts)[: max(self.limit, LEAST_PAGES)]
        return tuple(
            PageHit(
                catalogue.doc_ids[catalogue.doc[page]], int(catalogue.number[page]), float(ranking.scores[order[at]])
            )
            for page, at in zip(pages[shown].tolist(), firsts[shown].tolist(), strict=True)
        )
