"""What can go wrong with what people bring to the page, drawn as a tree.

UploadError
├── TooMuch         over a limit of `UiSettings`; the message names it
├── BadArchive      an archive that cannot be read, or should not be
├── NotKept         the disk of the server did not take it
└── NotYours        a path that is not an upload that has just arrived, or a folder that nobody allowed

Errors of the collection and of answering pass through as `indexing.IndexingError` and `rag.RagError`.
"""

from __future__ import annotations


class UploadError(Exception):
    """Base of all errors of this package."""


class TooMuch(UploadError):
    """Over a limit; the message names it."""


class BadArchive(UploadError):
    """An archive that is damaged, or made to do harm."""


class NotKept(UploadError):
    """The server's disk is full, or may not be written."""


class NotYours(UploadError):
    """What was named is no upload of this moment, nor lies in a folder that the settings allow."""
