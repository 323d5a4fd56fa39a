"""The shares of the queue: a visitor's questions, and those of all, leave room for everything that is short."""

import asyncio
import json
from collections.abc import Awaitable, Callable

import pytest

from tests.ui.asgi import requested
from ui.settings import UiSettings
from ui.web.server.route_filter import Receive, Scope, Send
from ui.web.server.visitors import _VISITOR, QueuedEvent, QueueShares

NAMES = {1: "ask", 2: "on_compare", 3: "load", 4: "collection_box", 5: "follow_new"}
JOIN = "/gradio_api/queue/join"
ADA, BOB = "a" * 32, "b" * 32


class Queue:
    """The middleware in front of a queue that is as full as it is told to be."""

    def __init__(self, **limits: int) -> None:
        self.events: list[QueuedEvent] = []
        self.during: Callable[[], Awaitable[None]] | None = None
        self.bodies: list[bytes] = []
        self.shares = QueueShares(self.app, UiSettings(**limits), lambda: self.events, lambda n: NAMES.get(n, ""))

    async def app(self, _: Scope, receive: Receive, send: Send) -> None:
        self.bodies.append((await receive())["body"])
        if self.during:
            await self.during()
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"{}"})

    def holds(self, visitor: str, function: str, times: int) -> None:
        self.events += [QueuedEvent(visitor, function)] * times

    def join(self, visitor: str, number: object, path: str = JOIN) -> tuple[int, str]:
        return asyncio.run(self.joined(visitor, number, path))

    async def joined(self, visitor: str, number: object, path: str = JOIN) -> tuple[int, str]:
        body, scope = json.dumps({"fn_index": number}).encode(), {"client": ("10.0.0.1", 5), _VISITOR: visitor}
        reply = await requested(self.shares, path, chunks=[body], method="POST", **scope)
        return reply.status, reply.body.decode()


def test_a_visitor_has_a_share_of_questions() -> None:
    queue = Queue(max_asks=3)
    queue.holds(ADA, "ask", 2)
    queue.holds(ADA, "collection_box", 9)
    assert queue.join(ADA, 1)[0] == 200
    queue.holds(ADA, "on_compare", 1)
    status, said = queue.join(ADA, 1)
    assert status == 429
    assert "max_asks" in json.loads(said)["detail"], "where Gradio's page looks for it"
    assert queue.join(BOB, 1)[0] == 200
    assert queue.join(ADA, 4)[0] == 200, "what is short goes on"


def test_the_questions_of_all_leave_room_for_page_loads() -> None:
    queue = Queue(max_all_asks=20)
    for n in range(20):
        queue.holds(f"{n:032d}", "ask", 1)
    assert queue.join(ADA, 1)[0] == 429
    assert queue.join(ADA, 3)[0] == 200
    assert queue.join(ADA, 4)[0] == 200


@pytest.mark.parametrize("number", ["1", 1.0, True, None, [1], {"a": 1}])
def test_a_number_that_is_none_counts_as_a_question(number: object) -> None:
    queue = Queue(max_asks=1)
    queue.holds(ADA, "ask", 1)
    assert queue.join(ADA, number)[0] == 429


@pytest.mark.parametrize("path", ["/api/v1/collections/made-up/ask", "/api/v1/audit/", "/gradio_api/mcp/"])
def test_questions_of_programs_count(path: str) -> None:
    queue = Queue(max_asks=2)
    queue.holds(ADA, "ask", 1)
    told: list[int] = []

    async def nested() -> None:
        queue.during = None
        told.append((await queue.joined(ADA, 1))[0])

    queue.during = nested
    assert queue.join(ADA, None, path)[0] == 200
    assert told == [429], "while the other is answered"
    assert queue.join(ADA, 1)[0] == 200, "and it gives its place back"
