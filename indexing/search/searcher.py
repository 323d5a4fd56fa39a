"""A question -> the elements and pages that match best: the parts of their scores are weighed against one another.

An element's score is the sum of the scores of its text and its page's pixels (their weighted mean in mode multi, on one
scale; a universal embedder has both in one space, and is asked once), of its full-text match, and of bonuses for its
page when the question says where to look. Several queries are scored together: the first counts as much as the best of
the others. A page's score is that of its best element.

See `indexing.search.candidates` for the stages of search, `indexing.search.searcher` for what makes an element's score.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexing.embed import QueryVectors, TextEmbedder, VisualEmbedder, VisualKind, context, passage
from indexing.errors import CollectionDamaged
from indexing.hints import Hints
from indexing.search.candidates import CandidateQuery, Candidates, CandidateSearch, TextHits
from indexing.search.index_arrays import ORDINALS
from indexing.search.page_vectors import ScoredElements
from indexing.settings import Mode, SearchSettings
from indexing.store import Store
from indexing.types import Element, Found, Hit, PageHit, View
from indexing.vectors import token_scores

LEAST_PAGES = 20
"""The number of pages that are returned even if `limit` is smaller."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """The elements (`keys` (e,)) with their scores (e,), and with their scores by each query (e, Q)."""

    keys: NDArray[np.int64]
    scores: NDArray[np.float32]
    by_query: NDArray[np.float32]

    def best(self, limit: int) -> NDArray[np.int64]:
        """Return the indices of the best elements, best first, without the entries of complete pages."""
        order = np.argsort(-self.scores, kind="stable")
        return order[self.keys[order] % ORDINALS > 0][:limit]

    def queries_of_best(self, at: int, limit: int) -> tuple[int, ...]:
        """Return the queries, from 0, with the element at index `at` among their `limit` best, else the nearest."""
        better = (self.by_query > self.by_query[at]).sum(axis=0)
        return tuple(np.flatnonzero(better < limit).tolist()) or (int(np.argmin(better)),)

    def pages(self, candidates: Candidates, limit: int) -> tuple[PageHit, ...]:
        """Return the best pages, each with the score of its best element, best first."""
        order = np.argsort(-self.scores, kind="stable")
        pages, firsts = np.unique(self.keys[order] // ORDINALS, return_index=True)
        top = np.argsort(firsts)[: max(limit, LEAST_PAGES)]
        return tuple(
            PageHit(
                candidates.doc_ids[candidates.doc[page]],
                int(candidates.number[page]),
                float(self.scores[order[at]]),
            )
            for page, at in zip(pages[top].tolist(), firsts[top].tolist(), strict=True)
        )


def rank_candidates(
    candidates: Candidates, settings: SearchSettings, mode: Mode, visual_kind: VisualKind | None, queries: int
) -> Ranking:
    """Return all elements of the candidates with their scores; `queries` is the number of forms of the question."""
    s, keys, view_scores = settings, candidates.keys, candidates.view_scores
    if not len(keys):
        return Ranking(keys, np.zeros(0, np.float32), np.zeros((0, queries), np.float32))
    page_of = keys // ORDINALS
    firsts = np.flatnonzero(np.diff(page_of, prepend=-1))
    counts = np.diff(np.append(firsts, len(keys)))
    pixels = s.read_weight if visual_kind == "words" else s.visual_weight
    weights: dict[View, float] = {"text": 1 - pixels, "visual": pixels}
    if len(view_scores) == 1:
        weights = dict.fromkeys(view_scores, 1.0)
    elif visual_kind == "patches":
        view_scores = on_one_scale(view_scores)
    if visual_kind == "space" and mode == "image":
        view_scores = {"visual": pixel_scores(view_scores["visual"], candidates.drawn)}
    by_query = combine_views(view_scores, weights, keys, firsts, counts, s.element_weight)
    if candidates.text_hits:
        words = lexical(candidates.text_hits, keys)
        page_best = np.repeat(np.maximum.reduceat(words, firsts, axis=0), counts, axis=0)
        by_query += s.full_text_weight * (s.element_weight * words + (1 - s.element_weight) * page_best)
    scores = by_query[:, 0]
    if by_query.shape[1] > 1:
        scores = (1 - s.variant_weight) * scores + s.variant_weight * by_query[:, 1:].max(axis=1)
    doc = candidates.doc[page_of]
    if len(candidates.doc_ids) > 1:
        best = np.full(len(candidates.doc_ids), -1.0, np.float32)
        np.maximum.at(best, doc, scores)
        scores = scores + s.document_weight * (best[doc] - best.max())  # nothing for those of the best document
    return Ranking(keys, (scores + candidates.bonus[page_of]).astype(np.float32), by_query)


def mean_query(first: QueryVectors, second: QueryVectors) -> QueryVectors:
    """Return the query (1, d) whose vector is the mean of two queries of one vector each, of unit length.

    MAVIS (Song et al. 2025, Table 3) averages the text-seeking and the image-seeking query so, for one search.
    """
    mean = (first.vectors + second.vectors) / 2
    return replace(first, vectors=mean / np.maximum(np.linalg.norm(mean, axis=1, keepdims=True), 1e-9))


def combine_views(
    view_scores: Mapping[View, ScoredElements],
    weights: Mapping[View, float],
    keys: NDArray[np.int64],
    firsts: NDArray[np.int64],
    counts: NDArray[np.int64],
    element_weight: float,
) -> NDArray[np.float32]:
    """Return MaxSim (e, Q) of all elements: the weighted mean of the views that contain each, and its page's best.

    A page has the score of its best view, as a page of text can be in a view because of a picture alone. An element
    that is in no view has the score of the worst element of its page.
    """
    n_queries = next(iter(view_scores.values())).own.shape[1]
    own, own_weight = np.zeros((len(keys), n_queries), np.float32), np.zeros((len(keys), 1), np.float32)
    page_scores = np.full((len(keys), n_queries), -1.0, np.float32)
    for name, view in view_scores.items():
        at = np.searchsorted(keys, view.keys)
        own[at] += weights[name] * view.own
        own_weight[at] += weights[name]
        of_page = np.full((len(keys), n_queries), -1.0, np.float32)
        of_page[at] = view.page
        page_scores = np.maximum(page_scores, np.repeat(np.maximum.reduceat(of_page, firsts, axis=0), counts, axis=0))
    own = np.where(own_weight > 0, own / np.maximum(own_weight, 1e-9), np.inf)
    worst = np.repeat(np.minimum.reduceat(own, firsts, axis=0), counts, axis=0)
    own = np.where(np.isfinite(own), own, np.where(np.isfinite(worst), worst, -1.0))
    return (element_weight * own + (1 - element_weight) * page_scores).astype(np.float32)


def lexical(text_hits: Sequence[TextHits], keys: NDArray[np.int64]) -> NDArray[np.float32]:
    """Return full-text scores (e, Q) of elements, scaled so that the best of each query is 1."""
    scores = np.zeros((len(keys), len(text_hits)), np.float32)
    for n, hits in enumerate(text_hits):
        if len(hits.keys):
            scores[np.searchsorted(keys, hits.keys), n] = hits.scores / hits.best
    return scores


def on_one_scale(view_scores: Mapping[View, ScoredElements]) -> dict[View, ScoredElements]:
    """Rescale the scores for pixels to those for text, where their vectors come from different models.

    Afterwards the pages that are in both views have the same mean and standard deviation in both.
    """
    text, pixels = view_scores["text"], view_scores["visual"]
    pages = [np.unique(view.keys // ORDINALS, return_index=True) for view in (text, pixels)]
    common, a, b = np.intersect1d(pages[0][0], pages[1][0], return_indices=True)
    if not len(common):
        return dict(view_scores)
    text_scores, image_scores = text.page[pages[0][1][a]], pixels.page[pages[1][1][b]]
    stretch = text_scores.std(axis=0) / np.maximum(image_scores.std(axis=0), 1e-6)
    stretch = np.where(image_scores.std(axis=0) > 1e-6, stretch, 1.0)
    shift = text_scores.mean(axis=0) - stretch * image_scores.mean(axis=0)
    own, page = (np.asarray(v * stretch + shift, np.float32) for v in (pixels.own, pixels.page))
    return {"text": text, "visual": ScoredElements(pixels.keys, own, page)}


def pixel_scores(view: ScoredElements, is_drawn: NDArray[np.bool_]) -> ScoredElements:
    """Return the scores of pages, pictures and tables (`is_drawn`) in a universal embedder's view, but not of texts."""
    rows = np.flatnonzero((view.keys % ORDINALS == 0) | is_drawn)
    keys, own = view.keys[rows], view.own[rows]
    if not len(keys):
        return ScoredElements(keys, own, own)
    firsts = np.flatnonzero(np.diff(keys // ORDINALS, prepend=-1))
    best = np.maximum.reduceat(own, firsts, axis=0)
    return ScoredElements(keys, own, np.repeat(best, np.diff(np.append(firsts, len(keys))), axis=0))


def by_view(
    view_scores: Mapping[View, ScoredElements], key: int, element_weight: float
) -> tuple[tuple[str, float], ...]:
    """Return the weighted MaxSim of an element and its page with the first query, for each view that contains it."""
    entries = []
    for view, own in view_scores.items():
        for at in np.flatnonzero(own.keys == key).tolist():
            score = element_weight * own.own[at, 0] + (1 - element_weight) * own.page[at, 0]
            entries.append((view, float(score)))
    return tuple(entries)


MOST_HEADINGS, SPARE = 3, 10
"""The most headings among the results, and the elements that are read to replace further headings."""


class Searcher:
    """The search of one collection, which follows its changes. Safe to use from several threads."""

    def __init__(
        self,
        store: Store,
        text: TextEmbedder,
        visual: Callable[[], VisualEmbedder | None] | None = None,
    ) -> None:
        """Keep the arguments; nothing is read before the first search.

        Without `visual`, which is not called before pixels are searched, there is mode text only.
        """
        self._candidates = CandidateSearch(store, text, visual)
        self._text = text
        self._visual = visual

    def warm(self) -> None:
        """Load the arrays that searching needs."""
        self._candidates.warm()

    def elements_on(self, pages: Sequence[tuple[str, int]]) -> list[tuple[Element, ...]]:
        """Return for each page (document, number) its elements in reading order, groups last."""
        return self._candidates.elements_on(pages)

    def unseen_pages(self, doc_ids: Sequence[str]) -> tuple[int, int]:
        """Count the pages with text but without visual vector, and all with text; in all documents if none is given."""
        return self._candidates.unseen_pages(doc_ids)

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
        search_settings = settings or SearchSettings()
        first = self._text.embed_query(texts[0])
        if not len(first.tokens):
            return Found((), first.tokens, first.weights)
        visual = self._visual() if self._visual and mode != "text" else None
        kind = visual.visual_kind if visual else None
        vectors = self._embed_queries(texts, list(image_queries or ()), mode, visual, search_settings)
        text_queries = texts if mode != "image" else []
        form = _SearchForm(mode, kind, len(texts), limit, search_settings)
        query = CandidateQuery(vectors, text_queries, hints or Hints(), doc_ids, search_settings)
        with suppress(CollectionDamaged):
            return self._search_once(query, form, first)
        return self._search_once(query, form, first)  # the collection changed during the search

    def _embed_queries(
        self,
        texts: list[str],
        image_queries: list[str],
        mode: Mode,
        visual: VisualEmbedder | None,
        settings: SearchSettings,
    ) -> dict[View, list[QueryVectors]]:
        """Return the vectors of the queries by view."""
        if visual is not None and visual.visual_kind == "space" and mode == "multi":  # its texts are among the pixels
            if not image_queries or settings.space_query == "text":
                return {"visual": [visual.embed_query(text) for text in texts]}
            seeking_text = (visual.embed_query(text, "text") for text in texts)
            seeking_images = (visual.embed_query(image, "image") for image in image_queries)
            return {"visual": list(map(mean_query, seeking_text, seeking_images))}
        vectors_by_view: dict[View, list[QueryVectors]] = {}
        if mode != "image":
            vectors_by_view["text"] = [self._text.embed_query(text) for text in texts]
        if visual is not None:
            vectors_by_view["visual"] = [visual.embed_query(image, "image") for image in image_queries or texts]
        return vectors_by_view

    def _search_once(self, query: CandidateQuery, form: _SearchForm, first: QueryVectors) -> Found:
        """Return the results. Raises CollectionDamaged if the collection changed meanwhile."""
        candidates = self._candidates.candidates(query)
        if candidates is None:
            return Found((), first.tokens, first.weights)
        ranking = rank_candidates(candidates, form.settings, form.mode, form.visual_kind, form.queries)
        best = ranking.best(form.limit + SPARE).tolist()
        keys = [int(ranking.keys[at]) for at in best]
        element_keys = [int(candidates.positions[key // ORDINALS]) * ORDINALS + key % ORDINALS for key in keys]
        elements = dict(zip(best, self._candidates.elements(candidates.state, element_keys), strict=True))
        hits = tuple(
            self._hit(candidates, ranking, at, form, first, *elements[at])
            for at in _with_few_headings(best, lambda at: elements[at][0])[: form.limit]
        )
        pages = ranking.pages(candidates, form.limit) if len(ranking.keys) else ()
        return Found(hits, first.tokens, first.weights, pages)

    def _hit(
        self,
        candidates: Candidates,
        ranking: Ranking,
        at: int,
        form: _SearchForm,
        query: QueryVectors,
        element: Element,
        vectors: NDArray[Any],
    ) -> Hit:
        """Return the hit at index `at` of the ranking, with the similarities of its text to the first query.

        It also lists the queries that have it among their best.
        """
        offsets = self._text.offsets(passage(element)) - len(context(element))
        if not len(vectors):
            offsets = offsets[:0]
        if len(offsets) != len(vectors):
            raise CollectionDamaged(
                f"{element.doc_id}: it was indexed by another version of Vouch: index the file again"
            )
        views = by_view(candidates.view_scores, int(ranking.keys[at]), form.settings.element_weight)
        similarities = token_scores(query.vectors, vectors)
        found_by = ranking.queries_of_best(at, form.limit)
        return Hit(element, float(ranking.scores[at]), similarities, offsets, found_by, by_view=views)


def _with_few_headings(best: Sequence[int], element_of: Callable[[int], Element]) -> list[int]:
    """Return the indices `best` with all but the first few headings last, and without repeated headings.

    The elements below a heading match its words too (`indexing.embed.context`), and contain more.
    """
    front: list[int] = []
    last: list[int] = []
    names: set[tuple[str, str]] = set()
    for at in best:
        element = element_of(at)
        name = element.doc_id, element.text.casefold()
        if element.kind != "heading":
            front.append(at)
        elif name not in names:
            (front if len(names) < MOST_HEADINGS else last).append(at)
            names.add(name)
    return front + last


@dataclass(frozen=True, slots=True)
class _SearchForm:
    """The parameters of one search that ranking needs: `queries` is the number of forms of the question."""

    mode: Mode
    visual_kind: VisualKind | None
    queries: int
    limit: int
    settings: SearchSettings
