"""The gate for uploads: what is promised or comes beyond the limit is refused, and nothing else is touched."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from ui.web.server.guard import Message, Receive, Scope, Send

XX
from ui.web.uploads.unzip import MB

UPLOAD = "/gradio_api/upload"


def call(chunks: Sequence[bytes], *, path: str = UPLOAD, length: bytes | None = None) -> tuple[int, bytes, int]:
    """(status, body, bytes that reached the application) of one request, 1 MB at most."""
    waiting = [{"type": "http.request", "body": c, "more_body": n + 1 < len(chunks)} for n, c in enumerate(chunks)]
    sent: list[Message] = []
    reached = 0

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        nonlocal reached
        assert scope["type"] == "http"
        more = True
        while more:
            message = await receive()
            reached += len(message["body"])
            more = message["more_body"]
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"kept"})

    async def receive() -> Message:
        return waiting.pop(0)

    async def send(message: Message) -> None:
        sent.append(message)

    headers = [(b"content-length", length)] if length is not None else []
    scope = {"type": "http", "method": "POST", "path": path, "headers": headers}
    asyncio.run(UploadGate(app, 1)(scope, receive, send))
    return sent[0]["status"], sent[1]["body"], reached


def test_what_fits_is_let_through() -> None:
    assert call([bytes(MB // 2)] * 2, length=str(MB).encode()) == (200, b"kept", MB)


@pytest.mark.parametrize("length", [b"99999999", b"-1", b"many", b"1e9"])
def test_what_promises_too_much_is_not_read(length: bytes) -> None:
    status, body, reached = call([b"x"], length=length)
    assert (status, reached) == (413, 0)
    assert b"max_waiting_mb" in body


def test_what_brings_more_than_it_promised_is_cut_off() -> None:
    status, body, reached = call([bytes(MB // 4)] * 40, length=b"10")
    assert status == 413
    assert b"max_waiting_mb" in body
    assert reached < 2 * MB


def test_other_requests_are_not_counted() -> None:
    assert call([bytes(MB)] * 3, path="/gradio_api/queue/join")[0] == 200
