"""The request filter of the tools: on a server with accounts, every request needs a token; a cookie does not do.

A client without a valid token is answered as RFC 6750 says, with the address of the metadata of RFC 9728. These name
no authorization server, for there is none: tokens are made by `vouch admin token add`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from ui.web.server import MCP, METADATA, App, Receive, Scope, Send, called_at, identity, route

if TYPE_CHECKING:
    from ui.web.api.tools import ToolServer

ADDRESS = "/mcp"
"""The address of the tools, below that of the page."""
_DOCS = "docs/team.md of Vouch"
_WELL_KNOWN = f"/.well-known/oauth-protected-resource{ADDRESS}"
_PLAIN = re.compile(r"https?://[\w.:\[\]-]{1,300}(?:/[\w.~-]+)*")
_NEXT = "make one with vouch admin token add, and send it: Authorization: Bearer vch_..."
_NO_PAGE = "This is the address of Vouch's tools for language models (MCP, streamable HTTP): clients POST to it."


class ToolGate:
    """The ASGI middleware that answers requests to the tools and their metadata, and passes on all others."""

    def __init__(self, app: App, tools: ToolServer, *, with_tokens: bool, origin: str = "") -> None:
        """Keep the parts; `with_tokens`: the server has accounts; `origin` is as in `called_at`."""
        self._app = app
        self._tools = tools
        self._with_tokens = with_tokens
        self._origin = origin

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request to the tools or their metadata, or pass it on."""
        path = route(scope) if scope["type"] == "http" else ""
        if METADATA.fullmatch(path):
            await self._metadata_response(scope)(scope, receive, send)
        elif not MCP.fullmatch(path):
            await self._app(scope, receive, send)
        elif self._with_tokens and not identity(scope).token:
            await self._refuse(scope)(scope, receive, send)
        elif scope["method"] != "POST":  # no stream is held open for messages that never come, and no session ended
            await JSONResponse({"error": _NO_PAGE}, 405, {"allow": "POST"})(scope, receive, send)
        else:
            await self._tools.serve(scope, receive, send)

    def _metadata_response(self, scope: Scope) -> Response:
        """Return the metadata of the tools as a protected resource (RFC 9728)."""
        if not self._with_tokens:
            return JSONResponse({"error": "No token is needed here."}, 404)
        if scope["method"] not in ("GET", "HEAD"):
            return JSONResponse({"error": "only GET is supported here"}, 405, {"allow": "GET, HEAD"})
        return JSONResponse(
            {
                "resource": f"{called_at(scope, self._origin)}{ADDRESS}",
                "resource_name": "Vouch",
                "bearer_methods_supported": ["header"],
            }
        )

    def _refuse(self, scope: Scope) -> Response:
        """Return the response, 401, to a request without a valid token."""
        header = Request(scope).headers.get("authorization", "")
        why, challenge = "a token is needed", ['Bearer realm="Vouch"']
        if header:
            why = "that token is not valid"
            challenge.append(f'error="invalid_token", error_description="{why}"')
        base = called_at(scope, self._origin)
        if _PLAIN.fullmatch(base):
            challenge.append(f'resource_metadata="{base}{_WELL_KNOWN}"')
        headers = {"www-authenticate": ", ".join(challenge)}
        return JSONResponse({"error": why, "next": _NEXT, "docs": _DOCS}, 401, headers)
