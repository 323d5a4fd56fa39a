"""Made-up pages and documents, as parsing would yield them, and collections that hold them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from indexing import BBox, Collection, Document, Element, IndexingSettings, Page, ParsedPage, Words
from indexing.embed.minilm import MiniLM
from indexing.types import Kind

Pages = Sequence[Sequence[str]]
"""The paragraphs of each page."""


def words_of(text: str, top: float, bottom: float) -> Words:
    """Every word of a text on one line, side by side."""
    spans, at = [], 0
    for word in text.split():
        start = text.index(word, at)
        at = start + len(word)
        spans.append((start, at))
    scale = 0.8 / max(len(text), 1)
    boxes = [(0.1 + a * scale, top, 0.1 + b * scale, bottom) for a, b in spans]
    if not spans:
        return Words.none()
    return Words(np.array(spans, np.int32), np.array(boxes, np.float32), np.zeros(len(spans), np.int32))


def element(text: str, doc_id: str = "d", page: int = 1, ordinal: int = 1, kind: Kind = "text") -> Element:
    """A paragraph (or so) that stands at a height given by its number."""
    top = 0.05 * ordinal
    box = BBox(0.1, top, 0.9, top + 0.04)
    words = words_of(text, top, top + 0.04)
    return Element(f"{doc_id}-{page}-{ordinal}", doc_id, page, kind, text, box, "layer", words=words)


def parsed(doc_id: str, number: int, texts: Sequence[str]) -> ParsedPage:
    """A page of paragraphs."""
    elements = tuple(element(text, doc_id, number, n) for n, text in enumerate(texts, 1))
    return ParsedPage(Page(doc_id, number, 420.0, 595.0), elements)


def digest(name: str, pages: Pages) -> str:
    """The sha256 that stands for a made-up file."""
    return hashlib.sha256(repr((name, pages)).encode()).hexdigest()


def document(name: str, pages: Pages, path: str = "") -> Document:
    """The record of a made-up file; its id follows from name and content."""
    sha256 = digest(name, pages)
    return Document(sha256[:16], name, "", len(pages), sha256, path or f"/made-up/{name}", sum(map(len, pages)))


def collection(home: Path, embedder: MiniLM, name: str = "made-up") -> Collection:
    """A collection, made when it is missing, that shares the embedder of the session: loading one takes a while."""
    made = Collection.create(name, home, IndexingSettings(workers=1))
    vars(made)["_embedder"] = embedder
    return made


def index(into: Collection, files: Mapping[str, Pages], source: Path = Path("/nowhere")) -> tuple[Document, ...]:
    """Write made-up files through the real writer, which publishes them in one commit."""
    documents = tuple(document(name, pages) for name, pages in files.items())
    with into.writer() as writer:
        for doc, pages in zip(documents, files.values(), strict=True):
            for number, texts in enumerate(pages, 1):
                writer.add(parsed(doc.id, number, texts))
            writer.finish(doc, source)
        writer.flush()
    return documents
