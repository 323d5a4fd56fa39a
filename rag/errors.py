"""What can go wrong while answering, drawn as a tree.

RagError
├── EmptyQuestion       nothing to search for
├── QuestionTooLong     over the limit of the settings
├── QuestionUnreadable  characters that no text has
├── BadLimit            fewer than one passage or query asked for
└── ProfileError        a profile that does not exist or does not fit

Errors of the collection pass through as `indexing.IndexingError`.
"""

from __future__ import annotations


class RagError(Exception):
    """Base of all errors of this package."""


class EmptyQuestion(RagError):
    """The question holds no word."""


class QuestionTooLong(RagError):
    """The question is over the limit of the settings."""


class QuestionUnreadable(RagError):
    """The question holds characters that no text has: bytes of a command line that were not UTF-8."""


class BadLimit(RagError):
    """Fewer than one passage (`top_k`) or query (`queries`) was asked for."""


class ProfileError(RagError):
    """A profile is missing, is not YAML, or has a key or value that does not exist."""
