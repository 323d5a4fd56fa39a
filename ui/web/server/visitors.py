"""The identity of a visitor: the account that logged in or, on a page without accounts, a name that a browser keeps.

That name is random, signed by the server, and stands in a cookie, so that each browser's history, files and answers
stay its own. It is no login and says nothing about a person; a name that the server did not give is nobody's. A page
with accounts gives out no such names: there all belongs to the account, in whatever browser, and ends with its session.

Scripts cannot read the cookie. A link on another site that leads here brings it along (SameSite=Lax), or a visitor who
follows one would find the history gone. A browser sends it with whatever a sibling site (another name of the same
domain, or another port) asks, too: what keeps other sites from asking, uploading or reading in somebody's name is the
`Border`, which refuses their requests.
"""

from __future__ import annotations

import re
import secrets
from typing import Any

from starlette.requests import Request

from ui.web.server.guard import App, Message, Receive, Scope, Send, route
from ui.web.server.sessions import token_cookies
from ui.web.signatures import Signatures

COOKIE = "vouch-visitor"
ACCOUNT = "account "
"""The beginning of the name of a visitor that is an account."""
_SHAPE = re.compile(r"([A-Za-z0-9_-]{32})\.([0-9a-f]{32})")
_A_YEAR = 365 * 24 * 3600
_VISITOR = "vouch.visitor"
"""The key of a request's scope at which its visitor stands."""


class Visitors:
    """The ASGI middleware that knows who asks, and gives a browser its name with the page."""

    def __init__(self, app: App, signatures: Signatures) -> None:
        """Keep `app`, to which requests are passed on; names are known by `signatures`."""
        self._app = app
        self._signatures = signatures

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the request through; the page itself, asked for by a browser without a name of ours, brings one."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        accounts = _has_accounts(scope)
        scope[_VISITOR] = f"{ACCOUNT}{_account(scope)}" if _account(scope) else "" if accounts else self._named(scope)
        if accounts or scope[_VISITOR] or route(scope) != "/":
            await self._app(scope, receive, send)
            return
        name = secrets.token_urlsafe(24)
        secure = "; Secure" if scope.get("scheme") == "https" else ""
        value = f"{name}.{self._signatures.of(COOKIE, name)}"
        cookie = f"{COOKIE}={value}; Path=/; Max-Age={_A_YEAR}; HttpOnly; SameSite=Lax{secure}"

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", []), (b"set-cookie", cookie.encode())]
            await send(message)

        await self._app(scope, receive, sending)

    def _named(self, scope: Scope) -> str:
        """Return the name in the cookie of a request, "" where the server gave none."""
        found = _SHAPE.fullmatch(Request(scope).cookies.get(COOKIE, ""))
        return found[1] if found and self._signatures.fit(found[2], COOKIE, found[1]) else ""


def visitor(scope: Scope) -> str:
    """Return whose request it is, as `Visitors` found: nobody else's has the same; "" for a program or a stranger."""
    return str(scope.get(_VISITOR, ""))


def may_see(scope: Scope) -> bool:
    """Return True when the page needs no login, or the visitor has one: Gradio's own cookie and list say so."""
    return not _has_accounts(scope) or bool(_account(scope))


def may_read(scope: Scope, collection: str) -> bool:  # noqa: ARG001  roles will ask which
    """Return True when a visitor may read a collection: as yet, everybody reads all who may see the page."""
    return may_see(scope)


def _has_accounts(scope: Scope) -> bool:
    app: Any = scope["app"]
    return getattr(app, "auth", None) is not None


def _account(scope: Scope) -> str:
    """Return the name of the account that is logged in, "" for none."""
    if not _has_accounts(scope):
        return ""
    cookies = Request(scope).cookies
    tokens: Any = scope["app"].tokens
    return next((found for name in token_cookies(scope) if (found := tokens.get(cookies.get(name, "")))), "")
