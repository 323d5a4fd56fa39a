"""The errors of auditing, which are errors of answering too."""

from __future__ import annotations

from rag import RagError


class BibliographyUnreadable(RagError):
    """A file of records cannot be read, or not to the end."""


class NoSuchBibliography(RagError):
    """No bibliography of that name exists, or the name is invalid."""


class NoBibliography(RagError):
    """A document has neither a bibliography nor footnotes that cite works."""


class DocumentUnreadable(RagError):
    """A text, DOCX, HTML or LaTeX file cannot be read, or is larger than the limit."""


class SourceUnreachable(RagError):
    """A network source could not be reached, or its response could not be read; the message says why."""
