"""The shares of visitors in the queue: no one of them, and not all their questions together, can fill it.

Gradio has one queue, which refuses everything when it is full, page loads among it. So what takes long is refused
before it gets there: a visitor's questions beyond a few, those of all beyond a number that leaves room.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from ui.settings import UiSettings
from ui.web.server.guard import JOIN, MCP, App, Receive, Scope, Send, caller, read_body, refuse, replay, route
from ui.web.server.visitors import may_see, visitor

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
