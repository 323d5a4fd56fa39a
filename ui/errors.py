"""The errors of the `vouch` command and its page, as one tree.

Errors of the collection and of answering pass through as `indexing.IndexingError` and `rag.RagError`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rag import RagError


class UiError(Exception):
    """The base of all errors of this package."""


class UploadError(UiError):
    """A file or folder that was brought to the page is not taken."""


class TooMuch(UploadError):
    """Over a limit; the message names it."""


class OverSpace(TooMuch):
    """Over a quota of space, of a collection or of a person; the message names it, `limit` is `pages` or `mb`."""

    def __init__(self, detail: str, limit: str) -> None:
        super().__init__(detail)
        self.limit = limit


class BadArchive(UploadError):
    """An archive that is damaged, or made to do harm."""


class NotKept(UploadError):
    """The server's disk is full, or may not be written."""


class NotYours(UploadError):
    """The path that was named is no upload of this moment, nor lies in a folder that the settings allow."""


class TooLate(UiError):
    """The rest of a request did not come in time."""


class OptionsUnfit(UiError):
    """Options of a command do not go together; the message says which to leave out or to add."""


class BadRequest(UiError):
    """A program asked for something that cannot be done; the message says why, in words meant for it."""


class ApiRefusal(UiError):
    """A request to the API is refused: the message is the reason, `then` the next step, `faults` (place, words)."""

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
    """The server refused a request, or did not answer: `status` is 0 then; `then` is the next step, `kind` a URN."""

    def __init__(self, detail: str, status: int = 0, then: str = "", kind: str = "") -> None:
        super().__init__(f"{detail}: {then}" if then else detail)
        self.detail = detail
        self.status = status
        self.then = then
        self.kind = kind


class AccessDenied(ClientError):
    """Nobody is logged in, or whoever is may not do this."""


class ThingMissing(ClientError):
    """There is no such collection, document, page, job or answer, or it is somebody else's."""


class ThingInTheWay(ClientError):
    """Something is there already, is being written, or is locked."""


class RequestUnfit(ClientError):
    """The request is refused as it is; the message names the fault or the limit."""


class TooManyRequests(ClientError):
    """Too many requests are under way: wait for an answer."""


class ServerTrouble(ClientError):
    """The server, its disk or its model failed."""


class ServerAway(ClientError):
    """Nobody answers at the address, or the connection broke."""


class AddressError(UiError, OSError):
    """The page cannot be opened like this; the message says why and what to do."""


class StateUnreadable(UiError, OSError):
    """The database of people and conversations cannot be opened; the message says why, and not its address."""


class BadPerson(UiError):
    """A user, a group, a role, a password, a token or an invitation that cannot be had; the message says why."""


class NotSignedOn(UiError):
    """Single sign-on did not prove who somebody is, or they are nobody here; the message says what to do."""


class NotAllowed(UiError, OSError):
    """The role of whoever asks does not allow it; the message names the role that would."""


class OverQuota(BadRequest):
    """Too many questions in a minute: after `seconds` one more is free. `limit` is `questions` or `all_questions`."""

    def __init__(self, detail: str, seconds: int, limit: str) -> None:
        super().__init__(detail)
        self.seconds = seconds
        self.limit = limit


class AuditUnwritable(UiError, OSError):
    """The audit log cannot be written: a read is refused then, and a change that was made is followed by this error."""


class KeptUnreadable(UiError):
    """An answer of a conversation cannot be kept, or read; the message says why and what to do."""


class ExportError(UiError, OSError):
    """An export cannot be written; the message says where, why, and what to do."""


class Interrupted(UiError, RagError):
    """The visitor does not wait for this answer any more."""
