"""Collections, their documents, and the pages of these."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from ui.web.messages.records import ApiRecord, Box, ListPart


class CollectionRecord(ApiRecord):
    """A collection at a glance."""

    name: str
    documents: int
    pages: int
    elements: int
    bytes: int = Field(description="the bytes on disk")
    embedder: str
    visual: str
    changed: str = Field(description="when a document was last added, in ISO form; empty for an empty collection")
    trouble: str = Field("", description="why it cannot be opened; empty if it can")


class CollectionList(ListPart):
    """Collections, by name."""

    items: list[CollectionRecord]


class DocumentRecord(ApiRecord):
    """A document of a collection."""

    id: str
    name: str
    title: str
    pages: int
    elements: int
    bytes: int
    sha256: str
    indexed_at: str
    failed_pages: list[int]
    brought_by: str = Field(description="the account that uploaded it; empty if none")
    metadata: dict[str, Any] = Field(description="date, author, tags, language and so on, as far as known")


class DocumentList(ListPart):
    """Documents, the oldest first."""

    items: list[DocumentRecord]


class ElementRecord(ApiRecord):
    """A piece of a page that can be cited."""

    id: str
    kind: str
    text: str
    bbox: Box
    source: str = Field(description="layer: the text of the file; ocr: its pixels; file: its name and description")
    section: list[str] = Field(description="the headings above it")
    caption: str
    parts: list[str] = Field(description="the ids of a group's members")
    place: str


class PageRecord(ApiRecord):
    """A page with the elements on it, groups last."""

    document: str
    number: int
    width: float = Field(description="in points of the displayed page")
    height: float = Field(description="in points of the displayed page")
    rotation: int
    label: str = Field(description="the number that the document gives it; empty if none")
    failed: bool = Field(description="true if it could not be read")
    elements: list[ElementRecord]
