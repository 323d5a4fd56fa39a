"""The bodies of requests: how large one may be, how long it may take, how much of all is held in memory at a time.

Every route takes what its own rule says and no more; whoever would have to log in first sends nothing at all.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from python_multipart.multipart import parse_options_header

from ui.errors import TooLate, TooMuch
from ui.settings import UiSettings
from ui.web.server.route_filter import MCP, UPLOAD, App, Message, Receive, Scope, Send, caller, refuse, replay, route
from ui.web.server.visitors import may_see, visitor
from ui.web.uploads import MB, Arrivals

_LOGIN = re.compile(r"/(?:login|join|account)/?")
_SENT_FILES = re.compile(r"/api/v1/collections/[^/]{1,200}/documents")
"""The addresses of the API that take files, as a form or as the body itself."""
_AUDIT = "/api/v1/audit"
MOST_LOGIN = 16_384
"""The most bytes of the form with a name and a password."""
MOST_JSON = 1_000_000
_AROUND_FILES = 65_536
"""The bytes of a form that are not counted: what stands around its files."""
_SMALL = 65_536
"""The bytes of a body that are not counted among those held: a connection has that much in any case."""
MOST_HELD = 64 * MB
"""The bytes of all larger bodies that may be held in memory at a time."""
_SLOWEST, _SLOWEST_HELD = 8_192, 65_536
"""The bytes a second by which the time of an upload, and of a body that is held, grows with what has come."""


class Bodies:
    """The ASGI middleware that reads bodies within their limits, and refuses what is beyond them while it comes."""

    def __init__(self, app: App, limits: UiSettings, arrivals: Arrivals) -> None:
        """Keep the parts; `arrivals` counts what is uploaded."""
        self._app = app
        self._limits = limits
        self._arrivals = arrivals
        self._held_bytes = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on with its body, or answer 400, 408, 413 or 503."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        path, answered, complete = route(scope), False, False

        async def receive_piece() -> Message:
            nonlocal complete
            message = await receive()
            complete = not message.get("more_body", False)
            return message

        async def note_answer(message: Message) -> None:
            nonlocal answered
            answered = True
            await send(message)

        try:
            await self._by_route(scope, receive_piece, note_answer, path)
        except (TooMuch, TooLate) as error:
            if not answered:
                if isinstance(error, TooMuch) and may_see(scope) and not dict(scope["headers"]).get(b"expect"):
                    await self._drop(receive_piece, lambda: complete)
                await refuse(scope, send, 408 if isinstance(error, TooLate) else 413, f"{error}.")

    async def _drop(self, receive: Receive, complete: Callable[[], bool]) -> None:
        """Read the rest of a body, for `body_seconds` at most, and discard it, until `complete` returns True.

        A browser or a proxy that is cut off while it sends does not read the response.
        """
        with suppress(TimeoutError):
            async with asyncio.timeout(self._limits.body_seconds):
                while not complete():
                    await receive()

    async def _by_route(self, scope: Scope, receive: Receive, send: Send, path: str) -> None:
        """Apply the rule of the path: no body, a body in memory, an upload; then pass the request on."""
        if scope["method"] != "POST":
            if _declared_length(scope) or dict(scope["headers"]).get(b"transfer-encoding"):
                await refuse(scope, send, 400, "This request may not have a body: send it without one.")
            else:
                await self._app(scope, receive, send)
        elif _LOGIN.fullmatch(path):
            await self._buffer(scope, receive, send, MOST_LOGIN, "for a login")
        elif not may_see(scope):
            await self._app(scope, replay(b"", receive), send)  # what it sends is not looked at
        elif path == UPLOAD or _SENT_FILES.fullmatch(path):
            await self._files(scope, receive, send)
        elif MCP.fullmatch(path) or path == _AUDIT:  # whose files are in the JSON
            in_base64 = self._limits.max_call_mb * MB * 4 // 3
            await self._buffer(scope, receive, send, MOST_JSON + in_base64, "max_call_mb")
        else:
            await self._buffer(scope, receive, send, MOST_JSON, "of JSON")

    async def _buffer(self, scope: Scope, receive: Receive, send: Send, most: int, why: str) -> None:
        """Read a body of at most `most` bytes into memory, then pass the request on. TooMuch names `why`."""
        over = f"that is too large: more than {most:,} bytes ({why})"
        if _declared_length(scope) > most:
            raise TooMuch(over)
        timed_receive = _in_time(receive, self._limits.body_seconds, _SLOWEST_HELD)
        body = bytearray()
        with self._memory_share() as hold:
            more = True
            while more:
                message = await timed_receive()
                if message["type"] == "http.disconnect":
                    return
                body += message.get("body", b"")
                more = message.get("more_body", False)
                if len(body) > most:
                    raise TooMuch(over)
                if not hold(len(body)):
                    await refuse(scope, send, 503, "Too many large requests at a time: try again later.")
                    return
            content = bytes(body)
            body.clear()
            await self._app(scope, replay(content, receive), send)

    @contextmanager
    def _memory_share(self) -> Iterator[Callable[[int], bool]]:
        """Yield a function that takes the bytes read so far of a request; False: there is no memory for them."""
        own = 0

        def hold(size: int) -> bool:
            nonlocal own
            if size > _SMALL:
                self._held_bytes += size - own
                own = size
            return self._held_bytes <= MOST_HELD or own == 0

        try:
            yield hold
        finally:
            self._held_bytes -= own

    async def _files(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass an upload on, its bytes counted as they arrive: a form, or one file that is the body itself."""
        kind = parse_options_header(dict(scope["headers"]).get(b"content-type", b""))[0]
        if kind not in (b"multipart/form-data", b"application/octet-stream"):
            await self._app(scope, replay(b"", receive), send)  # it is refused, whatever it is
            return
        form = kind == b"multipart/form-data"
        most, name = (
            (self._limits.max_waiting_mb, "max_waiting_mb") if form else (self._limits.max_file_mb, "max_file_mb")
        )
        reason = f"more than {most:,} MB at a time ({name}): send less"
        most_bytes = most * MB + (_AROUND_FILES if form else 0)
        if _declared_length(scope) > most_bytes:
            raise TooMuch(reason)
        timed_receive = _in_time(receive, self._limits.body_seconds, _SLOWEST)
        n_received = 0
        with await self._arrivals.expect(visitor(scope) or caller(scope)) as coming:

            async def receive_counted() -> Message:
                nonlocal n_received
                message = await timed_receive()
                n_received += len(message.get("body", b""))
                if n_received > most_bytes:
                    raise TooMuch(reason)
                coming(len(message.get("body", b"")))
                return message

            await self._app(scope, receive_counted, send)


def _in_time(receive: Receive, seconds: float, slowest: int) -> Receive:
    """Return a `receive` that raises TooLate if the body does not arrive in time.

    Each piece has `seconds`; the body has `seconds` and, for what has arrived, the time that `slowest` bytes/s take.
    """
    began, n_received, complete = time.monotonic(), 0, False

    async def receive_in_time() -> Message:
        nonlocal n_received, complete
        if complete:  # the caller waits for the disconnect
            return await receive()
        try:
            async with asyncio.timeout(min(seconds, began + seconds + n_received / slowest - time.monotonic())):
                message = await receive()
        except TimeoutError:
            raise TooLate("the rest of the request did not arrive in time (body_seconds)") from None
        n_received += len(message.get("body", b""))
        complete = not message.get("more_body", False)
        return message

    return receive_in_time


def _declared_length(scope: Scope) -> int:
    """Return the declared length of a request's body in bytes; 0 if absent, more than any limit if it is no number."""
    value = dict(scope["headers"]).get(b"content-length", b"0")
    return int(value) if value.isdigit() and len(value) < 16 else 1 << 62
