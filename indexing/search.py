"""A question -> the elements that match best: candidate pages by token codes and full text, then exact MaxSim.

Two stages. First, every page is scored by MaxSim over the centroids nearest to its tokens (its codes, held in memory:
the first stage of PLAID, Santhanam et al. 2022) and by the best full-text hit on it; the best of both are candidates.
Then the candidates' token vectors are read, or found in memory, and every element is scored exactly. Collections of at
most `ALL_PAGES` pages skip the first stage.

An element's score is `ELEMENT_WEIGHT` of its own MaxSim and the rest its page's.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from indexing.embed.minilm import MiniLM, QueryVectors, codebook
from indexing.errors import CollectionDamaged
from indexing.maxsim import segment_max, token_scores
from indexing.passages import context, passage
from indexing.store import SILENT_KINDS, Snapshot, Store
from indexing.types import Element, Found, Hit

ALL_PAGES = 64
CODE_CANDIDATES = 600
TEXT_CANDIDATES = 40
TEXT_HITS = 200
ELEMENT_WEIGHT = 0.6
KEPT_BYTES = 256 * 1024 * 1024
"""Token vectors that a process keeps in memory between questions: some 3,500 pages, the oldest given up first."""

_PageVectors = tuple[NDArray[np.int8], NDArray[np.int32]]
"""Token vectors (n, d) of a page and spans (m, 3) of its elements."""


@dataclass(frozen=True, slots=True)
class _Keys:
    """What is held in memory of a collection, pages in one order.

    `page_rows` (p,) LanceDB row ids, `page_docs` (p,) document ids; `codes` (c,) of all pages, each page's from
    `starts` (p + 1,) on; `element_rows` maps (page position, ordinal) to a row id, `page_of_row` an element's back.
    """

    page_rows: NDArray[np.uint64]
    page_docs: NDArray[np.object_]
    codes: NDArray[np.uint16]
    starts: NDArray[np.int64]
    element_rows: dict[tuple[int, int], int]
    page_of_row: dict[int, int]


class Searcher:
    """Searches one collection; follows its changes. Safe to use from several threads."""

    def __init__(
        self,
        store: Store,
        embedder: MiniLM,
        code_candidates: int = CODE_CANDIDATES,
        text_candidates: int = TEXT_CANDIDATES,
    ) -> None:
        """Nothing is read before the first search; the candidates are pages, by each of the two ways."""
        self._code_candidates = code_candidates
        self._text_candidates = text_candidates
        self._store = store
        self._embedder = embedder
        self._state: tuple[int, Snapshot, _Keys] | None = None
        self._lock = threading.Lock()
        self._kept: dict[int, _PageVectors] = {}
        self._kept_bytes = 0

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
        found = [
            (page, *read) for page, read in zip(pages, self._read(snapshot, keys, pages), strict=True) if len(read[1])
        ]
        if not found:
            return Found((), query.tokens, query.weights)
        bases = np.concatenate([[0], np.cumsum([len(vectors) for _, vectors, _ in found])[:-1]])
        starts = np.concatenate([spans[:, 1] + base for (_, _, spans), base in zip(found, bases, strict=True)])
        counts = np.array([len(spans) for _, _, spans in found])
        cosines = token_scores(query.vectors, np.concatenate([vectors for _, vectors, _ in found]))
        best = segment_max(cosines, starts)
        of_page = segment_max(best, np.concatenate([[0], np.cumsum(counts)[:-1]])) @ query.weights
        scores = ELEMENT_WEIGHT * (best @ query.weights) + (1 - ELEMENT_WEIGHT) * np.repeat(of_page, counts)
        top = np.argsort(-scores, kind="stable")[:limit].tolist()
        owners = np.repeat([page for page, _, _ in found], counts)
        spans = np.concatenate([spans for _, _, spans in found])
        elements = snapshot.elements([keys.element_rows[int(owners[at]), int(spans[at, 0])] for at in top])
        hits = tuple(
            self._hit(element, float(scores[at]), cosines[starts[at] : starts[at] + spans[at, 2]])
            for element, at in zip(elements, top, strict=True)
        )
        return Found(hits, query.tokens, query.weights)

    def _read(self, snapshot: Snapshot, keys: _Keys, pages: Sequence[int]) -> list[_PageVectors]:
        """Token vectors and spans of pages, from memory where an earlier question left them."""
        rows = [int(keys.page_rows[page]) for page in pages]
        with self._lock:
            kept = {row: self._kept[row] for row in rows if row in self._kept}
        missing = [row for row in rows if row not in kept]
        fresh = dict(zip(missing, snapshot.vectors(missing), strict=True))
        with self._lock:
            if self._state is not None and self._state[1] is snapshot:
                for row, read in fresh.items():
                    if row not in self._kept:  # another thread may have read it meanwhile
                        self._kept[row] = read
                        self._kept_bytes += read[0].nbytes
                while self._kept_bytes > KEPT_BYTES:
                    self._kept_bytes -= self._kept.pop(next(iter(self._kept)))[0].nbytes
        return [kept[row] if row in kept else fresh[row] for row in rows]

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
        by_code = np.full(len(allowed), -1.0, np.float32)
        of_code = codebook() @ query.vectors.T
        by_code[filled] = segment_max(of_code[keys.codes], keys.starts[:-1][filled]) @ query.weights
        by_code[~allowed] = -2.0
        chosen = dict.fromkeys(np.argsort(-by_code)[: min(self._code_candidates, int(allowed.sum()))].tolist())
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
                self._kept, self._kept_bytes = {}, 0
            return self._state[1], self._state[2]


def _keys(snapshot: Snapshot) -> _Keys:
    """Read the keys of all complete documents."""
    whole = {d.id for d in snapshot.documents()}
    pages = snapshot.page_keys()
    docs, numbers, codes = (pages[name].to_pylist() for name in ("doc_id", "number", "codes"))
    kept = [i for i, doc in enumerate(docs) if doc in whole]
    position = {(docs[i], numbers[i]): at for at, i in enumerate(kept)}
    elements = snapshot.element_keys()
    owners = zip(*(elements[name].to_pylist() for name in ("doc_id", "page", "ordinal", "kind", "_rowid")), strict=True)
    element_rows: dict[tuple[int, int], int] = {}
    page_of_row: dict[int, int] = {}
    for doc, number, ordinal, kind, row in owners:
        page = position.get((doc, number))
        if page is not None and kind not in SILENT_KINDS:
            element_rows[page, ordinal] = row
            page_of_row[row] = page
    lengths = [len(codes[i]) // 2 for i in kept]
    return _Keys(
        pages["_rowid"].to_numpy()[kept],
        np.array([docs[i] for i in kept], object),
        np.frombuffer(b"".join(codes[i] for i in kept), np.uint16),
        np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        element_rows,
        page_of_row,
    )
