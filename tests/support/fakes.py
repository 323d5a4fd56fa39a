"""Made-up pages and documents, as parsing would yield them, collections that hold them, and a scripted model."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from indexing import BBox, Document, Element, Page, ParsedPage, Words
from indexing.types import Kind
from rag.errors import RagError
from rag.llm.chat import Capacity, Message, Reply, Schema
from rag.llm.images import images_of
from rag.usage import Usage

if TYPE_CHECKING:  # they take seconds to import
    from indexing import Collection
    from indexing.embed.minilm import MiniLM

Pages = Sequence[Sequence[str]]
"""The paragraphs of each page."""


def words_of(text: str, top: float, bottom: float) -> Words:
    """Return every word of a text on one line, side by side."""
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
    """Return a paragraph (or so) that stands at a height given by its number."""
    top = 0.05 * ordinal
    box = BBox(0.1, top, 0.9, top + 0.04)
    words = words_of(text, top, top + 0.04)
    return Element(f"{doc_id}-{page}-{ordinal}", doc_id, page, kind, text, box, "layer", words=words)


def parsed(doc_id: str, number: int, texts: Sequence[str]) -> ParsedPage:
    """Return a page of paragraphs."""
    elements = tuple(element(text, doc_id, number, n) for n, text in enumerate(texts, 1))
    return ParsedPage(Page(doc_id, number, 420.0, 595.0), elements)


def image_page(doc_id: str, caption: str, texts: Sequence[str] = ()) -> ParsedPage:
    """Return the page of an image file: the picture whole, then what OCR reads on it."""
    page = Page(doc_id, 1, 300.0, 200.0)
    read = (replace(element(text, doc_id, 1, n), source="ocr") for n, text in enumerate(texts, 1))
    whole = replace(element("", doc_id, 1, 1, "picture"), id=f"{doc_id}-1-image", bbox=BBox(0.0, 0.0, 1.0, 1.0))
    return ParsedPage(page, (replace(whole, source="file", caption=caption), *read))


def digest(name: str, pages: Pages) -> str:
    """Return the sha256 that stands for a made-up file."""
    return hashlib.sha256(repr((name, pages)).encode()).hexdigest()


def document(name: str, pages: Pages, path: str = "") -> Document:
    """Return the record of a made-up file; its id follows from name and content."""
    sha256 = digest(name, pages)
    return Document(sha256[:16], name, "", len(pages), sha256, path or f"/made-up/{name}", sum(map(len, pages)))


def collection(home: Path | str, embedder: MiniLM, name: str = "made-up", **settings: object) -> Collection:
    """Return a collection, made when it is missing, with the embedder of the session: loading one takes a while.

    The pixels of its pages are not read unless the settings say so.
    """
    from indexing import Collection, IndexingSettings

    chosen = {"workers": 1, "pixels": "images"} | settings
    made = Collection.create(name, home, IndexingSettings.model_validate(chosen))
    vars(made)["_embedder"] = embedder
    return made


def opened(home: Path | str, embedder: MiniLM, name: str = "made-up", **settings: object) -> Collection:
    """Return a collection that is there, as another process opens it, with the embedder of the session."""
    from indexing import Collection, IndexingSettings

    made = Collection.open(name, home, IndexingSettings.model_validate({"workers": 1, "pixels": "images"} | settings))
    vars(made)["_embedder"] = embedder
    return made


def keep(into: Collection, document: Document, *pages: ParsedPage) -> None:
    """Put a document of these pages into a collection."""
    with into.writer() as writer:
        for page in pages:
            writer.add(page)
        writer.finish(document, Path("/nowhere"))
        writer.flush()


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


class ScriptedModel:
    """A ChatModel whose reply is a function of the prompt (an error is raised); it remembers its prompts."""

    def __init__(
        self, says: Callable[[Sequence[Message]], str | RagError], name: str = "scripted", images: int = 8
    ) -> None:
        self.name = name
        self.capacity = Capacity(8192, images)
        self.asked: list[Sequence[Message]] = []
        self.schemas: list[Schema | None] = []
        self.temperatures: list[float | None] = []
        self._says = says
        self._lock = threading.Lock()

    def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: Schema | None = None,
        max_tokens: int | None = None,
        temperature: float | None = None,
    ) -> Reply:
        assert max_tokens is None or max_tokens > 0
        with self._lock:
            self.asked.append(messages)
            self.schemas.append(schema)
            self.temperatures.append(temperature)
        said = self._says(messages)
        if isinstance(said, RagError):
            raise said
        return Reply(said, Usage(10, 5, len(images_of(messages)), 1))

    def stream(
        self, messages: Sequence[Message], *, schema: Schema | None = None, max_tokens: int | None = None
    ) -> Iterator[str | Reply]:
        reply = self.complete(messages, schema=schema, max_tokens=max_tokens)
        yield reply.text
        yield reply

    def tokens(self, messages: Sequence[Message]) -> int:
        return len(text_of(messages)) // 4 + 1


def text_of(messages: Sequence[Message]) -> str:
    """Return all texts of a prompt."""
    return "\n".join(part for message in messages for part in message.parts if isinstance(part, str))
