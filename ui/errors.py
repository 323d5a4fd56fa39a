"""The errors of the `vouch` command and its page, as one tree.

Errors of the collection and of answering pass through as `indexing.IndexingError` and `rag.RagError`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rag import RagError


class UiError(Exception):
    """The base of all errors of this package."""


class UploadError(UiError):
    """A file or folder that was uploaded to the page, or named there, is rejected."""


class TooMuch(UploadError):
    """An upload is over a limit; the message names the limit."""


class OverSpace(TooMuch):
    """A collection or a person is over a quota of space; the message names it, `limit` is `pages` or `mb`."""

    def __init__(self, detail: str, limit: str) -> None:
        super().__init__(detail)
        self.limit = limit


class BadArchive(UploadError):
    """An archive is damaged, or made to do harm."""


class NotKept(UploadError):
    """The server's disk is full, or is not writable."""


class NotYours(UploadError):
    """A path names neither a fresh upload of this visitor nor something in a folder that the settings allow."""


class TooLate(UiError):
    """The rest of a request's body did not arrive in time."""


class OptionsUnfit(UiError):
    """The options of a command cannot be combined; the message says which to leave out or to add."""


class BadRequest(UiError):
    """A program's request cannot be fulfilled; the message, which is sent to the program, says why."""


class ApiRefusal(UiError):
    """A request to the API is refused: the message is the reason, `then` the next step, `faults` (field, message)."""

    def __init__(
        self,
        status: int,
        kind: str,
        detail: str,
        then: str,
        faults: Sequence[tuple[str, str]] = (),
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.kind = kind
        self.then = then
        self.faults = tuple(faults)
        self.headers = dict(headers or {})


class ClientError(UiError):
    """The server refused a request, or did not answer (`status` 0); `then` is the next step, `kind` a URN."""

    def __init__(self, detail: str, status: int = 0, then: str = "", kind: str = "") -> None:
        super().__init__(f"{detail}: {then}" if then else detail)
        self.detail = detail
        self.status = status
        self.then = then
        self.kind = kind


class AccessDenied(ClientError):
    """The caller is not logged in, or has no role that allows this."""


class ThingMissing(ClientError):
    """There is no such collection, document, page, job or answer, or it belongs to another caller."""


class RequestConflict(ClientError):
    """The request conflicts with what exists: it is there already, is being written, or is locked."""


class RequestUnfit(ClientError):
    """The request is invalid or over a limit; the message says which."""


class TooManyRequests(ClientError):
    """Too many requests are in progress: wait for an answer."""


class ServerTrouble(ClientError):
    """The server, its disk or its model failed."""


class ServerAway(ClientError):
    """No server answers at the address, or the connection broke."""


class AddressError(UiError, OSError):
    """The page cannot be served with these options; the message says why and what to do."""


class StateUnreadable(UiError, OSError):
    """The database of the server's state cannot be opened; the message says why, without its address."""


class BadPerson(UiError):
    """A user, group, role, password, token or invitation is invalid or does not exist; the message says why."""


class NotSignedOn(UiError):
    """Single sign-on did not identify a person, or they have no account here; the message says what to do."""


class NotAllowed(UiError, OSError):
    """The role of the caller does not allow the action; the message names the role that would."""


class OverQuota(BadRequest):
    """Too many questions in a minute: after `seconds` one more is free. `limit` is `questions` or `all_questions`."""

    def __init__(self, detail: str, seconds: int, limit: str) -> None:
        super().__init__(detail)
        self.seconds = seconds
        self.limit = limit


class AuditUnwritable(UiError, OSError):
    """The audit log cannot be written: reads are refused; a change is made, and then raises this error."""


class KeptUnreadable(UiError):
    """An answer of a conversation cannot be stored, or read again; the message says why and what to do."""


class ExportError(UiError, OSError):
    """An export cannot be written; the message says where, why, and what to do."""


class Interrupted(UiError, RagError):
    """The visitor stopped this answer, or closed the connection that waited for it."""
