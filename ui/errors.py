"""The errors of `vouch` and its page, drawn as a tree.

UiError
├── UploadError         what people bring to the page is not taken
│   ├── TooMuch         over a limit of `UiSettings`; the message names it
│   ├── BadArchive      an archive that cannot be read, or should not be
│   ├── NotKept         the disk of the server did not take it
│   └── NotYours        a path that is not an upload that has just arrived, or a folder that nobody allowed
├── TooLate             the rest of a request did not come in time
├── OptionsUnfit        options of a command that do not go together
├── BadRequest          a program asked for something that cannot be done
├── TextUnreadable      a text that is to be checked cannot be read, is none, or is too long
├── AddressError        the page cannot be opened at this address, to these people (an OSError too)
├── PairsUnreadable     the pairs of `vouch confirm` cannot be read (an OSError too)
├── ExportError         an export cannot be written (an OSError too)
└── Interrupted         the person who asked wants no answer any more (a RagError too, so that answering ends)

Errors of the collection and of answering pass through as `indexing.IndexingError` and `rag.RagError`.
"""

from __future__ import annotations

from rag import RagError


class UiError(Exception):
    """The base of all errors of this package."""


class UploadError(UiError):
    """A file or folder that was brought to the page is not taken."""


class TooMuch(UploadError):
    """Over a limit; the message names it."""


class BadArchive(UploadError):
    """An archive that is damaged, or made to do harm."""


class NotKept(UploadError):
    """The server's disk is full, or may not be written."""


class NotYours(UploadError):
    """The path that was named is no upload of this moment, nor lies in a folder that the settings allow."""


class TooLate(UiError):
    """The rest of a request did not come in time."""


class TextUnreadable(UiError):
    """A text that is to be checked cannot be read, is none, or is too long."""


class OptionsUnfit(UiError):
    """Options of a command do not go together; the message says which to leave out or to add."""


class BadRequest(UiError):
    """A program asked for something that cannot be done; the message says why, in words meant for it."""


class AddressError(UiError, OSError):
    """The page cannot be opened like this; the message says why and what to do."""


class PairsUnreadable(UiError, OSError):
    """The pairs, or the decisions on them, cannot be read; the message names the file, the line and the reason."""


class ExportError(UiError, OSError):
    """An export cannot be written; the message says where, why, and what to do."""


class Interrupted(UiError, RagError):
    """The visitor does not wait for this answer any more."""
