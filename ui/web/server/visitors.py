"""The identity of a visitor: a random name that each browser keeps in a cookie, so that its history stays its own.

The cookie is no login. It says nothing about a person, and scripts cannot read it. A link on another site that leads
here brings it along (SameSite=Lax), or a visitor who follows one would find the history gone. A browser sends it with
whatever a sibling site (another name of the same domain, or another port) asks, too: what keeps other sites from
asking, uploading or reading in somebody's name is the `Border`, which refuses their requests.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterable
from http.cookies import CookieError, SimpleCookie
from typing import Any

from starlette.requests import Request

from ui.web.server.guard import App, Message, Receive, Scope, Send, route
from ui.web.server.sessions import token_cookies

COOKIE = "vouch-visitor"
_SHAPE = re.compile(r"[A-Za-z0-9_-]{32}")
_A_YEAR = 365 * 24 * 3600


class Visitors:
    """The ASGI middleware that gives a browser its name with the page."""

    def __init__(self, app: App) -> None:
        """Keep `app`, to which requests are passed on."""
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the request through; the page itself, asked for by a browser without a name, brings one."""
        if scope["type"] != "http" or route(scope) != "/" or visitor(scope["headers"]):
            await self._app(scope, receive, send)
            return
        secure = "; Secure" if scope.get("scheme") == "https" else ""
        cookie = f"{COOKIE}={secrets.token_urlsafe(24)}; Path=/; Max-Age={_A_YEAR}; HttpOnly; SameSite=Lax{secure}"

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", []), (b"set-cookie", cookie.encode())]
            await send(message)

        await self._app(scope, receive, sending)


def may_see(scope: Scope) -> bool:
    """Return True when the page needs no login, or the visitor has one: Gradio's own cookie and list say so."""
    app: Any = scope["app"]
    if getattr(app, "auth", None) is None:
        return True
    cookies = Request(scope).cookies
    return any(cookies.get(name, "") in app.tokens for name in token_cookies(scope))


def visitor(headers: Iterable[tuple[bytes, bytes]]) -> str:
    """Return the name in the headers of a request (ASGI: lower-case names); "" without one of ours."""
    for name, value in headers:
        if name == b"cookie":
            try:
                found = SimpleCookie(value.decode("latin-1")).get(COOKIE)
            except CookieError:
                continue
            if found is not None and (name_found := name_in(found.value)):
                return name_found
    return ""


def name_in(cookie: str) -> str:
    """Return the name that a cookie's value holds; "" for a value that is not one of ours."""
    return cookie if _SHAPE.fullmatch(cookie) else ""
