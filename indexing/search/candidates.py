"""The candidates of a question: the pages and elements that are scored exactly, with the parts of their scores.

These are scores of MaxSim and of full text, and bonuses, but nothing yet that is relative to other documents
(`indexing.search.searcher` weighs these). Then the elements that came out best are read.

There are three stages. First, pages are scored by MaxSim over the centroids nearest to their vectors (their codes: the
first stage of PLAID, Santhanam et al. 2022), as inverted lists tell of the codes near to the question. The best of them
are scored by the means of their tokens, as nearly as residuals tell. The best of those, pages with a good full-text
hit, and pages that the question names are candidates: their vectors are read, or found in memory, and every element is
scored exactly. For embedders without a codebook a page's sketch replaces the first two. Collections of at most
`ALL_PAGES` pages skip both.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from indexing.embed import Embedder, QueryVectors, TextEmbedder, VisualEmbedder
from indexing.errors import CollectionDamaged
from indexing.hints import Hints
from indexing.search.index_arrays import ORDINALS
from indexing.search.memory_index import MemoryIndex, read_memory_index
from indexing.search.page_vectors import ScoredElements
from indexing.settings import SearchSettings
from indexing.store import Snapshot, Store
from indexing.types import Element, View

_T = TypeVar("_T")
ALL_PAGES = 64
TEXT_HITS = 200
"""The number of elements that full text finds for each query."""
NAMED_PAGES = 64
"""The most pages that become candidates because the question names them."""
_KEPT_STATES = 2
"""The states of a store that are held: the elements of a question are read from the one that scored them."""


@dataclass(frozen=True, slots=True)
class CandidateQuery:
    """A question for which candidates are searched.

    `vectors` are the vectors of its queries by view, `text_queries` those that full text searches for.
    """

    vectors: dict[View, list[QueryVectors]]
    text_queries: Sequence[str]
    hints: Hints
    doc_ids: Sequence[str]
    settings: SearchSettings


class TextHits(NamedTuple):
    """The full-text scores (n,) of some elements, `keys` (n,), for one query, and the `best` score of all elements."""

    keys: NDArray[np.int64]
    scores: NDArray[np.float32]
    best: float


@dataclass(frozen=True, slots=True)
class Candidates:
    """The candidates of a question in one `state` of the store.

    Of the pages, in order: `positions` (p,) in the store, `doc` (p,) in `doc_ids`, `number` from 1, `bonus` for the
    places that the question names. An element's key is its page's place in these arrays x ORDINALS + its ordinal + 1:
    `keys` (e,), sorted, are all that are scored, and `drawn` is True (v,) for pictures and tables among the elements
    that the view of pixels scored.
    """

    state: int
    doc_ids: tuple[str, ...]
    positions: NDArray[np.int64]
    doc: NDArray[np.int32]
    number: NDArray[np.int32]
    bonus: NDArray[np.float32]
    keys: NDArray[np.int64]
    view_scores: dict[View, ScoredElements]
    drawn: NDArray[np.bool_]
    text_hits: tuple[TextHits, ...]


class CandidateSearch:
    """The search for candidates in a store, whose changes it follows. Safe to use from several threads."""

    def __init__(
        self,
        store: Store,
        text: TextEmbedder,
        visual: Callable[[], VisualEmbedder | None] | None = None,
    ) -> None:
        """Keep the arguments; nothing is read before the first search. `visual` is called if pixels are searched."""
        self._store = store
        self._text = text
        self._visual = visual
        self._states: dict[int, tuple[Snapshot, MemoryIndex]] = {}
        self._lock = threading.Lock()

    def warm(self) -> None:
        """Load the arrays that searching needs."""
        self._current()

    def candidates(self, query: CandidateQuery) -> Candidates | None:
        """Return the candidates for a question; None if its documents have no pages."""
        visual = self._visual() if self._visual and "visual" in query.vectors else None
        available: dict[View, Embedder | None] = {"text": self._text, "visual": visual}
        embedders = {view: e for view in query.vectors if (e := available[view]) is not None}
        request = _Request(query, embedders)
        return self._of_newest(request.answer)

    def elements(self, state: int, keys: Sequence[int]) -> list[tuple[Element, NDArray[Any]]]:
        """Return the elements of a state by position of page x ORDINALS + ordinal + 1, each with its text's vectors.

        The vectors are (n, d), component x 127. Raises CollectionDamaged if the state is no longer in memory.
        """
        entry = self._states.get(state)
        if entry is None:
            raise CollectionDamaged(
                f"{self._store.path}: the collection changed twice while the question was being answered: ask again"
            )
        snapshot, index = entry
        try:
            elements = snapshot.elements([index.row(key) for key in keys])
            return [(element, index.views["text"].vectors_of(key)) for element, key in zip(elements, keys, strict=True)]
        except CollectionDamaged:  # as in _of_newest, but the caller has to start again
            self._current(rebuild=True)
            raise

    def elements_on(self, pages: Sequence[tuple[str, int]]) -> list[tuple[Element, ...]]:
        """Return for each page (document, number) its elements in reading order, groups last; none if it is unknown."""

        def read(_: int, snapshot: Snapshot, index: MemoryIndex) -> list[tuple[Element, ...]]:
            rows = [index.rows_on(*page) for page in pages]
            elements = iter(snapshot.elements([row for own in rows for row in own]))
            return [tuple(islice(elements, len(own))) for own in rows]

        return self._of_newest(read)

    def unseen_pages(self, doc_ids: Sequence[str]) -> tuple[int, int]:
        """Count the pages with text but without visual vector, and all with text; in all documents if none is given."""
        _, snapshot, index = self._current()
        return index.count_without_vectors(
            doc_ids, [document.id for document in snapshot.documents() if document.is_image]
        )

    def _of_newest(self, read: Callable[[int, Snapshot, MemoryIndex], _T]) -> _T:
        """Return `read` of the newest state, repeated once if a writer meanwhile deleted the version in use."""
        try:
            return read(*self._current())
        except CollectionDamaged:
            return read(*self._current(rebuild=True))

    def _current(self, *, rebuild: bool = False) -> tuple[int, Snapshot, MemoryIndex]:
        """Return version, snapshot and index of the newest state; `rebuild` reads it again, after an error in it."""
        with self._lock:
            version = self._store.version()
            if rebuild or version not in self._states:
                snapshot = self._store.snapshot()
                self._states.pop(version, None)
                self._states[version] = snapshot, read_memory_index(snapshot, rebuild=rebuild)
                while len(self._states) > _KEPT_STATES:
                    del self._states[next(iter(self._states))]
            return version, *self._states[version]


def growth(pages: int) -> tuple[float, float]:
    """Return the factors by which candidates by codes, and exact ones, grow with the number of pages.

    They are 1 for a small collection, 8 and 3 in 100,000 pages, 25 and 6 in a million: the exact ones, which are read
    from the disk, grow more slowly.
    """
    ratio = max(1.0, pages / 10_000)
    up_to_ten, above_ten = min(ratio, 10.0), max(1.0, ratio / 10)
    return float(up_to_ten**0.9 * above_ten**0.5), float(up_to_ten**0.5 * above_ten**0.28)


def _best(scores: NDArray[np.float32], count: float) -> NDArray[np.int64]:
    """Return the indices of the `count` highest scores, in no order."""
    most = min(round(count), len(scores))
    return np.argpartition(-scores, most - 1)[:most]


@dataclass(frozen=True, slots=True)
class _Request:
    """One question: `embedders` are those of its views."""

    query: CandidateQuery
    embedders: dict[View, Embedder]

    def answer(self, state: int, snapshot: Snapshot, index: MemoryIndex) -> Candidates | None:
        """Return the candidates in one state of the store; None if the documents of the question have no pages."""
        query = self.query
        mask = index.page_mask(query.doc_ids)
        if not mask.any():
            return None
        texts = [snapshot.full_text(words, TEXT_HITS, query.doc_ids) for words in query.text_queries]
        strengths = index.hint_strengths(query.hints)
        pages = self._candidates(index, texts, mask, strengths)
        view_scores = {view: index.views[view].element_scores(pages, forms) for view, forms in query.vectors.items()}
        keys = np.unique(np.concatenate([view.keys for view in view_scores.values()]))
        positions = np.unique(keys // ORDINALS)
        documents, doc = np.unique(index.doc[positions], return_inverse=True)
        return Candidates(
            state=state,
            doc_ids=tuple(index.doc_ids[n] for n in documents.tolist()),
            positions=positions,
            doc=doc.astype(np.int32),
            number=index.number[positions],
            bonus=_bonus(index, query, strengths)[positions],
            keys=_renumber(keys, positions),
            view_scores={
                view: ScoredElements(_renumber(s.keys, positions), s.own, s.page) for view, s in view_scores.items()
            },
            drawn=_picture_mask(index, view_scores["visual"].keys)
            if "visual" in view_scores
            else np.zeros(0, np.bool_),
            text_hits=tuple(_hits(index, hits, keys, positions) for hits in texts),
        )

    def _candidates(
        self,
        index: MemoryIndex,
        texts: Sequence[Sequence[tuple[int, float]]],
        mask: NDArray[np.bool_],
        strengths: tuple[NDArray[np.float32], NDArray[np.float32]],
    ) -> list[int]:
        """Return the positions of the pages that are scored exactly."""
        if mask.sum() <= ALL_PAGES:
            return np.flatnonzero(mask).tolist()
        candidates: dict[int, None] = {}
        settings, positions = self.query.settings, np.flatnonzero(mask)
        more_coded, more_exact = growth(mask.size)
        for view, queries in self.query.vectors.items():
            vectors, book = index.views[view], self.embedders[view].codebook()
            if book is not None and not book[0].any():  # fitted to the collection
                if len(book) == 1:  # not yet: there are few pages
                    return positions.tolist()
                uncoded_pages = vectors.uncoded_pages()
                candidates.update(dict.fromkeys(uncoded_pages[mask[uncoded_pages]].tolist()))
            scores = vectors.code_scores(queries, book)[positions]
            if book is None or not vectors.has_residuals:
                best = positions[_best(scores, settings.sketch_candidates * more_exact)]
            else:
                nearest = positions[_best(scores, settings.code_candidates * more_coded)]
                means = vectors.mean_scores(nearest, queries, book)
                best = nearest[_best(means, settings.exact_candidates * more_exact)]
            candidates.update(dict.fromkeys(best.tolist()))
        for hits in texts:
            pages = dict.fromkeys((index.keys_of_rows([row for row, _ in hits]) // ORDINALS).tolist())
            fitting = [page for page in pages if page >= 0 and mask[page]]
            candidates.update(dict.fromkeys(fitting[: settings.text_candidates]))
        hint_pages = np.flatnonzero(((strengths[0] > 0) | (strengths[1] > 0)) & mask)
        if len(hint_pages) <= NAMED_PAGES:
            candidates.update(dict.fromkeys(hint_pages.tolist()))
        return list(candidates)


def _renumber(keys: NDArray[np.int64], positions: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return keys with each page's position replaced by its index in `positions`, which is sorted."""
    return np.searchsorted(positions, keys // ORDINALS) * ORDINALS + keys % ORDINALS


def _hits(
    index: MemoryIndex, hits: Sequence[tuple[int, float]], keys: NDArray[np.int64], positions: NDArray[np.int64]
) -> TextHits:
    """Return those of the full-text `hits` (row, score) whose elements are among `keys`, with renumbered keys."""
    if not hits:
        return TextHits(np.zeros(0, np.int64), np.zeros(0, np.float32), 0.0)
    keys_found = index.keys_of_rows([row for row, _ in hits])
    is_scored = np.isin(keys_found, keys)
    scores = np.array([score for _, score in hits], np.float32)
    return TextHits(_renumber(keys_found[is_scored], positions), scores[is_scored], hits[0][1])


def _picture_mask(index: MemoryIndex, keys: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return a mask (n,) of the elements `keys`: True for pictures and tables."""
    if not len(index.keys):
        return np.zeros(len(keys), np.bool_)
    at = np.minimum(np.searchsorted(index.keys, keys), len(index.keys) - 1)
    return np.asarray(index.drawn[at] & (index.keys[at] == keys), np.bool_)


def _bonus(
    index: MemoryIndex, query: CandidateQuery, strengths: tuple[NDArray[np.float32], NDArray[np.float32]]
) -> NDArray[np.float32]:
    """Return the bonus of each page (p,) for the places that the question names."""
    settings, hints = query.settings, query.hints
    bonus = settings.page_bonus * strengths[0] + settings.name_bonus * strengths[1]
    if hints.pictures:
        bonus += settings.kind_bonus * index.pictures
    if hints.tables:
        bonus += settings.kind_bonus * index.tables
    if hints.front:
        bonus += settings.front_bonus * (index.number == 1)
    return bonus.astype(np.float32)
