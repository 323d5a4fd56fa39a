"""Requests to an ASGI application without a server."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ui.web.server.route_filter import Message


@dataclass(frozen=True)
class Reply:
    """What an application answers: header names are in lower case, of several of a name `headers` has the last."""

    status: int
    raw_headers: list[tuple[bytes, bytes]]
    body: bytes

    @property
    def headers(self) -> dict[str, str]:
        return {name.decode().lower(): value.decode() for name, value in self.raw_headers}


async def requested(application: Any, path: str = "/", /, *, chunks: Sequence[bytes] = (b"",), **scope: Any) -> Reply:
    """The reply to one request; `chunks` are the pieces of its body, `scope` replaces entries of the ASGI scope."""
    waiting = [{"type": "http.request", "body": c, "more_body": n < len(chunks)} for n, c in enumerate(chunks, 1)]
    sent: list[Message] = []

    async def receive() -> Message:
        return waiting.pop(0)

    async def send(message: Message) -> None:
        sent.append(message)

    usual = {"type": "http", "method": "GET", "path": path, "query_string": b"", "headers": []}
    await application(usual | scope, receive, send)
    return Reply(sent[0]["status"], sent[0]["headers"], b"".join(message.get("body", b"") for message in sent[1:]))


def request(application: Any, path: str = "/", /, **options: Any) -> Reply:
    """`requested`, outside of a loop."""
    return asyncio.run(requested(application, path, **options))
