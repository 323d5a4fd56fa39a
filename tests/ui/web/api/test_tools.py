"""The server of the tools: a call whose client hangs up is finished before its request ends."""

import json
import threading
from types import SimpleNamespace
from typing import Any

import anyio
import anyio.lowlevel
import pytest

from ui.access import EVERYTHING
from ui.settings import UiSettings
from ui.web.api.tools import ToolServer
from ui.web.server.visitors import _IDENTITY

BRIEF = 0.3
"""The seconds in which a request would end that does not wait for its call."""


def scope(version: str) -> dict[str, Any]:
    headers = {
        "accept": "application/json, text/event-stream",
        "content-type": "application/json",
        "mcp-protocol-version": version,
        "mcp-method": "tools/call",
        "mcp-name": "collections",
    }
    named = [(name.encode(), value.encode()) for name, value in headers.items()]
    return {"type": "http", "method": "POST", "path": "/mcp", "headers": named, _IDENTITY: EVERYTHING}


def called(version: str) -> bytes:
    words = {"protocolVersion": version, "clientInfo": {"name": "test", "version": "1"}, "clientCapabilities": {}}
    meta = {f"io.modelcontextprotocol/{name}": value for name, value in words.items()}
    params = {"name": "collections", "arguments": {}, "_meta": meta}
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()


@pytest.mark.parametrize("version", ["2025-06-18", "2026-07-28"])
def test_a_call_whose_client_hangs_up_is_finished_before_its_request_ends(version: str) -> None:
    """Else it would be counted by no limit, and a page that ends would not wait for it."""
    begun, gone, returned = threading.Event(), threading.Event(), threading.Event()
    finished_first: list[bool] = []
    messages = [{"type": "http.request", "body": called(version), "more_body": False}]

    def summaries() -> tuple[Any, ...]:
        begun.set()
        assert gone.wait(30)
        finished_first.append(not returned.wait(BRIEF))
        return ()

    async def receive() -> dict[str, Any]:
        if messages:
            return messages.pop()
        await anyio.to_thread.run_sync(begun.wait, 30)
        gone.set()
        return {"type": "http.disconnect"}

    async def send(_message: Any) -> None:
        await anyio.lowlevel.checkpoint()

    async def serve() -> None:
        uploads = SimpleNamespace(service=SimpleNamespace(summaries=summaries), settings=UiSettings())
        tools = ToolServer(SimpleNamespace(uploads=uploads))  # type: ignore[arg-type]
        async with tools.run():
            await tools.serve(scope(version), receive, send)
            returned.set()

    anyio.run(serve)
    assert finished_first == [True]
