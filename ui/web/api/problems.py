"""Problems: our exceptions become problem+json (RFC 9457), each with its status, its kind and the next step.

No message names collections other than the requested one: the caller may not know of them.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any

from starlette.responses import Response

import indexing as ix
import rag
from configs import did_you_mean
from ui.errors import (
    ApiRefusal,
    AuditUnwritable,
    BadRequest,
    ExportError,
    Interrupted,
    NotAllowed,
    NotKept,
    OverQuota,
    OverSpace,
    TooLate,
    TooMuch,
    UiError,
    UploadError,
)
from ui.show import public_words
from ui.web.server import PROBLEM, problem

_LOG = logging.getLogger(__name__)
_MOST_FAULTS = 10
_LONGEST = 60
DOCS = "GET /api/v1/openapi.json describes what can be asked for"
_LISTED = "GET /api/v1/collections lists the collections"
_AGAIN = "try again in a minute"
_KINDS: Sequence[tuple[type[Exception], int, str, str]] = (
    (ix.DocumentMissing, 404, "no-such-document", "GET the documents of the collection for a list"),
    (ix.NoVisualEmbedder, 409, "no-look-at-pixels", "ask with mode text"),
    (ix.NothingFits, 422, "nothing-fits", "ask with another filter, or without one"),
    (ix.BadFilter, 422, "unfit-filter", "write the filter as shown in docs/folders.md of Vouch"),
    (ix.EncryptedFile, 423, "locked-document", "unlock the document in the page"),
    (ix.FileError, 422, "unfit-file", "GET the document to see its pages"),
    (ix.IndexingError, 503, "server-unfit", "tell whoever runs the server; its log has the details"),
    (rag.AnchorLost, 404, "anchor-lost", "index the document, or ask again and use the new anchor"),
    (rag.ModelUnknown, 422, "no-such-model", "leave the model out"),
    (rag.MemoryShort, 503, "no-memory", _AGAIN),
    (rag.EngineMissing, 503, "model-away", "ask with method quote, which needs no model"),
    (rag.ModelFileUnusable, 503, "model-away", "ask with method quote, which needs no model"),
    (rag.ModelError, 502, "model-failed", "try again, or ask with method quote, which needs no model"),
    (rag.RagError, 422, "unfit-request", "correct the request as the detail says"),
    (AuditUnwritable, 503, "no-audit-log", "tell whoever runs the server; its log has the details"),
    (NotAllowed, 403, "not-allowed", "ask an owner of the collection for the role"),
    (OverSpace, 413, "over-quota", "remove documents, or ask an admin for more"),
    (TooMuch, 413, "too-much", "send less, or try again later"),
    (TooLate, 408, "too-late", "send it again over a faster connection"),
    (NotKept, 507, "disk-full", "make room on the server"),
    (ExportError, 409, "nothing-to-export", "export as md, html or json"),
    (UploadError, 422, "unfit-upload", "correct the upload as the detail says"),
    (BadRequest, 422, "unfit-request", "correct the request as the detail says"),
    (UiError, 422, "unfit-request", "correct the request as the detail says"),
    (OSError, 503, "server-unfit", "tell whoever runs the server; its log has the details"),
)
"""The problem of each exception, subclasses first: its status, kind, and next step."""
_IN_OTHER_WORDS: Sequence[tuple[type[Exception], int, str, str, str]] = (
    (Interrupted, 499, "taken-back", "the request was cancelled", "ask again"),
    (ix.CollectionMissing, 404, "no-such-collection", "there is no such collection", _LISTED),
    (ix.CollectionLocked, 409, "being-written", "the collection is being written", _AGAIN),
)
"""The exceptions whose own messages name other collections or processes: the message is replaced by the fourth."""
ERRORS = (ix.IndexingError, rag.RagError, UiError, OSError)
"""The exceptions that callers see; any other is a fault of ours, and is logged."""


def no_collection() -> ApiRefusal:
    """Return the refusal for a collection that does not exist, or that the caller may not read."""
    return ApiRefusal(404, "no-such-collection", "there is no such collection", _LISTED)


def refusal_of(error: Exception) -> ApiRefusal:
    """Return the refusal that a program gets for an exception; an unexpected one is logged, and becomes a mere 500."""
    if isinstance(error, ApiRefusal):
        return error
    if isinstance(error, OverQuota):
        headers = {"retry-after": str(error.seconds)}
        return ApiRefusal(429, "over-quota", str(error), "wait, then ask again", headers=headers)
    for kind, status, name, words, then in _IN_OTHER_WORDS:
        if isinstance(error, kind):
            return ApiRefusal(status, name, words, then)
    if not isinstance(error, ERRORS):
        _LOG.error("a request failed", exc_info=error)
        detail = "something unexpected went wrong"
        return ApiRefusal(500, "internal", detail, "tell whoever runs the server; its log has the details")
    if isinstance(error, OSError) and not isinstance(error, UiError):
        _LOG.warning("the system refused something to a request: %s", error)
        return ApiRefusal(503, "server-unfit", "the server's operating system refused it", "see the server's log")
    status, name, then = next(row[1:] for row in _KINDS if isinstance(error, row[0]))
    return ApiRefusal(status, name, public_words(error), then)


def response_of(refusal: ApiRefusal) -> Response:
    """Return the response to a refusal, as problem+json."""
    body = problem(refusal.status, str(refusal), refusal.then, refusal.kind, refusal.faults)
    headers = {"cache-control": "no-store", **refusal.headers}
    if refusal.status in (429, 503):
        headers.setdefault("retry-after", "5")
    return Response(body, refusal.status, headers, media_type=PROBLEM)


def no_json(reason: str) -> ApiRefusal:
    """Return the refusal, 400, for a body that cannot be read as JSON."""
    return ApiRefusal(400, "no-json", f"the body is not JSON: {reason[:200]}", "send a JSON object")


def unfit(errors: Sequence[Any], field_names: Mapping[str, Sequence[str]]) -> ApiRefusal:
    """Return the refusal of a request that does not fit its models, 422 or 404, by the `errors` of pydantic.

    The `loc` of each error begins with path, query or body; `field_names` has the field names of query and body.
    """
    part = str(errors[0]["loc"][0])
    if part == "path":
        return nothing_here(f"there is nothing at this address: that is not a valid {errors[0]['loc'][1]}")
    if errors[0]["type"] == "json_invalid":
        return no_json(str(errors[0]["ctx"]["error"]))
    faults = faults_of([{**error, "loc": error["loc"][1:]} for error in errors], field_names.get(part, ()))
    reasons = "; ".join(f"{at}: {message}" for at, message in faults)
    return ApiRefusal(422, "unfit-request", f"the {part} is not valid: {reasons}", DOCS, faults=faults)


def faults_of(errors: Sequence[Any], field_names: Sequence[str]) -> list[tuple[str, str]]:
    """Return the first errors of pydantic as (field, message); `field_names` are the names of the fields."""
    return [_fault(error["loc"], error["type"], error["msg"], field_names) for error in errors[:_MOST_FAULTS]]


def _fault(loc: Sequence[int | str], kind: str, message: str, field_names: Sequence[str]) -> tuple[str, str]:
    at = ".".join(str(part)[:_LONGEST] for part in loc[:6]) or "body"
    if kind == "extra_forbidden":
        near = did_you_mean(str(loc[-1])[:_LONGEST], field_names) if len(loc) == 1 else ""
        return at, f"there is no such key{near}"
    return at, message[:200]


def nothing_here(detail: str = "there is nothing at this address") -> ApiRefusal:
    """Return the refusal, 404, for an address at which there is nothing."""
    return ApiRefusal(404, "not-found", detail, DOCS)
