"""The addresses for monitoring: /health (does the server respond), /ready (can it answer questions), /metrics.

The first two return one word and need no login. Metrics need the token in VOUCH_METRICS_TOKEN.
"""

from __future__ import annotations

import hmac
import os
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import anyio.to_thread
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from indexing import IndexingError
from rag import current_span_attributes, trace_span
from ui.web.server import ACCOUNT, App, Receive, Scope, Send, refuse, route, visitor

if TYPE_CHECKING:
    from ui.web.metrics import Metrics
    from ui.web.open_collections import OpenCollections

TOKEN_VARIABLE = "VOUCH_METRICS_TOKEN"
"""The variable of the environment that holds the token by which Prometheus reads /metrics."""
_PATHS = ("/health", "/ready", "/metrics")
_NAMED = ("/gradio_api/upload", "/gradio_api/queue/join", "/gradio_api/queue/data", "/join",
          "/account", "/sso/login", "/sso/callback", "/mcp", *_PATHS)  # fmt: skip
_BEGINNINGS = ("/vouch/page", "/vouch/heat", "/vouch/export", "/vouch/paper", "/vouch/answer", "/assets",
               "/static", "/svelte", "/api/v1", "/mcp", "/.well-known",
               "/gradio_api/mcp", "/gradio_api")  # fmt: skip
_EVERY = 0.05
_ENDING = "This page is about to stop and takes no new requests: try again in a minute."
_AGAIN = 30
_METHODS = ("GET", "POST", "HEAD", "OPTIONS", "DELETE", "PUT", "PATCH")


class Departure:
    """A graceful stop of the server: once it has begun, new work is refused, and answers in progress finish."""

    def __init__(self) -> None:
        """Refuse nothing until `begin`."""
        self.begun = self.overdue = False
        self._changing = 0  # requests in progress that begin or change something
        self._lock = threading.Lock()

    def begin(self) -> None:
        """Refuse new work from now on."""
        self.begun = True

    def refuses(self, method: str, path: str) -> bool:
        """Return True for a request for new work after `begin`: the page itself, or any method but GET and HEAD."""
        return self.begun and path not in _PATHS and (method not in ("GET", "HEAD") or path == "/")

    def enter(self, number: int) -> None:
        """Add `number` to the requests in progress: 1 for a new one, -1 for one that ended."""
        with self._lock:
            self._changing += number

    def wait(self, seconds: float, under_way: Callable[[], int]) -> bool:
        """Wait until no work is left, for so many seconds at most; return True if all was finished.

        Else set `overdue`, and return False. `under_way` counts work beside the requests of `enter`.
        """
        end = time.monotonic() + seconds
        while self._changing or under_way():
            if time.monotonic() >= end:
                self.overdue = True
                return False
            time.sleep(_EVERY)
        return True


def wait_for_signal() -> None:
    """Sleep until the handler of a signal raises.

    Python runs handlers in the main thread, and one endless wait is not interrupted by a signal that the system
    delivered to another thread.
    """
    while True:
        time.sleep(0.5)


class Health:
    """The ASGI middleware that answers /health, /ready and /metrics, and counts all requests."""

    def __init__(
        self, app: App, open_collections: OpenCollections, metrics: Metrics, departure: Departure | None = None
    ) -> None:
        """Keep the app; the token of the metrics is read from the environment here."""
        self._departure = departure or Departure()
        self._app = app
        self._open_collections = open_collections
        self._metrics = metrics
        self._token = os.environ.get(TOKEN_VARIABLE, "")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one of the three addresses, or pass the request on; count it in the metrics."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        path, start, status = route(scope), time.monotonic(), 500

        async def counting(message: Any) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        method = scope["method"] if scope["method"] in _METHODS else "other"
        kind, changing = _kind(path), int(method not in ("GET", "HEAD"))
        self._departure.enter(changing)
        try:
            with trace_span("vouch.request", http__route=kind, http__request__method=method):
                if path in _PATHS:
                    await (await self._respond(path, Request(scope, receive)))(scope, receive, counting)
                elif self._departure.refuses(method, path):
                    await refuse(scope, counting, 503, _ENDING, as_json=True, wait=_AGAIN)
                else:
                    await self._app(scope, receive, counting)
                current_span_attributes(http__response__status_code=status)
        finally:
            self._departure.enter(-changing)
            self._metrics.request(kind, method, status, time.monotonic() - start, _user(scope))

    async def _respond(self, path: str, request: Request) -> Response:
        if request.method not in ("GET", "HEAD"):
            return _status_response(405, "only GET and HEAD are supported here")
        if path == "/health":
            return _status_response(200, "ok")
        if path == "/ready":
            return await anyio.to_thread.run_sync(self._ready)
        if not self._token:
            return _status_response(404, f"metrics are off: start the page with a token in {TOKEN_VARIABLE}")
        token = request.headers.get("authorization", "").removeprefix("Bearer ")
        if not hmac.compare_digest(token.encode(), self._token.encode()):
            return _status_response(401, f"send the token of {TOKEN_VARIABLE}: Authorization: Bearer TOKEN")
        return Response(self._metrics.text(), media_type="text/plain; version=0.0.4")

    def _ready(self) -> Response:
        """Return 200 if the collections can be listed, 503 if not or while the server stops."""
        if self._departure.begun:
            return _status_response(503, "stopping")
        try:
            self._open_collections.collections()
        except (IndexingError, OSError):
            return _status_response(503, "the collections cannot be reached")
        return _status_response(200, "ready")


def _user(scope: Scope) -> str:
    """Return the kind of a request's sender: account, browser or none."""
    who = visitor(scope)
    return "account" if who.startswith(ACCOUNT) else "browser" if who else "none"


def _kind(path: str) -> str:
    """Return the label of a path in the metrics: one of a few, so that requests cannot fill the memory with labels."""
    if path in _NAMED:
        return path
    return next((start for start in _BEGINNINGS if path.startswith(f"{start}/")), "/" if path == "/" else "other")


def _status_response(status: int, word: str) -> Response:
    return JSONResponse({"status": word}, status)
