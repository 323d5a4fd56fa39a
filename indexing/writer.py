"""The one writer of a collection: embeds pages, buffers rows, publishes documents."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from indexing.embed.minilm import DIM, MiniLM, TokenVectors, codes
from indexing.passages import passage
from indexing.store import SILENT_KINDS, Store, element_row, page_row, translated
from indexing.types import Document, Element, ParsedPage

FLUSH_PAGES = 64
OPTIMIZE_EVERY = 40
"""Flushes between two compactions of a long run."""


class Writer:
    """Made by `Collection.writer`, which holds the lock. `sources` is the folder of source copies."""

    def __init__(self, store: Store, embedder: MiniLM, sources: Path) -> None:
        """Remove what a killed run left behind."""
        self._store = store
        self._embedder = embedder
        self.sources = sources
        self.prune()
        self._by_path = {d.path: d.id for d in store.documents()}
        self._pages: list[dict[str, Any]] = []
        self._elements: list[dict[str, Any]] = []
        self._finished: list[tuple[Document, Path]] = []
        self._flushes = 0
        self._changed = False

    def known(self, doc_id: str, path: str) -> Literal["same", "changed", "new"]:
        """Whether a document is in the collection; "changed" when its path holds another version."""
        if doc_id in self._by_path.values():
            return "same"
        return "changed" if path in self._by_path else "new"

    def drop_other(self, doc_id: str, path: str) -> None:
        """`path` now holds a copy of a document that came from elsewhere: take out the one it held before."""
        old = self._by_path.get(path)
        if old is not None and old != doc_id:
            self._store.remove(old)
            del self._by_path[path]
            self._changed = True

    def add(self, parsed: ParsedPage) -> None:
        """Embed a page and put it in the buffer."""
        searched = [e for e in parsed.elements if e.kind not in SILENT_KINDS]
        embedded = self._embedder.embed_passages([passage(e) for e in searched])
        vectors = dict(zip((e.id for e in searched), embedded, strict=True))
        stacked, spans = _stacked(parsed.elements, vectors)
        self._pages.append(page_row(parsed.page, stacked, spans, codes(stacked)))
        for ordinal, element in enumerate(parsed.elements):
            self._elements.append(element_row(element, ordinal))
        if len(self._pages) >= FLUSH_PAGES:
            self.flush()

    def finish(self, document: Document, source: Path) -> None:
        """All pages of a document were added: publish it with the next flush."""
        self._by_path[document.path] = document.id
        self._finished.append((document, source))

    def flush(self) -> None:
        """Write the buffer, then publish the finished documents. What they replaced is out of sight at once."""
        pages, self._pages = self._pages, []
        elements, self._elements = self._elements, []
        finished, self._finished = self._finished, []
        if not (pages or finished):
            return
        self._store.add(pages, elements)
        for document, source in finished:
            self._keep_source(document, source)
        if finished:
            self._store.publish([d for d, _ in finished])
        self._flushes += 1
        self._changed = True
        if self._flushes % OPTIMIZE_EVERY == 0:
            self._store.optimize()

    def prune(self) -> None:
        """Delete rows and source copies that no document needs; nothing may be half written."""
        wanted = {d.sha256 for d in self._store.documents()}
        for file in self.sources.glob("*"):
            if file.stem not in wanted or file.suffix == ".part":
                file.unlink(missing_ok=True)  # before the rows: deleting those takes some space
        self._store.sweep()

    def close(self) -> None:
        """Delete what is not needed any more, then index and compact what was written."""
        if self._changed:
            self.prune()
            self._store.optimize()

    def _keep_source(self, document: Document, source: Path) -> None:
        """Copy the file into the collection under its hash, whole or not at all; an unlocked copy is taken over."""
        target = self.sources / f"{document.sha256}{Path(document.path).suffix.lower()}"
        if source.suffix == ".unlocked":
            source.replace(target)
        elif not target.exists() and source.exists():
            part = target.with_suffix(".part")
            with translated(self.sources):
                try:
                    shutil.copyfile(source, part)
                    part.replace(target)
                finally:
                    part.unlink(missing_ok=True)


def _stacked(
    elements: Sequence[Element], vectors: dict[str, TokenVectors]
) -> tuple[NDArray[np.int8], list[tuple[int, int, int]]]:
    """The page's multi-vector, and which tokens of it each element owns."""
    spans: list[tuple[int, int, int]] = []
    parts = [np.zeros((0, DIM), np.int8)]
    at = 0
    for ordinal, element in enumerate(elements):
        own = vectors.get(element.id)
        if own is not None and len(own.vectors):
            spans.append((ordinal, at, len(own.vectors)))
            parts.append(own.vectors)
            at += len(own.vectors)
    return np.concatenate(parts), spans
