"""The bodies of requests: how large one may be, how long it may take, how much of all is held in memory at a time.

Every route takes what its own rule says and no more; whoever would have to log in first sends nothing at all.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header

from ui.errors import TooLate, TooMuch
from ui.settings import UiSettings
from ui.web.server.addresses import CALLER, caller
from ui.web.server.guard import MCP, UPLOAD, App, Message, Receive, Scope, Send, is_rest, refuse, replay, route
from ui.web.server.ownership import named_paths
from ui.web.server.visitors import may_see, visitor
from ui.web.uploads import MB, Arrivals, Coming

_LOGIN = re.compile(r"/(?:login|join|account)/?")
_SENT_FILES = re.compile(r"/api/v1/collections/[^/]{1,200}/documents")
"""The addresses of the API that take files, as a form or as the body itself."""
_AUDIT = "/api/v1/audit"
MOST_LOGIN = 16_384
"""The most bytes of the form with a name and a password."""
MOST_JSON = 1_000_000
MOST_FIELDS = 65_536
"""The most bytes of an upload outside of its files, which Gradio would hold in memory."""
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
        self._held = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the request through with its body, or answer 400, 403, 408, 413 or 503."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        path, answered, whole = route(scope), False, False

        async def taking() -> Message:
            nonlocal whole
            message = await receive()
            whole = not message.get("more_body", False)
            return message

        async def note_answer(message: Message) -> None:
            nonlocal answered
            answered = True
            await send(message)

        token = CALLER.set(caller(scope))
        try:
            await self._by_route(scope, taking, note_answer, path)
        except (TooMuch, TooLate) as error:
            if not answered:
                if isinstance(error, TooMuch) and may_see(scope) and not dict(scope["headers"]).get(b"expect"):
                    await self._drop(taking, lambda: whole)
                await refuse(send, 408 if isinstance(error, TooLate) else 413, f"{error}.")
        finally:
            CALLER.reset(token)

    async def _drop(self, receive: Receive, whole: Callable[[], bool]) -> None:
        """Take what still comes of a body, for `body_seconds` at most, and keep none of it.

        A browser or a proxy that is cut off while it sends does not read why.
        """
        with suppress(TimeoutError):
            async with asyncio.timeout(self._limits.body_seconds):
                while not whole():
                    await receive()

    async def _by_route(self, scope: Scope, receive: Receive, send: Send, path: str) -> None:
        if scope["method"] != "POST":
            if _declared_length(scope) or dict(scope["headers"]).get(b"transfer-encoding"):
                await refuse(send, 400, "This request may not have a body: send it without one.")
            else:
                await self._app(scope, receive, send)
        elif _LOGIN.fullmatch(path):
            await self._whole(scope, receive, send, MOST_LOGIN, "for a login")
        elif not may_see(scope):
            await self._app(scope, replay(b"", receive), send)  # what it sends is not looked at
        elif path == UPLOAD:
            await self._upload(scope, receive, send)
        elif _SENT_FILES.fullmatch(path):
            await self._files(scope, receive, send)
        elif MCP.fullmatch(path) or path == _AUDIT:  # whose files are in the JSON
            in_base64 = self._limits.max_call_mb * MB * 4 // 3
            await self._whole(scope, receive, send, MOST_JSON + in_base64, "max_call_mb")
        else:
            await self._whole(scope, receive, send, MOST_JSON, "of JSON")

    async def _whole(self, scope: Scope, receive: Receive, send: Send, most: int, why: str) -> None:
        """Let a request through whose body was read whole."""
        over = f"that is too large: more than {most:,} bytes ({why})"
        if _declared_length(scope) > most:
            raise TooMuch(over)
        timed_receive = _in_time(receive, self._limits.body_seconds, _SLOWEST_HELD)
        body = bytearray()
        with self._memory() as hold:
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
                    await refuse(send, 503, "Too many large requests at a time: try again later.")
                    return
            path, sent = route(scope), bytes(body)
            body.clear()
            if not (_LOGIN.fullmatch(path) or is_rest(path)) and _asks_for_an_address(sent):
                await refuse(send, 403, "This page does not fetch files from elsewhere: upload the file.")
            else:
                await self._app(scope, replay(sent, receive), send)

    @contextmanager
    def _memory(self) -> Iterator[Callable[[int], bool]]:
        """Yield what is told how many bytes a request holds by now, and says if there is room for them."""
        own = 0

        def hold(size: int) -> bool:
            nonlocal own
            if size > _SMALL:
                self._held += size - own
                own = size
            return self._held <= MOST_HELD or own == 0

        try:
            yield hold
        finally:
            self._held -= own

    async def _upload(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let an upload through, its pieces counted as they come, and take down whose its files are."""
        owner = visitor(scope) or caller(scope)
        most = self._limits.max_waiting_mb * MB + MOST_FIELDS
        over = f"more than {self._limits.max_waiting_mb:,} MB at a time (max_waiting_mb): send fewer files"
        if _declared_length(scope, unknown=most + 1) > most:
            raise TooMuch(over)
        form = _Form(dict(scope["headers"]).get(b"content-type", b""))
        timed_receive = _in_time(receive, self._limits.body_seconds, _SLOWEST)
        status, collected = 0, bytearray()

        async def collect_answer(message: Message) -> None:
            nonlocal status
            status = message.get("status", status)
            if len(collected) < MOST_JSON:
                collected.extend(message.get("body", b""))
            await send(message)

        with await self._arrivals.expect(owner) as coming:
            await self._app(scope, _counting_receive(timed_receive, coming, form, most, over), collect_answer)
            if status == 200:  # the answer lists the paths of the files
                self._arrivals.note(owner, json.loads(collected))

    async def _files(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let files for the API through, counted as they come: a form, or one that is the body itself."""
        kind = dict(scope["headers"]).get(b"content-type", b"")
        plain = parse_options_header(kind)[0]
        if plain not in (b"multipart/form-data", b"application/octet-stream"):
            await self._app(scope, replay(b"", receive), send)  # it is refused, whatever it is
            return
        form = _Form(kind) if plain == b"multipart/form-data" else None
        most = self._limits.max_waiting_mb * MB + MOST_FIELDS if form else self._limits.max_file_mb * MB
        name = "max_waiting_mb" if form else "max_file_mb"
        over = f"more than {most // MB:,} MB at a time ({name}): send less"
        if _declared_length(scope) > most:
            raise TooMuch(over)
        timed_receive = _in_time(receive, self._limits.body_seconds, _SLOWEST)
        with await self._arrivals.expect(visitor(scope) or caller(scope)) as coming:
            await self._app(scope, _counting_receive(timed_receive, coming, form, most, over), send)


def _counting_receive(receive: Receive, coming: Coming, form: _Form | None, most: int, over: str) -> Receive:
    """Return a `receive` that counts each piece of an upload, and raises TooMuch above `most` bytes."""
    came = 0

    async def receive_counted() -> Message:
        nonlocal came
        message = await receive()
        piece = message.get("body", b"")
        came += len(piece)
        if came > most:
            raise TooMuch(over)
        if form is not None:
            form.take(piece)
        coming(len(piece), form.files if form is not None else 1)
        return message

    return receive_counted


class _Form:
    """The shape of a form of files: it counts what is in none, since Gradio reads that into memory."""

    def __init__(self, content_type: bytes) -> None:
        """Begin. Raises TooMuch, for a body that is no such form is too much of any size."""
        kind, options = parse_options_header(content_type)
        if kind != b"multipart/form-data" or not options.get(b"boundary"):
            raise TooMuch("an upload must be a form with files (multipart/form-data)")
        self.files = 0
        self._in_file = False
        self._outside = 0
        self._name, self._value, self._disposition = bytearray(), bytearray(), b""
        self._parser = MultipartParser(
            options[b"boundary"],
            {
                "on_part_begin": self._begin,
                "on_header_field": self._read_name,
                "on_header_value": self._read_value,
                "on_header_end": self._end_header,
                "on_headers_finished": self._end_headers,
                "on_part_data": self._data,
            },
        )

    def take(self, piece: bytes) -> None:
        """Read a piece of the body. Raises TooMuch."""
        try:
            self._parser.write(piece)
        except FormParserError:
            raise TooMuch("that is not a form, or its headers are too long") from None

    def _begin(self) -> None:
        self._in_file, self._disposition = False, b""

    def _read_name(self, data: bytes, start: int, end: int) -> None:
        self._count(end - start)
        self._name += data[start:end]

    def _read_value(self, data: bytes, start: int, end: int) -> None:
        self._count(end - start)
        self._value += data[start:end]

    def _end_header(self) -> None:
        if self._name.lower() == b"content-disposition":
            self._disposition = bytes(self._value)
        self._name.clear()
        self._value.clear()

    def _end_headers(self) -> None:
        self._in_file = b"filename" in parse_options_header(self._disposition)[1]
        self.files += self._in_file

    def _data(self, _: bytes, start: int, end: int) -> None:
        if not self._in_file:
            self._count(end - start)

    def _count(self, size: int) -> None:
        self._outside += size
        if self._outside > MOST_FIELDS:
            raise TooMuch(f"more than {MOST_FIELDS:,} bytes in a form besides its files")


def _in_time(receive: Receive, seconds: float, slowest: int) -> Receive:
    """Return a `receive` that raises TooLate when the body is not there in time.

    Each piece has `seconds`, and all together as many beside what `slowest` bytes a second take for what has come.
    """
    began, came, whole = time.monotonic(), 0, False

    async def receive_in_time() -> Message:
        nonlocal came, whole
        if whole:  # what is waited for is the end of the request
            return await receive()
        try:
            async with asyncio.timeout(min(seconds, began + seconds + came / slowest - time.monotonic())):
                message = await receive()
        except TimeoutError:
            raise TooLate("the rest of the request did not arrive in time (body_seconds)") from None
        came += len(message.get("body", b""))
        whole = not message.get("more_body", False)
        return message

    return receive_in_time


def _declared_length(scope: Scope, unknown: int = 1 << 62) -> int:
    """Return the declared length of a request's body in bytes; 0 if absent, `unknown` if it is no number."""
    value = dict(scope["headers"]).get(b"content-length", b"0")
    return int(value) if value.isdigit() and len(value) < 16 else unknown


def _asks_for_an_address(body: bytes) -> bool:
    """Return True when a forged file in a JSON body has an address for a path: Gradio would fetch it."""
    try:
        paths = named_paths(json.loads(body or b"null"))
    except (ValueError, RecursionError):
        return True
    return any(isinstance(path, str) and "://" in path for path in paths)
