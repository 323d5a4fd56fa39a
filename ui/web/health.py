"""The addresses for whoever runs the page: /health (is it there), /ready (can it answer), /metrics (what did it do).

The first two say one word and need no login. Metrics are told to nobody but who knows VOUCH_METRICS_TOKEN.
"""

from __future__ import annotations

import hmac
import os
import time
from typing import TYPE_CHECKING, Any

import anyio.to_thread
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from indexing import IndexingError
from ui.web.server import App, Receive, Scope, Send, route

if TYPE_CHECKING:
    from ui.web.metrics import Metrics
    from ui.web.open_collections import OpenCollections

TOKEN_VARIABLE = "VOUCH_METRICS_TOKEN"
"""The variable of the environment that holds the token by which Prometheus reads /metrics."""
_PATHS = ("/health", "/ready", "/metrics")
_NAMED = ("/api/ask", "/api/search", "/api/check", "/api/audit", "/api/collections", "/gradio_api/upload",
          "/gradio_api/queue/join", "/gradio_api/queue/data", *_PATHS)  # fmt: skip
_BEGINNINGS = ("/vouch/page", "/vouch/heat", "/vouch/export", "/vouch/paper", "/assets", "/static", "/svelte",
               "/api/v1", "/api", "/gradio_api/mcp", "/gradio_api")  # fmt: skip
_METHODS = ("GET", "POST", "HEAD", "OPTIONS", "DELETE", "PUT", "PATCH")


class Health:
    """The ASGI middleware that answers /health, /ready and /metrics, and counts all requests."""

    def __init__(self, app: App, open_collections: OpenCollections, metrics: Metrics) -> None:
        """Keep the app; the token of the metrics is read from the environment here."""
        self._app = app
        self._open_collections = open_collections
        self._metrics = metrics
        self._token = os.environ.get(TOKEN_VARIABLE, "")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or pass on, and count."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        path, started, status = route(scope), time.monotonic(), 500

        async def counting(message: Any) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            if path in _PATHS:
                await (await self._answered(path, Request(scope, receive)))(scope, receive, counting)
            else:
                await self._app(scope, receive, counting)
        finally:
            method = scope["method"] if scope["method"] in _METHODS else "other"
            self._metrics.request(_kind(path), method, status, time.monotonic() - started)

    async def _answered(self, path: str, request: Request) -> Response:
        if request.method not in ("GET", "HEAD"):
            return _said(405, "only GET and HEAD are understood here")
        if path == "/health":
            return _said(200, "ok")
        if path == "/ready":
            return await anyio.to_thread.run_sync(self._ready)
        if not self._token:
            return _said(404, f"metrics are not told: start the page with a token in {TOKEN_VARIABLE}")
        given = request.headers.get("authorization", "").removeprefix("Bearer ")
        if not hmac.compare_digest(given.encode(), self._token.encode()):
            return _said(401, f"send the token of {TOKEN_VARIABLE}: Authorization: Bearer TOKEN")
        return Response(self._metrics.text(), media_type="text/plain; version=0.0.4")

    def _ready(self) -> Response:
        """Return 200 where the collections can be listed, 503 where they cannot."""
        try:
            self._open_collections.collections()
        except (IndexingError, OSError):
            return _said(503, "the collections cannot be reached")
        return _said(200, "ready")


def _kind(path: str) -> str:
    """Return the name of a route: one of a few, so that nobody can fill the memory with names."""
    if path in _NAMED:
        return path
    return next((start for start in _BEGINNINGS if path.startswith(f"{start}/")), "/" if path == "/" else "other")


def _said(status: int, word: str) -> Response:
    return JSONResponse({"status": word}, status)
