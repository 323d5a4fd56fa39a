"""Bodies: each route takes as much as its rule says, in time, and what is beyond is not held in memory."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from ui.access import EVERYTHING, NOBODY, Identity
from ui.settings import UiSettings
from ui.web.server.bodies import MOST_HELD, MOST_LOGIN, Bodies
from ui.web.server.route_filter import Message, Receive, Scope, Send
from ui.web.server.visitors import _IDENTITY
from ui.web.uploads import Arrivals
from ui.web.uploads.unzip import MB

JOIN, UPLOAD, MCP = "/gradio_api/queue/join", "/gradio_api/upload", "/gradio_api/mcp/"
BOUNDARY = b"----b"


class Server:
    """An application behind `Bodies`: it counts what reaches it, and answers with the paths of an upload."""

    def __init__(self, folder: Path, **limits: Any) -> None:
        settings = UiSettings(**limits)
        self.bodies = Bodies(self.app, settings, Arrivals(folder, settings, lambda _: (0, 0)))
        self.reached = 0
        self.left: list[Message] = []
        self.during: Callable[[], Awaitable[None]] | None = None

    async def app(self, _: Scope, receive: Receive, send: Send) -> None:
        more, self.reached = True, 0
        while more:
            message = await receive()
            self.reached += len(message.get("body", b""))
            more = message.get("more_body", False)
        if self.during:
            await self.during()
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b'["/tmp/a/b.pdf"]'})

    def post(self, path: str, chunks: Sequence[bytes], **options: Any) -> tuple[int, bytes]:
        return asyncio.run(self.posted(path, chunks, **options))

    async def posted(
        self,
        path: str,
        chunks: Sequence[bytes],
        *,
        length: bytes | None = None,
        who: Identity = EVERYTHING,
        kind: bytes = b"application/json",
        method: str = "POST",
        hang: bool = False,
        expect: bool = False,
    ) -> tuple[int, bytes]:
        """(status, body) of a request; one that hangs sends all but its last piece."""
        waiting: list[Message] = [
            {"type": "http.request", "body": c, "more_body": n + 1 < len(chunks)} for n, c in enumerate(chunks)
        ]
        sent: list[Message] = []

        async def receive() -> Message:
            if hang and len(waiting) == 1:
                await asyncio.Event().wait()
            return waiting.pop(0)

        async def send(message: Message) -> None:
            if not sent:
                self.left = [*waiting]
            sent.append(message)

        headers = [(b"content-type", kind)] + ([(b"content-length", length)] if length is not None else [])
        headers += [(b"expect", b"100-continue")] if expect else []
        scope = {
            "type": "http",
            "method": method,
            "path": path,
            "headers": headers,
            _IDENTITY: who,
            "client": ("1.2.3.4", 5),
        }
        await self.bodies(scope, receive, send)
        return sent[0]["status"], sent[1]["body"]


def form(*parts: tuple[str, bytes]) -> list[bytes]:
    """A form in pieces: parts by their disposition."""
    pieces = []
    for disposition, content in parts:
        pieces += [b"--" + BOUNDARY + b"\r\ncontent-disposition: form-data; " + disposition.encode() + b"\r\n\r\n"]
        pieces += [content[n : n + 60_000] for n in range(0, len(content), 60_000)] + [b"\r\n"]
    return [*pieces, b"--" + BOUNDARY + b"--\r\n"]


FORM = b"multipart/form-data; boundary=" + BOUNDARY
FILE = 'name="files"; filename="a.pdf"'


@pytest.mark.parametrize("chunks", [[bytes(MOST_LOGIN)] * 2, [b"username=" + b"x" * 300_000]])
@pytest.mark.parametrize("kind", [FORM, b"application/x-www-form-urlencoded"])
def test_a_login_is_small(tmp_path: Path, chunks: list[bytes], kind: bytes) -> None:
    server = Server(tmp_path)
    assert server.post("/login", chunks, kind=kind, who=NOBODY)[0] == 413
    assert server.post("/login", [b"x"], kind=kind, who=NOBODY, length=b"300000000")[0] == 413
    assert server.reached == 0, "nothing of it was parsed"
    assert server.post("/login", [b"username=ada&password=correct"], kind=kind, who=NOBODY)[0] == 200


@pytest.mark.parametrize("path", [JOIN, UPLOAD, MCP, "/gradio_api/cancel", "/api/v1/collections/made-up/ask"])
def test_who_is_not_logged_in_sends_nothing(tmp_path: Path, path: str) -> None:
    server = Server(tmp_path)
    assert server.post(path, [b"x" * 990_000], who=NOBODY)[0] == 200, "the route itself says that a login is needed"
    assert server.reached == 0


@pytest.mark.parametrize("path", ["/config", JOIN, "/vouch/page/a/b/1.webp", "/login"])
def test_other_requests_have_no_body(tmp_path: Path, path: str) -> None:
    server = Server(tmp_path)
    assert server.post(path, [b"x"], method="GET", length=b"500000")[0] == 400
    assert server.post(path, [b""], method="GET")[0] == 200


def test_a_body_that_does_not_come_in_time_is_given_up(tmp_path: Path) -> None:
    server = Server(tmp_path, body_seconds=0.05)
    for path, kind in ((JOIN, b"application/json"), ("/login", FORM), (UPLOAD, FORM)):
        status, said = server.post(path, [form((FILE, b"x"))[0], b""], kind=kind, hang=True)
        assert (status, b"body_seconds" in said) == (408, True), path


def test_an_endless_body_is_refused(tmp_path: Path) -> None:
    assert Server(tmp_path).post(JOIN, (b"1" * 600_000,) * 2)[0] == 413


@pytest.mark.parametrize(
    ("promised", "comes", "status"),
    [(3_000_000, 3_000_000, 200), (4_500_000, 2, 413), (3_000_000, 4_500_000, 413), (0, 4_500_000, 413)],
)
def test_a_call_of_a_tool_may_hold_files_up_to_a_limit(tmp_path: Path, promised: int, comes: int, status: int) -> None:
    sent = [json.dumps("x" * (comes - 2)).encode()]
    server = Server(tmp_path, max_call_mb=2)
    length = str(promised).encode() if promised else None
    assert [server.post(MCP, sent, length=length)[0] for _ in range(3)] == [status] * 3


def test_so_many_large_bodies_are_held_at_a_time(tmp_path: Path) -> None:
    """Each request is answered while the next is sent; small ones come in when the large ones are too many."""
    server = Server(tmp_path, max_call_mb=12)
    large, told = [json.dumps("x" * 16_000_000).encode()], list[int]()
    assert 5 * len(large[0]) > MOST_HELD

    async def nesting() -> None:
        if len(told) < 4:
            told.append(0)
            depth = len(told)
            told[depth - 1] = (await server.posted(MCP, large))[0]
            if told == [0, 0, 0, 503]:
                server.during = None
                told.append((await server.posted(JOIN, [b"[]"]))[0])

    server.during = nesting
    assert server.post(MCP, large)[0] == 200
    assert told == [200, 200, 200, 503, 200]
    assert server.post(MCP, large)[0] == 200, "each gives its room back"


def test_an_upload_that_fits_is_let_through_and_taken_down(tmp_path: Path) -> None:
    server = Server(tmp_path, max_waiting_mb=1)
    status, _ = server.post(UPLOAD, form((FILE, bytes(MB // 2)), (FILE, bytes(MB // 4))), kind=FORM)
    assert status == 200
    assert server.reached > MB // 2


@pytest.mark.parametrize("length", [b"99999999", b"-1", b"many", b"1e9"])
def test_an_upload_that_promises_too_much_is_not_read(tmp_path: Path, length: bytes) -> None:
    server = Server(tmp_path, max_waiting_mb=1)
    status, body = server.post(UPLOAD, [b"x"], kind=FORM, length=length)
    assert (status, server.reached) == (413, 0)
    assert b"max_waiting_mb" in body


def test_an_upload_that_brings_more_than_it_promised_is_cut_off(tmp_path: Path) -> None:
    server = Server(tmp_path, max_waiting_mb=1)
    status, body = server.post(UPLOAD, form((FILE, bytes(10 * MB))), kind=FORM, length=b"10")
    assert status == 413
    assert b"max_waiting_mb" in body
    assert server.reached < 2 * MB


def test_who_still_sends_what_is_refused_is_heard_out_to_read_why(tmp_path: Path) -> None:
    server, sent = Server(tmp_path, max_waiting_mb=1, body_seconds=0.05), form((FILE, bytes(10 * MB)))
    for length in (b"10", b"99999999"):
        assert server.post(UPLOAD, sent, kind=FORM, length=length)[0] == 413
        assert server.left == [], "the answer would not be read"
    assert server.post(JOIN, (b"1" * 600_000,) * 4)[0] == 413
    assert server.left == []
    assert server.post(UPLOAD, sent, kind=FORM, length=b"99999999", hang=True)[0] == 413, "not for ever"
    assert server.post(UPLOAD, sent, kind=FORM, length=b"99999999", expect=True)[0] == 413
    assert len(server.left) == len(sent), "who waits to be asked for the body reads the answer"
    assert server.post("/login", (bytes(MOST_LOGIN),) * 3, who=NOBODY)[0] == 413
    assert server.left, "nobody is heard out without a login"
