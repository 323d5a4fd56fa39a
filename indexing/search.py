"""A question -> the elements that match best: candidate pages by means and full text, then exact MaxSim.

Two stages. First, pages are ranked by MaxSim over their elements' mean vectors (a few vectors a page, held in memory)
and by the best full-text hit on them; the best of both lists are candidates. Then the candidates' token vectors are
read and every element is scored exactly. Collections of at most `ALL_PAGES` pages skip the first stage.

An element's score is `ELEMENT_WEIGHT` of its own MaxSim and the rest its page's.
"""

from __future__ import annotations

import heapq
import threading
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from indexing.embed.minilm import MiniLM, QueryVectors
from indexing.errors import CollectionDamaged
from indexing.maxsim import segment_max, token_scores
from indexing.passages import context, passage
from indexing.store import Snapshot, Store
from indexing.types import Element, Found, Hit

ALL_PAGES = 64
MEAN_CANDIDATES = 100
TEXT_CANDIDATES = 40
TEXT_HITS = 200
ELEMENT_WEIGHT = 0.6


@dataclass(frozen=True, slots=True)
class _Keys:
    """What is held in memory of a collection: rows of its pages, and means of their elements, page after page.

    `page_rows` (p,) LanceDB row ids, `page_docs` (p,) document ids; `means` (e, d) float32 of the searched elements,
    `starts` (p + 1,) where each page's begin; `row_of` maps an element's row id to its page's position.
    """

    page_rows: NDArray[np.uint64]
    page_docs: NDArray[np.object_]
    means: NDArray[np.float32]
    starts: NDArray[np.int64]
    element_rows: dict[tuple[int, int], int]
    page_of_row: dict[int, int]


class Searcher:
    """Searches one collection; follows its changes. Safe to use from several threads."""

    def __init__(
        self,
        store: Store,
        embedder: MiniLM,
        mean_candidates: int = MEAN_CANDIDATES,
        text_candidates: int = TEXT_CANDIDATES,
    ) -> None:
        """Nothing is read before the first search; the candidates are pages, by each of the two ways."""
        self._mean_candidates = mean_candidates
        self._text_candidates = text_candidates
        self._store = store
        self._embedder = embedder
        self._state: tuple[int, Snapshot, _Keys] | None = None
        self._lock = threading.Lock()

    def warm(self) -> None:
        """Read what searching holds in memory."""
        self._current()

    def search(self, question: str, *, doc_ids: Sequence[str] = (), limit: int = 10) -> Found:
        """The best `limit` elements, best first."""
        query = self._embedder.embed_query(question)
        try:
            return self._search(question, query, doc_ids, limit)
        except CollectionDamaged:  # a writer may have cleaned up the version in use: look again, once
            self._state = None
            return self._search(question, query, doc_ids, limit)

    def _search(self, question: str, query: QueryVectors, doc_ids: Sequence[str], limit: int) -> Found:
        snapshot, keys = self._current()
        allowed = np.isin(keys.page_docs, list(doc_ids)) if doc_ids else np.ones(len(keys.page_docs), bool)
        if not len(query.tokens) or not allowed.any():
            return Found((), query.tokens, query.weights)
        pages = self._candidates(snapshot, keys, question, query, doc_ids, allowed)
        found = snapshot.vectors([int(keys.page_rows[p]) for p in pages])
        scored: list[tuple[float, int, NDArray[np.float32]]] = []
        for page, (vectors, spans) in zip(pages, found, strict=True):
            if not len(spans):
                continue
            cosines = token_scores(query.vectors, vectors)
            best = segment_max(cosines, spans[:, 1].astype(np.int64))
            of_page = float(best.max(axis=0) @ query.weights)
            for (ordinal, start, count), own in zip(spans.tolist(), (best @ query.weights).tolist(), strict=True):
                score = ELEMENT_WEIGHT * own + (1 - ELEMENT_WEIGHT) * of_page
                scored.append((score, keys.element_rows[page, ordinal], cosines[start : start + count]))
        scored = heapq.nlargest(limit, scored, key=lambda s: s[0])
        elements = snapshot.elements([row for _, row, _ in scored])
        hits = tuple(self._hit(e, score, cosines) for e, (score, _, cosines) in zip(elements, scored, strict=True))
        return Found(hits, query.tokens, query.weights)

    def _hit(self, element: Element, score: float, cosines: NDArray[np.float32]) -> Hit:
        offsets = self._embedder.offsets(passage(element)) - len(context(element))
        if len(offsets) != len(cosines):
            raise CollectionDamaged(f"{self._store.path}: made by another version of Vouch: index the files again")
        return Hit(element, score, cosines, offsets)

    def _candidates(
        self,
        snapshot: Snapshot,
        keys: _Keys,
        question: str,
        query: QueryVectors,
        doc_ids: Sequence[str],
        allowed: NDArray[np.bool_],
    ) -> list[int]:
        """Positions of the pages that are scored exactly."""
        if allowed.sum() <= ALL_PAGES:
            return np.flatnonzero(allowed).tolist()
        filled = np.flatnonzero(np.diff(keys.starts) > 0)
        by_mean = np.full(len(allowed), -1.0, np.float32)
        by_mean[filled] = segment_max(keys.means @ query.vectors.T, keys.starts[:-1][filled]) @ query.weights
        by_mean[~allowed] = -2.0
        chosen = dict.fromkeys(np.argsort(-by_mean)[: min(self._mean_candidates, int(allowed.sum()))].tolist())
        texts = dict.fromkeys(
            keys.page_of_row[row]
            for row, _ in snapshot.full_text(question, TEXT_HITS, doc_ids)
            if row in keys.page_of_row
        )
        chosen.update(dict.fromkeys([p for p in texts if allowed[p]][: self._text_candidates]))
        return list(chosen)

    def _current(self) -> tuple[Snapshot, _Keys]:
        with self._lock:
            version = self._store.version()
            if self._state is None or self._state[0] != version:
                snapshot = self._store.snapshot()
                self._state = (version, snapshot, _keys(snapshot))
            return self._state[1], self._state[2]


def _keys(snapshot: Snapshot) -> _Keys:
    """Read the keys of all complete documents, pages in one order, elements grouped by page."""
    whole = {d.id for d in snapshot.documents()}
    pages = snapshot.page_keys()
    docs, numbers = pages["doc_id"].to_pylist(), pages["number"].to_pylist()
    kept = [i for i, doc in enumerate(docs) if doc in whole]
    position = {(docs[i], numbers[i]): at for at, i in enumerate(kept)}
    rows = pages["_rowid"].to_numpy()[kept]
    elements = snapshot.element_keys()
    owner = np.array(
        [
            position.get(key, -1)
            for key in zip(elements["doc_id"].to_pylist(), elements["page"].to_pylist(), strict=True)
        ],
        np.int64,
    ).reshape(-1)
    means = np.asarray(elements["mean"].combine_chunks().flatten().to_numpy(zero_copy_only=False), np.float16)
    means = means.reshape(len(owner), elements.schema.field("mean").type.list_size)  # of no elements too
    ordinals, ids = elements["ordinal"].to_numpy(), elements["_rowid"].to_numpy()
    present = np.flatnonzero(owner >= 0)
    element_rows = {(int(owner[i]), int(ordinals[i])): int(ids[i]) for i in present}
    searched = present[np.any(means[present] != 0, axis=1)] if len(present) else present
    searched = searched[np.argsort(owner[searched], kind="stable")]
    starts = np.searchsorted(owner[searched], np.arange(len(kept) + 1)).astype(np.int64)
    return _Keys(
        rows,
        np.array([docs[i] for i in kept], object),
        means[searched].astype(np.float32),
        starts,
        element_rows,
        {int(ids[i]): int(owner[i]) for i in searched},
    )
