"""The plain API: JSON over HTTP at /api, for curl and for programs without a client of Gradio's.

Each answer to a request that cannot be served says why, what to send instead, and where that is described.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import anyio.to_thread
from pydantic import ValidationError, validate_call
from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from configs import did_you_mean
from ui.errors import BadRequest
from ui.web.api.ask import Endpoints
from ui.web.api.collections import listing
from ui.web.api.tools import structured
from ui.web.server import App, Receive, Scope, Send, may_see, route

if TYPE_CHECKING:
    from ui.web.collection_service import CollectionService
    from ui.web.open_collections import OpenCollections

PREFIX = "/api"
_DOCS = "docs/api.md of Vouch"
_METHODS = {"ask": "POST", "search": "POST", "collections": "GET"}
_SAMPLE = {"question": "How many departures were cancelled?", "collection": "samples"}


class PlainApi:
    """The ASGI middleware that answers requests under /api, and passes on all others."""

    def __init__(
        self, app: App, open_collections: OpenCollections, service: CollectionService, most_at_once: int = 4
    ) -> None:
        """Keep the app; at most `most_at_once` requests are worked on at a time, others wait for their turn."""
        self._app = app
        offered = Endpoints(open_collections)
        self._functions: dict[str, Callable[..., Any]] = {
            "ask": offered.ask,
            "search": offered.search,
            "collections": listing(service),
        }
        self._limit = most_at_once
        self._limiter: anyio.CapacityLimiter | None = None

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
            return _no(401, "log in first", f"then send the cookie along with curl -b jar: {login}")
        if not name:
            return JSONResponse(self._described(request))
        if name not in self._functions:
            near = did_you_mean(f"{PREFIX}/{name[:60]}", [f"{PREFIX}/{known}" for known in self._functions])
            return _no(404, f"there is no such path{near}", f"GET {PREFIX} lists those that there are")
        try:
            _check_method(name, request)
            return JSONResponse(await self._called(name, await _arguments(request)))
        except BadRequest as error:
            return _no(400, str(error), _example(name, request))

    async def _called(self, name: str, arguments: dict[str, Any]) -> Mapping[str, Any]:
        """Return the answer of an endpoint, which is made on a thread. Raises BadRequest."""
        if self._limiter is None:  # it belongs to the running event loop
            self._limiter = anyio.CapacityLimiter(self._limit)
        function = self._functions[name]
        call = partial(validate_call(function), **arguments)
        try:
            return structured(name, await anyio.to_thread.run_sync(call, limiter=self._limiter))
        except ValidationError as error:
            raise BadRequest("; ".join(_explained(fault, function) for fault in error.errors())) from None

    def _described(self, request: Request) -> dict[str, Any]:
        """Return the paths, each with its method, its arguments and an example."""
        return {
            name: {
                "path": f"{PREFIX}/{name}",
                "method": _METHODS[name],
                "says": (inspect.getdoc(function) or "").partition("\n\nArgs:")[0],
                "takes": _taken(function),
                "example": _example(name, request),
            }
            for name, function in self._functions.items()
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
        raise BadRequest("send JSON, and say so with -H 'content-type: application/json'")
    try:
        sent = json.loads(await request.body())
    except (ValueError, RecursionError):
        raise BadRequest("the body is not JSON") from None
    if not isinstance(sent, dict):
        raise BadRequest("the body is not a JSON object, as in the example")
    return sent


def _taken(function: Callable[..., Any]) -> dict[str, Any]:
    """Return the arguments of a function with their defaults; `required` for one without."""
    parameters = inspect.signature(function).parameters.values()
    return {p.name: "required" if p.default is p.empty else p.default for p in parameters}


def _explained(fault: Any, function: Callable[..., Any]) -> str:
    """Say in words what is wrong with an argument."""
    name, known = ".".join(map(str, fault["loc"]))[:60], list(_taken(function))
    if fault["type"] == "unexpected_keyword_argument":
        return f"there is no {name!r}{did_you_mean(name, known)} (there are: {', '.join(known)})"
    return f"{name}: {'is missing' if fault['type'] == 'missing_argument' else fault['msg']}"


def _example(name: str, request: Request) -> str:
    """Return a line for curl that this server answers."""
    line = f"curl {_address(request)}{PREFIX}/{name}"
    if _METHODS[name] == "GET":
        return line
    return f"{line} -H 'content-type: application/json' -d '{json.dumps(_SAMPLE)}'"


def _address(request: Request) -> str:
    """Return the address at which this server listens."""
    host, port = request.scope.get("server") or ("127.0.0.1", 7860)
    return f"{request.scope.get('scheme', 'http')}://{host}:{port}{str(request.scope.get('root_path', '')).rstrip('/')}"


def _no(status: int, why: str, then: str) -> Response:
    """Return a refusal with the next step."""
    return JSONResponse({"error": why, "next": then, "docs": _DOCS}, status)
