"""The plain API: JSON over HTTP at /api, for curl and for programs without a client of Gradio's.

Each answer to a request that cannot be served says why, what to send instead, and where that is described.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from configs import did_you_mean
from ui.errors import AuditUnwritable, BadRequest, OverQuota
from ui.web.api.ask import Endpoints
from ui.web.api.calls import Calls, taken
from ui.web.api.collections import listing
from ui.web.api.review import audit_of, check_of
from ui.web.hangups import waiting_caller
from ui.web.server import App, Receive, Scope, Send, may_see, route

if TYPE_CHECKING:
    from ui.web.open_collections import OpenCollections
    from ui.web.uploads import Uploads

PREFIX = "/api"
_DOCS = "docs/api.md of Vouch"
_METHODS = {"ask": "POST", "search": "POST", "check": "POST", "audit": "POST", "collections": "GET"}
_QUESTION = {"question": "How many departures were cancelled?", "collection": "samples"}
_SAMPLES = {
    "ask": _QUESTION,
    "search": _QUESTION,
    "check": {"text": "412 departures were cancelled.", "collection": "samples"},
    "audit": {"entries": "@book{falk, author={B. Falk}, title={Cider in barrels}, year={2001}}"},
}


class PlainApi:
    """The ASGI middleware that answers requests under /api, and passes on all others."""

    def __init__(self, app: App, open_collections: OpenCollections, uploads: Uploads, most_at_once: int = 4) -> None:
        """Keep the app; at most `most_at_once` requests are worked on at a time, others wait for their turn."""
        self._app = app
        offered = Endpoints(open_collections)
        functions: dict[str, Callable[..., Any]] = {
            "ask": offered.ask,
            "search": offered.search,
            "check": check_of(open_collections),
            "audit": audit_of(open_collections, uploads),
            "collections": listing(uploads.service),
        }
        self._calls = Calls(functions, most_at_once)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or pass on."""
        path = route(scope) if scope["type"] == "http" else ""
        if path != PREFIX and not path.startswith(f"{PREFIX}/"):
            await self._app(scope, receive, send)
            return
        response = await self._answered(path.removeprefix(PREFIX).strip("/"), Request(scope, receive))
        await response(scope, receive, send)

    async def _answered(self, name: str, request: Request) -> Response:
        if not may_see(request.scope):
            login = f"curl -c jar -d username=NAME -d password=PASSWORD {_address(request)}/login"
            return _no(401, "log in first", f"then send the cookie with curl -b jar: {login}")
        if not name:
            return JSONResponse(self._described(request))
        if name not in self._calls.functions:
            near = did_you_mean(f"{PREFIX}/{name[:60]}", [f"{PREFIX}/{known}" for known in self._calls.functions])
            return _no(404, f"there is no such path{near}", f"GET {PREFIX} lists all functions")
        try:
            _check_method(name, request)
            arguments = await _arguments(request)
            async with waiting_caller(request.receive):
                return JSONResponse(await self._calls(name, arguments))
        except (AuditUnwritable, BadRequest) as error:
            return _refused(error, _example(name, request))

    def _described(self, request: Request) -> dict[str, Any]:
        """Return the paths, each with its method, its arguments and an example."""
        return {
            name: {
                "path": f"{PREFIX}/{name}",
                "method": _METHODS[name],
                "says": (inspect.getdoc(function) or "").partition("\n\nArgs:")[0],
                "takes": taken(function),
                "example": _example(name, request),
            }
            for name, function in self._calls.functions.items()
        } | {"index": f"files are uploaded in the page, or with gradio_client: see {_DOCS}", "docs": _DOCS}


def _check_method(name: str, request: Request) -> None:
    """Raise BadRequest for a method that the endpoint does not take."""
    if request.method != _METHODS[name]:
        raise BadRequest(f"{PREFIX}/{name} takes {_METHODS[name]}, not {request.method}")


async def _arguments(request: Request) -> dict[str, Any]:
    """Return the arguments of a request: of a GET those of its address, of a POST the JSON of its body."""
    if request.method == "GET":
        return dict(QueryParams(request.scope["query_string"]))
    # A page of another site cannot send this type without asking first, which is not allowed to it.
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise BadRequest("send JSON with -H 'content-type: application/json'")
    try:
        sent = json.loads(await request.body())
    except (ValueError, RecursionError):
        raise BadRequest("the body is not JSON") from None
    if not isinstance(sent, dict):
        raise BadRequest("the body is not a JSON object, as in the example")
    return sent


def _example(name: str, request: Request) -> str:
    """Return a line for curl that this server answers."""
    line = f"curl {_address(request)}{PREFIX}/{name}"
    if _METHODS[name] == "GET":
        return line
    return f"{line} -H 'content-type: application/json' -d '{json.dumps(_SAMPLES[name])}'"


def _address(request: Request) -> str:
    """Return the address at which this server listens."""
    host, port = request.scope.get("server") or ("127.0.0.1", 7860)
    return f"{request.scope.get('scheme', 'http')}://{host}:{port}{str(request.scope.get('root_path', '')).rstrip('/')}"


def _refused(error: AuditUnwritable | BadRequest, example: str) -> Response:
    """Return the refusal for an error."""
    if isinstance(error, OverQuota):
        return _no(429, str(error), "wait, then ask again", {"retry-after": str(error.seconds)})
    if isinstance(error, AuditUnwritable):
        return _no(503, str(error), "try again in a minute", {"retry-after": "60"})
    return _no(400, str(error), example)


def _no(status: int, why: str, then: str, headers: Mapping[str, str] | None = None) -> Response:
    """Return a refusal with the next step."""
    return JSONResponse({"error": why, "next": then, "docs": _DOCS}, status, headers)
