"""The sessions of people who logged in: each ends some hours after its last use, or when its person logs out."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, MutableMapping

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from ui.state.audit import at_scene
from ui.web.server.guard import App, Receive, Scope, Send, caller, route

_HOUR = 3600.0


class Sessions(MutableMapping[str, str]):
    """The names of people by the token in their cookie, in the place of Gradio's own, which never end.

    To look a token up is to use it. Safe to use from several threads.
    """

    def __init__(self, hours: float, clock: Callable[[], float] = time.monotonic) -> None:
        """Keep each session for `hours` after its last use; `clock` gives seconds."""
        self._most = hours * _HOUR
        self._clock = clock
        self._held: dict[str, tuple[str, float]] = {}
        self._lock = threading.Lock()

    def __getitem__(self, token: str) -> str:
        """Return the name of the person; raises KeyError for a token that is unknown or has ended."""
        with self._lock:
            self._end_the_old()
            name, _ = self._held[token]
            self._held[token] = (name, self._clock())
            return name

    def __setitem__(self, token: str, name: str) -> None:
        """Begin a session."""
        with self._lock:
            self._end_the_old()
            self._held[token] = (name, self._clock())

    def __delitem__(self, token: str) -> None:
        """End a session; raises KeyError for a token that is unknown."""
        with self._lock:
            del self._held[token]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the tokens in use."""
        with self._lock:
            self._end_the_old()
            return iter(list(self._held))

    def __len__(self) -> int:
        """Return the number of sessions in use."""
        return len(list(iter(self)))

    def _end_the_old(self) -> None:
        now = self._clock()
        self._held = {token: held for token, held in self._held.items() if now - held[1] <= self._most}


class LogOut:
    """The ASGI middleware that ends a session when its own page asks by POST; a link to /logout ends none."""

    def __init__(self, app: App) -> None:
        """Keep `app`, to which requests are passed on."""
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Log out, or pass on."""
        if scope["type"] != "http" or route(scope) != "/logout":
            await self._app(scope, receive, send)
            return
        response: Response
        if scope["method"] == "POST":
            response = Response(status_code=204)
            cookies = Request(scope).cookies
            for name in token_cookies(scope):
                with at_scene(caller(scope), "page"):
                    scope["app"].tokens.pop(cookies.get(name, ""), None)
                response.delete_cookie(name)
        else:
            response = PlainTextResponse("Log out with POST, as the page does.", 405, headers={"allow": "POST"})
        await response(scope, receive, send)


def token_cookies(scope: Scope) -> tuple[str, str]:
    """Return the names of the two cookies that Gradio keeps the token of a session in."""
    made_for = scope["app"].cookie_id
    return f"access-token-{made_for}", f"access-token-unsecure-{made_for}"
