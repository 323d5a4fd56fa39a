"""A question -> the elements and pages that match best: each shard's candidates, ranked together.

See `indexing.search.shard` for the stages of search, `indexing.search.ranking` for what makes an element's score.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar

from numpy.typing import NDArray

from indexing.embed import QueryVectors, TextEmbedder, VisualEmbedder, VisualKind, context, passage
from indexing.errors import CollectionDamaged, IndexingError
from indexing.hints import Hints
from indexing.search.fusion import by_view, mean_query
from indexing.search.index_arrays import ORDINALS
from indexing.search.ranking import Ranking, merged, ranked
from indexing.search.shard import Candidates, Shard, ShardQuery
from indexing.settings import Mode, SearchSettings
from indexing.types import Element, Found, Hit, View
from indexing.vectors import token_scores

MOST_HEADINGS, SPARE = 3, 10
"""The most headings among the results, and the elements that are read to take the places of further ones."""
_T = TypeVar("_T")


class Searcher:
    """The search of one collection, which follows its changes. Safe to use from several threads."""

    def __init__(
        self,
        shards: Sequence[Shard],
        text: TextEmbedder,
        visual: Callable[[], VisualEmbedder | None] | None = None,
    ) -> None:
        """Keep the parts; nothing is read before the first search.

        Without `visual`, which is not called before pixels are searched, there is mode text only.
        """
        self._shards = tuple(shards)
        self._text = text
        self._visual = visual
        self._threads = ThreadPoolExecutor(len(self._shards), "shard") if len(self._shards) > 1 else None

    def warm(self) -> None:
        """Read the structures that searching holds in memory."""
        self._ask(lambda shard: shard.warm())

    def elements_on(self, pages: Sequence[tuple[str, int]]) -> list[tuple[Element, ...]]:
        """Return for each page (document, number) its elements in reading order, groups last."""
        found, _ = self._ask(lambda shard: shard.elements_on(pages))
        return [next((own for own in each if own), ()) for each in zip(*found.values(), strict=True)]

    def unseen_pages(self, doc_ids: Sequence[str]) -> tuple[int, int]:
        """Count the pages with text that have no visual vector, and all that have text; all documents if none named."""
        found, _ = self._ask(lambda shard: shard.unseen_pages(doc_ids))
        return sum(unseen for unseen, _ in found.values()), sum(pages for _, pages in found.values())

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
        universal embedder is asked with the queries or, by `space_query`, with the mean of both. A shard that does not
        answer is told in `missing`; if none does, its error is raised.
        """
        texts = [queries] if isinstance(queries, str) else list(queries)
        chosen = settings or SearchSettings()
        first = self._text.embed_query(texts[0])
        if not len(first.tokens):
            return Found((), first.tokens, first.weights)
        visual = self._visual() if self._visual and mode != "text" else None
        kind = visual.visual_kind if visual else None
        embedded = self._embedded(texts, list(image_queries or ()), mode, visual, chosen)
        worded = texts if mode != "image" else []
        asked = _Asked(mode, kind, len(texts), limit, chosen)
        query = ShardQuery(embedded, worded, hints or Hints(), doc_ids, chosen, len(self._shards))
        with suppress(CollectionDamaged):
            found, lost = self._found(query, asked, first)
            if not lost:
                return found
        return self._found(query, asked, first)[0]  # it was changed while it was asked: once more

    def _embedded(
        self, texts: list[str], pictured: list[str], mode: Mode, visual: VisualEmbedder | None, settings: SearchSettings
    ) -> dict[View, list[QueryVectors]]:
        """Return the vectors of the queries by view."""
        if visual is not None and visual.visual_kind == "space" and mode == "multi":  # its texts are among the pixels
            if not pictured or settings.space_query == "text":
                return {"visual": [visual.embed_query(text) for text in texts]}
            seeking_text = (visual.embed_query(text, "text") for text in texts)
            seeking_images = (visual.embed_query(image, "image") for image in pictured)
            return {"visual": list(map(mean_query, seeking_text, seeking_images))}
        embedded: dict[View, list[QueryVectors]] = {}
        if mode != "image":
            embedded["text"] = [self._text.embed_query(text) for text in texts]
        if visual is not None:
            embedded["visual"] = [visual.embed_query(image, "image") for image in pictured or texts]
        return embedded

    def _found(self, query: ShardQuery, asked: _Asked, first: QueryVectors) -> tuple[Found, bool]:
        """Return what the shards have; True beside it where one gave scores, and then no elements."""
        told, missing = self._ask(lambda shard: shard.candidates(query))
        there = {shard: found for shard, found in told.items() if found is not None}
        if not there:
            return Found((), first.tokens, first.weights, missing=missing), False
        candidates = merged(list(there.values()))
        ranking = ranked(candidates, asked.settings, asked.mode, asked.visual_kind, asked.queries)
        best = ranking.best(asked.limit + SPARE).tolist()
        read, lost = self._read(list(there), candidates, [int(ranking.keys[at]) for at in best])
        best = _with_few_headings(
            [at for at in best if int(ranking.keys[at]) in read], lambda at: read[int(ranking.keys[at])][0]
        )
        hits = tuple(
            self._hit(candidates, ranking, at, asked, first, *read[int(ranking.keys[at])]) for at in best[: asked.limit]
        )
        pages = ranking.pages(candidates, asked.limit) if len(ranking.keys) else ()
        return Found(hits, first.tokens, first.weights, pages, (*missing, *lost)), bool(lost)

    def _read(
        self, shards: Sequence[Shard], candidates: Candidates, keys: Sequence[int]
    ) -> tuple[dict[int, tuple[Element, NDArray[Any]]], tuple[str, ...]]:
        """Return elements with their vectors, by key, and what shards could not give theirs."""
        wanted: dict[Shard, list[int]] = {}
        for key in keys:
            wanted.setdefault(shards[candidates.shard[key // ORDINALS]], []).append(key)
        state = dict(zip(shards, candidates.states, strict=True))

        def read(shard: Shard) -> list[tuple[Element, NDArray[Any]]]:
            own = wanted[shard]
            places = [int(candidates.positions[key // ORDINALS]) * ORDINALS + key % ORDINALS for key in own]
            return shard.elements(state[shard], places)

        found, lost = self._ask(read, list(wanted))
        pairs = ((key, one) for shard, own in found.items() for key, one in zip(wanted[shard], own, strict=True))
        return dict(pairs), lost

    def _hit(
        self,
        candidates: Candidates,
        ranking: Ranking,
        at: int,
        asked: _Asked,
        query: QueryVectors,
        element: Element,
        vectors: NDArray[Any],
    ) -> Hit:
        """Return the hit of rank entry `at`, with the similarities of its text to the first query.

        It also lists the queries that have it among their own best.
        """
        offsets = self._text.offsets(passage(element)) - len(context(element))
        if not len(vectors):
            offsets = offsets[:0]
        if len(offsets) != len(vectors):
            raise CollectionDamaged(
                f"{element.doc_id}: it was indexed by another version of Vouch: index the file again"
            )
        views = by_view(candidates.scored, int(ranking.keys[at]), asked.settings.element_weight)
        similarities = token_scores(query.vectors, vectors)
        found_by = ranking.found_by(at, asked.limit)
        return Hit(element, float(ranking.scores[at]), similarities, offsets, found_by, by_view=views)

    def _ask(
        self, ask: Callable[[Shard], _T], shards: Sequence[Shard] | None = None
    ) -> tuple[dict[Shard, _T], tuple[str, ...]]:
        """Ask shards, all at once; return what each says, and of each that failed its name with the reason.

        Raises the error of the first where none answers, and CollectionDamaged where the only one raises it.
        """
        asked = self._shards if shards is None else tuple(shards)
        if self._threads is None:
            return {shard: ask(shard) for shard in asked}, ()
        running = [(shard, self._threads.submit(ask, shard)) for shard in asked]
        found: dict[Shard, _T] = {}
        failed: list[tuple[str, IndexingError]] = []
        for shard, future in running:
            try:
                found[shard] = future.result()
            except IndexingError as error:
                failed.append((shard.name, error))
        if failed and not found:
            raise failed[0][1]
        return found, tuple(f"{name} ({error})" for name, error in failed)


def _with_few_headings(best: Sequence[int], element_of: Callable[[int], Element]) -> list[int]:
    """Return the places, best first, with headings beyond the first few last, and none that says what one before says.

    What stands below a heading is found by its words too (`indexing.embed.context`), and says more.
    """
    kept: list[int] = []
    last: list[int] = []
    names: set[tuple[str, str]] = set()
    for at in best:
        element = element_of(at)
        name = element.doc_id, element.text.casefold()
        if element.kind != "heading":
            kept.append(at)
        elif name not in names:
            (kept if len(names) < MOST_HEADINGS else last).append(at)
            names.add(name)
    return kept + last


@dataclass(frozen=True, slots=True)
class _Asked:
    """The form of one search, as ranking needs it: `queries` is the number of forms of the question."""

    mode: Mode
    visual_kind: VisualKind | None
    queries: int
    limit: int
    settings: SearchSettings
