"""Bibliography: the value that a document's references come in."""

from __future__ import annotations

from dataclasses import dataclass

from plugins.audit.references.types import Reference
from rag.attribution.cited import CitationMark


@dataclass(frozen=True, slots=True)
class Bibliography:
    """The references of a document, in its order, and the marks of its text.

    `body` is the text outside the bibliography, into which the `marks` count. `notes` say what a reader should know of
    how it was read (several lists, recognised pages, entries that may hold two).
    """

    references: tuple[Reference, ...]
    marks: tuple[CitationMark, ...] = ()
    notes: tuple[str, ...] = ()
    body: str = ""
