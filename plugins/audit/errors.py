"""The errors of checking and auditing, which are errors of answering too."""

from __future__ import annotations

from rag import RagError


class BibliographyUnreadable(RagError):
    """A file of records cannot be read, or not to the end."""


class NoSuchBibliography(RagError):
    """No bibliography of that name exists, or the name is invalid."""


class NoBibliography(RagError):
    """A document has no bibliography."""


class DocumentUnreadable(RagError):
    """A file to check or to audit cannot be read, has a format that Vouch does not read, or is too large."""


class SourceUnreachable(RagError):
    """A network source could not be reached, or its response could not be read; the message says why."""
