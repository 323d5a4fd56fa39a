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

import anyio.to_thread
from starlette.requests import Request

from ui.access import EVERYTHING, NOBODY, Access, Channel, Identity, Role, acting, at_scene, may
from ui.web.server.guard import App, Message, Receive, Scope, Send, caller, route
from ui.web.signatures import Signatures

COOKIE = "vouch-visitor"
ACCOUNT = "account "
"""The beginning of the name of a visitor that is an account."""
_SHAPE = re.compile(r"([A-Za-z0-9_-]{32})\.([0-9a-f]{32})")
_A_YEAR = 365 * 24 * 3600
_VISITOR = "vouch.visitor"
"""The key of a request's scope under which its visitor is."""
_IDENTITY = "vouch.identity"
"""The key of a request's scope under which the identity of its sender is."""
_OPEN = re.compile(r"/(?:assets|static|svelte)/.*|/(?:health|ready|metrics|theme\.css|favicon\.ico|manifest\.json)")
"""The addresses that serve everybody the same, so that the sender need not be identified."""


class Visitors:
    """The ASGI middleware that identifies the sender of each request, and gives a new browser its visitor name.

    The request is answered in the name of its sender (`ACTING`).
    """

    def __init__(self, app: App, signatures: Signatures, access: Access) -> None:
        """Keep `app`, to which requests are passed on; `signatures` verify visitor names, `access` logins."""
        self._app = app
        self._signatures = signatures
        self._access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on with its visitor and identity; the page itself gives a new browser a name."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        if self._access.has_accounts:
            person = None
            if not _OPEN.fullmatch(route(scope)):
                person = await anyio.to_thread.run_sync(self._access.identify, scope)
            scope = self._access.admit(scope, person)
            scope[_IDENTITY] = person or NOBODY
            scope[_VISITOR] = f"{ACCOUNT}{person.known_as}" if person else ""
        else:
            scope[_IDENTITY] = EVERYTHING
            scope[_VISITOR] = self._visitor_name(scope)
            if not scope[_VISITOR] and route(scope) == "/":
                send = self._setting_cookie(scope, send)
        channel: Channel = "api" if route(scope).startswith("/api") else "page"
        with acting(scope[_IDENTITY]), at_scene(caller(scope), channel, scope[_VISITOR]):
            await self._app(scope, receive, send)

    def _setting_cookie(self, scope: Scope, send: Send) -> Send:
        """Return a `send` that sets the cookie with a new visitor name."""
        name = secrets.token_urlsafe(24)
        secure = "; Secure" if scope.get("scheme") == "https" else ""
        value = f"{name}.{self._signatures.of(COOKIE, name)}"
        cookie = f"{COOKIE}={value}; Path=/; Max-Age={_A_YEAR}; HttpOnly; SameSite=Lax{secure}"

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", []), (b"set-cookie", cookie.encode())]
            await send(message)

        return sending

    def _visitor_name(self, scope: Scope) -> str:
        """Return the visitor name in the cookie of a request, "" if the server did not issue it."""
        match = _SHAPE.fullmatch(Request(scope).cookies.get(COOKIE, ""))
        return match[1] if match and self._signatures.fit(match[2], COOKIE, match[1]) else ""


def visitor(scope: Scope) -> str:
    """Return the visitor name of a request, unique to an account or a browser; "" for a program or a stranger."""
    return str(scope.get(_VISITOR, ""))


def identity(scope: Scope) -> Identity:
    """Return the identity of a request's sender, as `Visitors` found it; NOBODY for a stranger."""
    person = scope.get(_IDENTITY, NOBODY)
    return person if isinstance(person, Identity) else NOBODY


def has_role(scope: Scope, least: Role, collection: str) -> bool:
    """Return True if the sender of a request has at least the role `least` in a collection, which need not exist.

    A collection that they may not even read is to be answered as one that does not exist.
    """
    return may(identity(scope), least, collection)


def may_see(scope: Scope) -> bool:
    """Return True if the page needs no login, or the sender of the request is logged in."""
    return identity(scope) is not NOBODY
