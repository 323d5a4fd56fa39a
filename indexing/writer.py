"""The one writer of a collection: embeds pages, buffers rows, publishes documents."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np

from indexing.embed.protocol import RegionVectors, TextEmbedder, VisualEmbedder, codes
from indexing.landmarks import landmarks
from indexing.passages import passage
from indexing.rows import SILENT_KINDS, MultiVector, element_row, page_row
from indexing.store import Store, translated
from indexing.types import BBox, Document, Element, ParsedPage

FLUSH_PAGES = 64
NO_ELEMENT = -1
"""The ordinal under which a page keeps what lies in none of its elements."""
OPTIMIZE_EVERY = 40
"""Flushes between two compactions of a long run."""


class Writer:
    """Made by `Collection.writer`, which holds the lock. `sources` is the folder of source copies."""

    def __init__(self, store: Store, text: TextEmbedder, visual: VisualEmbedder | None, sources: Path) -> None:
        """Remove what a killed run left behind."""
        self._store = store
        self._text = text
        self._visual = visual
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
        seen = None
        if self._visual is not None:
            vectors = self._visual.embed_pages([parsed])[0]
            seen = _by_element(parsed.elements, vectors, self._visual)
        text = _of_text(parsed.elements, self._text)
        self._pages.append(page_row(parsed.page, landmarks(parsed.elements), text, seen))
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


def _of_text(elements: Sequence[Element], embedder: TextEmbedder) -> MultiVector:
    """The multi-vector of a page's text, element after element."""
    searched = [(n, e) for n, e in enumerate(elements) if e.kind not in SILENT_KINDS]
    embedded = embedder.embed_passages([passage(e) for _, e in searched])
    spans: list[tuple[int, int, int]] = []
    at = 0
    for (ordinal, _), own in zip(searched, embedded, strict=True):
        if len(own.vectors):
            spans.append((ordinal, at, len(own.vectors)))
            at += len(own.vectors)
    stacked = np.concatenate([np.zeros((0, embedder.dim), np.int8), *(own.vectors for own in embedded)])
    return MultiVector(stacked, tuple(spans), codes(stacked, embedder.codebook()))


def _by_element(elements: Sequence[Element], seen: RegionVectors, embedder: VisualEmbedder) -> MultiVector:
    """The multi-vector of a page's pixels, ordered by the element that each region lies in, regions in none last."""
    owners = [_owner(box, elements) for box in seen.boxes]
    ends = np.cumsum(seen.counts)
    order = sorted(range(len(owners)), key=lambda r: (owners[r] == NO_ELEMENT, owners[r], r))
    spans: list[tuple[int, int, int]] = []
    parts = [np.zeros((0, embedder.dim), np.int8)]
    at = 0
    for region in order:
        own = seen.vectors[ends[region] - seen.counts[region] : ends[region]]
        if not len(own):
            continue
        if spans and spans[-1][0] == owners[region]:
            spans[-1] = (owners[region], spans[-1][1], spans[-1][2] + len(own))
        else:
            spans.append((owners[region], at, len(own)))
        parts.append(own)
        at += len(own)
    stacked = np.concatenate(parts)
    boxes = np.array([seen.boxes[r].as_tuple() for r in order], np.float32).reshape(-1, 4)
    return MultiVector(stacked, tuple(spans), codes(stacked, embedder.codebook()), boxes, seen.counts[order])


def _owner(region: BBox, elements: Sequence[Element]) -> int:
    """The ordinal of the smallest element around the middle of a region; NO_ELEMENT when it lies in none."""
    x, y = (region.x0 + region.x1) / 2, (region.y0 + region.y1) / 2
    around = [
        (e.bbox.area, n)
        for n, e in enumerate(elements)
        if e.kind not in SILENT_KINDS and e.bbox.x0 <= x <= e.bbox.x1 and e.bbox.y0 <= y <= e.bbox.y1
    ]
    return min(around)[1] if around else NO_ELEMENT
