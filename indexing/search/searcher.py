"""A question -> the elements and pages that match best.

See `indexing.search.candidates` for the stages of search, `indexing.search.ranking` for what makes an element's score.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from indexing.embed import QueryVectors, TextEmbedder, VisualEmbedder, VisualKind, context, passage
from indexing.errors import CollectionDamaged
from indexing.hints import Hints
from indexing.search.candidates import CandidateQuery, Candidates, CandidateSearch
from indexing.search.index_arrays import ORDINALS
from indexing.search.ranking import Ranking, by_view, mean_query, rank_candidates
from indexing.settings import Mode, SearchSettings
from indexing.store import Store
from indexing.types import Element, Found, Hit, View
from indexing.vectors import token_scores

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
