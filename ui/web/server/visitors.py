"""The identity of a visitor, by account or browser, and the share of each in the queue, which none can fill.

Gradio has one queue, which refuses everything when it is full, page loads among it. So what takes long is refused
before it gets there: a visitor's questions beyond a few, those of all beyond a number that leaves room.

That name is random, signed by the server, and stands in a cookie, so that each browser's history, files and answers
stay its own. It is no login and says nothing about a person; a name that the server did not give is nobody's. A page
with accounts gives out no such names: there all belongs to the account, in whatever browser, and ends with its session.

Scripts cannot read the cookie. A link on another site that leads here brings it along (SameSite=Lax), or a visitor who
follows one would find the history gone. A browser sends it with whatever a sibling site (another name of the same
domain, or another port) asks, too: what keeps other sites from asking, uploading or reading in somebody's name is the
`OriginCheck`, which refuses their requests.
"""

from __future__ import annotations

import json
import re
import secrets
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import anyio.to_thread
from starlette.requests import Request

from ui.access import EVERYTHING, NOBODY, Access, Channel, Identity, Role, acting, at_scene, may
from ui.settings import UiSettings
from ui.web.server.route_filter import (
    JOIN,
    MCP,
    App,
    Message,
    Receive,
    Scope,
    Send,
    caller,
    read_body,
    refuse,
    replay,
    route,
)
from ui.web.signatures import Signatures

_HEARTBEAT = "/gradio_api/heartbeat/"
_ANSWERED = re.compile(r"/api/v1/(?:audit|collections/[^/]{1,200}/(?:ask|search|check))/?")
"""The addresses of the API at which a question is answered: at once, without the queue, as by a tool."""
ASKS = frozenset({"ask", "on_compare", "on_check", "on_audit"})
"""The names of the functions that answer or read files."""
FOLLOWS = frozenset({"load", "on_load", "open_conversation", "follow", "follow_new"})
"""The names of the functions that show in a new window what is still being answered or read."""
WINDOWS_EACH, WINDOWS = 24, 60
EVENTS_EACH, EVENTS = 60, 600


@dataclass(frozen=True, slots=True)
class QueuedEvent:
    """An event that is in the queue or being worked on: its visitor, and the name of its function."""

    visitor: str
    function: str


class QueueShares:
    """The ASGI middleware that answers 429 to events beyond the share of a visitor or of all, 401 to strangers."""

    def __init__(
        self,
        app: App,
        limits: UiSettings,
        events: Callable[[], Iterable[QueuedEvent]],
        name_of: Callable[[int], str],
    ) -> None:
        """Take `events`, which lists the events in the queue, and `name_of`: the name of a function by its number."""
        self._app = app
        self._events = events
        self._name_of = name_of
        self._asks = (limits.max_asks, limits.max_all_asks)
        self._entering: Counter[QueuedEvent] = Counter()  # those that are not in the queue yet, or never will be

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or refuse it with 401 or 429."""
        path = route(scope) if scope["type"] == "http" else ""
        if path.startswith(_HEARTBEAT) and not may_see(scope):  # Gradio keeps it for anybody
            await refuse(scope, send, 401, "Log in first.")
            return
        path = path if scope.get("method") == "POST" else ""
        if path == JOIN:
            body = await read_body(receive)
            number = _function_number(body)
            function = self._name_of(number) if number is not None else "ask"
            receive = replay(body, receive)
        elif _ANSWERED.fullmatch(path) or MCP.fullmatch(path):
            function = "ask"
        else:
            await self._app(scope, receive, send)
            return
        event = QueuedEvent(visitor(scope) or caller(scope), function)
        if reason := self._too_many(event):
            await refuse(scope, send, 429, reason, as_json=True)
            return
        self._entering[event] += 1
        try:
            await self._app(scope, receive, send)
        finally:
            self._entering[event] -= 1
            self._entering += Counter()  # those that count nothing go

    def _too_many(self, event: QueuedEvent) -> str:
        """Return the message why an event is one too many; "" if it is not."""
        events = [*self._events(), *self._entering.elements()]
        own = [other.function for other in events if other.visitor == event.visitor]
        every = [other.function for other in events]
        if len(own) >= EVENTS_EACH or len(every) >= EVENTS:
            return "Too many requests at a time: wait a moment, then reload the page."
        if event.function in ASKS:
            each, most = self._asks
            if _count(ASKS, own) >= each:
                return f"{each:,} of your questions are waiting (max_asks): wait for an answer, or stop one."
            if _count(ASKS, every) >= most:
                return f"{most:,} questions of all visitors are waiting (max_all_asks): try again in a minute."
        if event.function in FOLLOWS and (_count(FOLLOWS, own) >= WINDOWS_EACH or _count(FOLLOWS, every) >= WINDOWS):
            return "Too many windows are following answers: close some, then reload the page."
        return ""


def _count(names: frozenset[str], functions: Iterable[str]) -> int:
    return sum(function in names for function in functions)


def _function_number(body: bytes) -> int | None:
    """Return the number of the function in the body of a request to join the queue; None if the body is malformed."""
    try:
        values = json.loads(body)
    except (ValueError, RecursionError):  # refused already, as no JSON
        return None
    number = values.get("fn_index") if isinstance(values, dict) else None
    return number if type(number) is int else None  # Gradio takes "7", 7.0 and true for numbers too


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
