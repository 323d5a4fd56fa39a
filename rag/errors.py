"""The errors of answering, all of them `RagError`; those of a model are `ModelError`, and carry the text so far.

Errors of the collection pass through as `indexing.IndexingError`.
"""

from __future__ import annotations

from rag.usage import NO_USAGE, Usage


class RagError(Exception):
    """The base of all errors of this package."""


class FigureMissing(RagError):
    """No statement has a figure for the year, or a formula cannot be computed from those it has."""


class EmptyQuestion(RagError):
    """The question has no words."""


class QuestionTooLong(RagError):
    """The question is over the limit of the settings."""


class QuestionUnreadable(RagError):
    """The question contains bytes that are not UTF-8, from a command line in another encoding."""


class BadLimit(RagError):
    """The requested number of passages (`top_k`) or queries (`queries`) is below one, or above the limit."""


class ProfileError(RagError):
    """A profile is missing, is not YAML, or has a key or value that does not exist."""


class PromptDamaged(RagError):
    """A prompt is missing, or the variables that it declares, uses and is given differ."""


class NoModel(RagError):
    """A method that writes was requested, and the settings name no model, or none of the requested name."""


class NothingWritten(RagError):
    """A text to check makes no statement."""


class OptionRefused(RagError):
    """The method of answering does not have an option that was given, or the value is not of the option's type."""


class TooManyPages(RagError):
    """Every page is to be read, of documents that have too many, or of none that were chosen."""


class AnchorError(RagError):
    """An anchor cannot be used; the message says why and what to do."""


class AnchorDamaged(AnchorError):
    """The string is not an anchor, was cut short or mistyped, or comes from another version."""


class AnchorLost(AnchorError):
    """The anchor is valid, but its document or the cited words are missing."""


class ModelError(RagError):
    """The base of errors of a model. `text` is the part of the reply that had arrived, `usage` its cost."""

    def __init__(self, message: str, *, text: str = "", usage: Usage = NO_USAGE) -> None:
        super().__init__(message)
        self.text = text
        self.usage = usage


class ServerDown(ModelError):
    """Nothing answers at the address, or the connection broke; retries did not help."""


class ServerSilent(ModelError):
    """The server sent nothing within the timeout."""


class ServerBusy(ModelError):
    """The server takes no more requests at the moment, or our own limit on concurrent calls was reached too long."""


class ServerFailed(ModelError):
    """The server reports an internal failure; retries did not help."""


class NoChatServer(ModelError):
    """Something answers at the address that is not an OpenAI-compatible server."""


class BadCredentials(ModelError):
    """The key is missing, wrong, or not allowed to use this model."""


class ModelUnknown(ModelError):
    """The server has no model of that name; the message lists the models that it has."""


class ModelFileUnusable(ModelError):
    """The file of a model that runs in this process is missing, damaged, or something else."""


class EngineMissing(ModelError):
    """A model in this process needs the extra `local`, which is not installed or cannot be loaded."""


class MemoryShort(ModelError):
    """A model in this process needs more memory than the machine has free."""


class ImageRefused(ModelError):
    """The prompt has more images than the model takes, or the model cannot read them."""


class PromptTooLong(ModelError):
    """The prompt and the reply do not fit in the model's context."""


class RequestRefused(ModelError):
    """The server refuses the request for another reason; the message quotes it."""


class ReplyCutOff(ModelError):
    """The reply reached a limit of tokens, seconds or bytes; `text` is the part that arrived."""


class ReplyUnusable(ModelError):
    """The reply is empty, or is not JSON although JSON was requested; `text` is the reply."""
