"""The errors of evaluation, drawn as a tree, and the errors of other packages that end a run.

EvaluationError
├── RunRefused          the files of a run cannot be written or read, or its options do not fit; the run does not start
├── GoldUnreadable      a data set is missing, is not text, or holds no question that can be asked
└── Unshowable          the pictures for a judge cannot be made

Errors of the collection and of answering pass through as `indexing.IndexingError` and `rag.RagError`.
"""

from __future__ import annotations

from rag import (
    BadCredentials,
    EngineMissing,
    MemoryShort,
    ModelFileUnusable,
    ModelUnknown,
    NoChatServer,
    NoModel,
    ServerDown,
)

HOPELESS = (
    *(BadCredentials, ModelUnknown, NoChatServer, NoModel, ServerDown),
    *(EngineMissing, MemoryShort, ModelFileUnusable),
)
"""The errors that every further question would meet as well; they end a run instead of becoming lines of it."""


class EvaluationError(Exception):
    """The base of all errors of this package."""


class RunRefused(EvaluationError):
    """The file cannot be written, or belongs to another run; the message says what to do."""


class GoldUnreadable(EvaluationError):
    """The data set is missing, is not text, or holds no question that can be asked."""


class Unshowable(EvaluationError):
    """The pictures to show are not images, are too large or too many, or cannot be rendered; the message says which."""
