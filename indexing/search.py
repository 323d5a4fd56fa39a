"""A question -> the elements and pages that match best: candidates by codes and full text, then exact MaxSim.

Two stages. First, every page is scored by MaxSim over the centroids nearest to its vectors (its codes, held in memory:
the first stage of PLAID, Santhanam et al. 2022) and by the best full-text hit on it; the best of both, and pages that
the question names, are candidates. Then the candidates' vectors are read, or found in memory, and every element is
scored exactly. Collections of at most `ALL_PAGES` pages skip the first stage.

An element's score is the sum of what its text and its page's pixels say (their weighted mean in mode multi), of its
full-text match, and of bonuses for its page when the question says where to look. Several queries are scored together:
the first counts as much as the best of the others. A page's score is that of its best element.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from indexing.catalogue import Catalogue, read_catalogue
from indexing.embed.protocol import Embedder, QueryVectors, TextEmbedder, VisualEmbedder
from indexing.errors import CollectionDamaged
from indexing.maxsim import token_scores
from indexing.passages import context, passage
from indexing.rows import View
from indexing.settings import Mode, SearchSettings
from indexing.store import Snapshot, Store
from indexing.types import Element, Found, Hints, Hit, PageHit
from indexing.view import ORDINALS, Scored

ALL_PAGES = 64
TEXT_HITS = 200
"""Elements that full text finds for each query."""
LEAST_PAGES = 20
"""Pages that are told of even where fewer elements are asked for."""
NAMED_PAGES = 64
"""Most pages that become candidates because the question names them."""

_VIEWS: dict[Mode, tuple[View, ...]] = {"text": ("text",), "image": ("pixels",), "multi": ("text", "pixels")}


class _Ranking(NamedTuple):
    """Elements (`keys` (e,)) with their scores (e,), and with their scores by each query (e, Q)."""

    keys: NDArray[np.int64]
    scores: NDArray[np.float32]
    by_query: NDArray[np.float32]


class Searcher:
    """Searches one collection; follows its changes. Safe to use from several threads."""

    def __init__(self, store: Store, text: TextEmbedder, visual: VisualEmbedder | None = None) -> None:
        """Nothing is read before the first search; without `visual` there is mode text only."""
        self._store = store
        self._text = text
        self._visual = visual
        self._state: tuple[int, Snapshot, Catalogue] | None = None
        self._lock = threading.Lock()

    def warm(self) -> None:
        """Read what searching holds in memory."""
        self._current()

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
        """The best `limit` elements and pages for a question, which may be put in several ways, best first.

        Pixels are compared with `image_queries`, one for each of the queries, if they are given.
        """
        texts = [queries] if isinstance(queries, str) else list(queries)
        asked: dict[View, list[str]] = {"text": texts, "pixels": list(image_queries or texts)}
        known: dict[View, Embedder | None] = {"text": self._text, "pixels": self._visual}
        embedders = {view: e for view in _VIEWS[mode] if (e := known[view]) is not None}
        request = _Request(self._text, embedders, asked, hints or Hints(), doc_ids, limit, settings or SearchSettings())
        try:
            return request.answer(*self._current())
        except CollectionDamaged:  # a writer may have cleaned up the version in use: look again, once
            self._state = None
            return request.answer(*self._current())

    def _current(self) -> tuple[Snapshot, Catalogue]:
        with self._lock:
            version = self._store.version()
            if self._state is None or self._state[0] != version:
                snapshot = self._store.snapshot()
                self._state = (version, snapshot, read_catalogue(snapshot))
            return self._state[1], self._state[2]


@dataclass(frozen=True, slots=True)
class _Request:
    """One search: `embedders` are those of its mode's views."""

    text: TextEmbedder
    embedders: dict[View, Embedder]
    queries: dict[View, list[str]]
    hints: Hints
    doc_ids: Sequence[str]
    limit: int
    settings: SearchSettings

    def answer(self, snapshot: Snapshot, catalogue: Catalogue) -> Found:
        """Search one state of the collection."""
        first = self.text.embed_query(self.queries["text"][0])
        allowed = catalogue.allowed(self.doc_ids)
        nothing = Found((), first.tokens, first.weights)
        if not len(first.tokens) or not allowed.any():
            return nothing
        embedded = {view: [e.embed_query(q) for q in self.queries[view]] for view, e in self.embedders.items()}
        worded = self.queries["text"] if "text" in embedded else []
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
            self._hit(catalogue, element, at, ranking, first) for element, at in zip(elements, shown, strict=True)
        )
        return Found(hits, first.tokens, first.weights, self._pages(catalogue, ranking, order))

    def _candidates(
        self,
        catalogue: Catalogue,
        embedded: dict[View, list[QueryVectors]],
        texts: Sequence[Sequence[tuple[int, float]]],
        allowed: NDArray[np.bool_],
        named: tuple[NDArray[np.float32], NDArray[np.float32]],
    ) -> list[int]:
        """Positions of the pages that are scored exactly."""
        if allowed.sum() <= ALL_PAGES:
            return np.flatnonzero(allowed).tolist()
        chosen: dict[int, None] = {}
        for view, queries in embedded.items():
            scores = np.where(allowed, catalogue.views[view].coded(queries, self.embedders[view].codebook()), -2.0)
            count = min(self.settings.code_candidates, int(allowed.sum()))
            chosen.update(dict.fromkeys(np.argpartition(-scores, count - 1)[:count].tolist()))
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
        catalogue: Catalogue,
        scored: dict[View, Scored],
        texts: Sequence[Sequence[tuple[int, float]]],
        named: tuple[NDArray[np.float32], NDArray[np.float32]],
    ) -> _Ranking:
        """All elements of the candidates with their scores."""
        s = self.settings
        keys = np.unique(np.concatenate([view.keys for view in scored.values()]))
        if not len(keys):
            return _Ranking(keys, np.zeros(0, np.float32), np.zeros((0, len(self.queries["text"])), np.float32))
        page = keys // ORDINALS
        firsts = np.flatnonzero(np.diff(page, prepend=-1))
        counts = np.diff(np.append(firsts, len(keys)))
        weights: dict[View, float] = {"text": 1 - s.visual_weight, "pixels": s.visual_weight}
        if len(scored) == 1:
            weights = dict.fromkeys(scored, 1.0)
        by_query = _combined(scored, weights, keys, firsts, counts, s.element_weight)
        if texts:
            lexical = _lexical(catalogue, texts, keys)
            whole = np.repeat(np.maximum.reduceat(lexical, firsts, axis=0), counts, axis=0)
            by_query += s.full_text_weight * (s.element_weight * lexical + (1 - s.element_weight) * whole)
        scores = by_query[:, 0]
        if by_query.shape[1] > 1:
            scores = (1 - s.variant_weight) * scores + s.variant_weight * by_query[:, 1:].max(axis=1)
        doc = catalogue.doc[page]
        if len(np.unique(doc)) > 1:
            best = np.full(len(catalogue.doc_ids), -1.0, np.float32)
            np.maximum.at(best, doc, scores)
            scores = scores + s.document_weight * best[doc]
        return _Ranking(keys, (scores + self._bonus(catalogue, named)[page]).astype(np.float32), by_query)

    def _bonus(
        self, catalogue: Catalogue, named: tuple[NDArray[np.float32], NDArray[np.float32]]
    ) -> NDArray[np.float32]:
        """What the question says about places, for each page (p,)."""
        s = self.settings
        bonus = s.page_bonus * named[0] + s.name_bonus * named[1]
        if self.hints.pictures:
            bonus += s.kind_bonus * catalogue.pictures
        if self.hints.tables:
            bonus += s.kind_bonus * catalogue.tables
        if self.hints.front:
            bonus += s.front_bonus * (catalogue.number == 1)
        return bonus.astype(np.float32)

    def _hit(self, catalogue: Catalogue, element: Element, at: int, ranking: _Ranking, query: QueryVectors) -> Hit:
        """The hit of rank entry `at`, with the similarities of its text to the first query, and with the queries that
        have it among their own best.
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

    def _pages(self, catalogue: Catalogue, ranking: _Ranking, order: NDArray[np.int64]) -> tuple[PageHit, ...]:
        """The best pages, each by its best element."""
        pages, firsts = np.unique(ranking.keys[order] // ORDINALS, return_index=True)
        shown = np.argsort(firsts)[: max(self.limit, LEAST_PAGES)]
        return tuple(
            PageHit(
                catalogue.doc_ids[catalogue.doc[page]], int(catalogue.number[page]), float(ranking.scores[order[at]])
            )
            for page, at in zip(pages[shown].tolist(), firsts[shown].tolist(), strict=True)
        )


def _combined(
    scored: Mapping[View, Scored],
    weights: Mapping[View, float],
    keys: NDArray[np.int64],
    firsts: NDArray[np.int64],
    counts: NDArray[np.int64],
    element_weight: float,
) -> NDArray[np.float32]:
    """MaxSim (e, Q) of all elements: the weighted mean of the views that know an element, and of those that know its
    page. An element that none knows counts like its page's worst.
    """
    n_queries = next(iter(scored.values())).own.shape[1]
    own, own_weight = np.zeros((len(keys), n_queries), np.float32), np.zeros((len(keys), 1), np.float32)
    page, page_weight = own.copy(), own_weight.copy()
    for name, view in scored.items():
        at = np.searchsorted(keys, view.keys)
        own[at] += weights[name] * view.own
        own_weight[at] += weights[name]
        of_page = np.full((len(keys), n_queries), -1.0, np.float32)
        of_page[at] = view.page
        of_page = np.repeat(np.maximum.reduceat(of_page, firsts, axis=0), counts, axis=0)
        known = of_page[:, :1] > -1.0
        page += weights[name] * np.where(known, of_page, 0.0)
        page_weight += weights[name] * known
    own = np.where(own_weight > 0, own / np.maximum(own_weight, 1e-9), np.inf)
    worst = np.repeat(np.minimum.reduceat(own, firsts, axis=0), counts, axis=0)
    own = np.where(np.isfinite(own), own, np.where(np.isfinite(worst), worst, -1.0))
    whole = page / np.maximum(page_weight, 1e-9)
    return (element_weight * own + (1 - element_weight) * whole).astype(np.float32)


def _lexical(
    catalogue: Catalogue, texts: Sequence[Sequence[tuple[int, float]]], keys: NDArray[np.int64]
) -> NDArray[np.float32]:
    """Full-text scores (e, Q) of elements, the best of a query being 1."""
    found = np.zeros((len(keys), len(texts)), np.float32)
    for n, rows in enumerate(texts):
        if not rows:
            continue
        hit = catalogue.keys_of_rows([row for row, _ in rows])
        at = np.minimum(np.searchsorted(keys, hit), len(keys) - 1)
        there = keys[at] == hit
        found[at[there], n] = np.array([score for _, score in rows], np.float32)[there] / rows[0][1]
    return found
