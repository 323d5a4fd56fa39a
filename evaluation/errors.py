"""The errors of evaluation as one tree, and the foreign errors that end a run.

EvaluationError
├── RunRefused          a run's files cannot be written or read, or its options do not fit; the run does not begin
├── GoldUnreadable      a data set is missing, is not text, or holds no question that can be asked
├── CannotTrain         nothing to train on, with, or into
├── Unshowable          a picture for a judge that cannot be made
├── Unjudged            no judgement of an answer came about
├── LeftOut             what was constructed fails a check
└── PackagesMissing     packages of an extra are not installed

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
"""The errors that every further question would meet as well: they end a run instead of becoming its lines."""


class EvaluationError(Exception):
    """The base of all errors of this package."""


class RunRefused(EvaluationError):
    """The file cannot be written, or holds the lines of another run; the message says what to do."""


class GoldUnreadable(EvaluationError):
    """The data set is missing, is not text, or holds no question that can be asked."""


class CannotTrain(EvaluationError):
    """The training lacks something to train on, with, or into; the message says what to do."""


class Unshowable(EvaluationError):
    """The pictures to be shown are no images, too large, too many, or cannot be drawn; the message says which."""


class Unjudged(EvaluationError):
    """The judge did not say whether an answer is right."""


class LeftOut(EvaluationError):
    """The question, or its evidence, fails a check of the construction; the message is the reason that is counted."""


class PackagesMissing(EvaluationError):
    """Packages of an extra are not installed; the message says how to get them."""
