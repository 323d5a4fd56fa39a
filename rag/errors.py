"""The errors of answering, drawn as a tree.

RagError
├── EmptyQuestion       nothing to search for
├── QuestionTooLong     over the limit of the settings
├── QuestionUnreadable  characters that no text has
├── BadLimit            a number of passages or queries out of range
├── ProfileError        a profile that does not exist or does not fit
├── PromptDamaged       a prompt whose variables do not agree
├── NoModel             a written answer asked for where no model, or none of that name, is named
├── NothingToExtract    knowledge asked for with a method that reads none
├── NothingWritten      a text to be checked without a statement
├── ManuscriptUnreadable  a file to be checked cannot be read, is of no form that is, or is too large
├── PagesNotShown       pages named with a method that shows none
├── NoBibliography      a paper whose references are asked for, and that has none
├── DocumentUnreadable  a text, DOCX or LaTeX file that is damaged, too large or not what it is named
├── BibliographyUnreadable  a file of records that cannot be read, or not to its end
├── NoSuchBibliography  a bibliography that was never added, or a name that none can have
├── SourceUnreachable   a source of the network could not be asked, or its answer not be read
├── AnchorError         an anchor cannot be used
│   ├── AnchorDamaged   no anchor, cut or mistyped, or of another version
│   └── AnchorLost      its document, or its words, are not there
└── ModelError          a model could not be asked, or what it said cannot be used
    ├── ServerDown      nobody answers at the address, or the connection broke
    ├── ServerSilent    no sign of life within the time-out
    ├── ServerBusy      too many requests, still after the retries
    ├── ServerFailed    the server's own failure, still after the retries
    ├── NoChatServer    something answers there, but not as an OpenAI-compatible server
    ├── BadCredentials  no key, a wrong one, or one that may not use the model
    ├── ModelUnknown    the server has no model of that name
    ├── ModelFileUnusable  the file of a model is missing, damaged, or holds something else
    ├── EngineMissing   the package that runs a model in this process is not installed
    ├── MemoryShort     a model in this process would take more memory than is left
    ├── ImageRefused    too many images, or one that the model cannot take
    ├── PromptTooLong   more tokens than the context has room for
    ├── RequestRefused  refused for another reason, which is quoted
    ├── ReplyCutOff     the reply reached a limit before its end: of tokens, seconds or bytes
    └── ReplyUnusable   the reply is empty, or not the JSON that was asked for

Errors of the collection pass through as `indexing.IndexingError`.
"""

from __future__ import annotations

from rag.usage import NO_USAGE, Usage


class RagError(Exception):
    """The base of all errors of this package."""


class FigureMissing(RagError):
    """No statement has a figure for the year, or a formula cannot be worked out with what they have."""


class EmptyQuestion(RagError):
    """The question holds no word."""


class QuestionTooLong(RagError):
    """The question is over the limit of the settings."""


class QuestionUnreadable(RagError):
    """The question holds characters that no text has: bytes of a command line that were not UTF-8."""


class BadLimit(RagError):
    """The number of passages (`top_k`) or queries (`queries`) that was asked for is below one, or above the most."""


class ProfileError(RagError):
    """A profile is missing, is not YAML, or has a key or value that does not exist."""


class PromptDamaged(RagError):
    """A prompt is missing, or declares other variables than it uses or is given."""


class NoModel(RagError):
    """A method that writes was asked for, and the settings name no model, or none of the name that was asked for."""


class NothingToExtract(RagError):
    """Extracted knowledge was asked for together with a method that reads none: quote or visa."""


class NothingWritten(RagError):
    """A text that is to be checked has no statement."""


class ManuscriptUnreadable(RagError):
    """A file that is to be checked cannot be read, is of no form that Vouch reads, or is too large."""


class PagesNotShown(RagError):
    """Pages to be shown were named together with method quote, which searches."""


class BibliographyUnreadable(RagError):
    """A file of records cannot be read, or not to its end."""


class NoSuchBibliography(RagError):
    """No bibliography of that name was added, or none can have it."""


class NoBibliography(RagError):
    """A document whose references are asked for has neither a bibliography nor footnotes that cite works."""


class DocumentUnreadable(RagError):
    """A text, DOCX, HTML or LaTeX file is damaged, is larger than the limit, or is not what its name says."""


class SourceUnreachable(RagError):
    """A source of the network could not be asked, or its answer not be read; the message says why."""


class AnchorError(RagError):
    """An anchor cannot be used; the message says why and what to do."""


class AnchorDamaged(AnchorError):
    """The string is no anchor, was cut or mistyped, or comes from another version."""


class AnchorLost(AnchorError):
    """A sound anchor whose document, or whose words, are not there."""


class ModelError(RagError):
    """The base of errors of a model: `text` is the part of the reply that had arrived, `usage` its cost."""

    def __init__(self, message: str, *, text: str = "", usage: Usage = NO_USAGE) -> None:
        super().__init__(message)
        self.text = text
        self.usage = usage


class ServerDown(ModelError):
    """Nobody answers at the address, or the connection broke; retries did not help."""


class ServerSilent(ModelError):
    """The server gave no sign of life within the time-out."""


class ServerBusy(ModelError):
    """The server takes no more requests for now, or our own limit on calls at once was reached for too long."""


class ServerFailed(ModelError):
    """The server reports a failure of its own; retries did not help."""


class NoChatServer(ModelError):
    """Something answers at the address, but not as an OpenAI-compatible server does."""


class BadCredentials(ModelError):
    """The key is missing, wrong, or not good for this model."""


class ModelUnknown(ModelError):
    """The server has no model of that name; the message lists those that it has."""


class ModelFileUnusable(ModelError):
    """The file of a model that runs in this process is missing, damaged, or holds something else."""


class EngineMissing(ModelError):
    """A model in this process needs the package of the extra `local`, which is not installed or cannot be loaded."""


class MemoryShort(ModelError):
    """A model in this process would take more memory than the machine has left."""


class ImageRefused(ModelError):
    """There are more images than the model takes, or it cannot read one of them, or none at all."""


class PromptTooLong(ModelError):
    """The prompt and the room for the reply do not fit into the model's context."""


class RequestRefused(ModelError):
    """The server refuses the request for a reason that we have no name for; the message quotes it."""


class ReplyCutOff(ModelError):
    """The reply reached a limit, of tokens, seconds or bytes; `text` is what there is of it."""


class ReplyUnusable(ModelError):
    """The reply is empty, or is not JSON where JSON was asked for; `text` is the reply."""
