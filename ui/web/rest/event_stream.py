"""The stream of an answer: one server-sent event for each step and each sentence; closing the connection ends it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import anyio
import anyio.to_thread
from pydantic import BaseModel
from starlette.responses import Response

from rag import Answered, Checked, Drafted, Extracted, Planned, Searched, Shown
from ui.web.hangups import until_gone
from ui.web.messages import STREAMED, AnswerRecord, ProblemRecord, told_as
from ui.web.rest.problems import refusal_of, told
from ui.web.server import Receive, Scope, Send, problem

if TYPE_CHECKING:
    from anyio.abc import TaskGroup

    from rag import Answer, Event
    from ui.errors import ApiRefusal

_BEAT_SECONDS = 15.0
"""The seconds after which a line without meaning keeps a proxy from closing a connection on which nothing comes."""
_HEADERS = {"cache-control": "no-store", "x-accel-buffering": "no"}


class AnswerStream(Response):
    """The answer to a request as events, made one after the other on a thread while they are taken."""

    media_type = "text/event-stream"

    def __init__(
        self,
        events: Iterator[Event],
        stop: Callable[[], None],
        finish: Callable[[Answer], AnswerRecord],
        limiter: anyio.CapacityLimiter,
    ) -> None:
        """Keep the events; `stop` ends the work on the next one, `finish` makes the message of the whole answer.

        At most as many wait for an event at a time as `limiter` lets.
        """
        super().__init__(None, 200, _HEADERS)
        del self.headers["content-length"]
        self._events = events
        self._stop = stop
        self._finish = finish
        self._limiter = limiter

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the events until the last one, or until nobody takes them."""
        async with anyio.create_task_group() as group:
            group.start_soon(self._watch, receive, group.cancel_scope)
            try:
                await self._sent(scope, receive, send, group)
            finally:
                self._stop()
                with anyio.CancelScope(shield=True):
                    await anyio.to_thread.run_sync(self._close)
                group.cancel_scope.cancel()

    async def _watch(self, receive: Receive, scope: anyio.CancelScope) -> None:
        await until_gone(receive)
        self._stop()
        scope.cancel()

    async def _sent(self, scope: Scope, receive: Receive, send: Send, group: TaskGroup) -> None:
        """Send an event after the other; what fails before the first is a refusal of its own."""
        number = 0
        while True:
            try:
                made = await anyio.to_thread.run_sync(self._next, limiter=self._limiter)
            except Exception as error:  # noqa: BLE001 - the end of the stream says so
                refusal = refusal_of(error)
                if not number:
                    await told(refusal)(scope, receive, send)
                    return
                made = "failed", told_as(ProblemRecord, _problem(refusal))
            if made is None:
                break
            if not number:
                await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
                group.start_soon(_beat, send)
            number += 1
            name, message = made
            line = f"id: {number}\nevent: {name}\ndata: {message.model_dump_json()}\n\n"
            await send({"type": "http.response.body", "body": line.encode(), "more_body": True})
            if name in ("answered", "failed"):
                break
        await send({"type": "http.response.body", "body": b""})

    def _next(self) -> tuple[str, BaseModel] | None:
        """Return the next event as a message with its name; None at the end."""
        event = next(self._events, None)
        return None if event is None else event_message(event, self._finish)

    def _close(self) -> None:
        if close := getattr(self._events, "close", None):
            close()


def event_message(event: Event, finish: Callable[[Answer], AnswerRecord]) -> tuple[str, BaseModel]:
    """Return the name and the data of an event of answering."""
    if isinstance(event, Answered):
        return "answered", finish(event.answer)
    name = type(event).__name__.lower()
    return name, told_as(STREAMED[name], _plain(event))


def _plain(event: Planned | Searched | Extracted | Shown | Drafted | Checked) -> dict[str, Any]:
    match event:
        case Planned():
            return {"queries": event.queries.to_json()}
        case Searched():
            pages = [asdict(page) for page in event.pages]
            return {"evidence": [e.to_json() for e in event.evidence], "pages": pages}
        case Checked():
            return {"index": event.index, "sentence": event.sentence.to_json()}
        case _:
            return asdict(event)


async def _beat(send: Send) -> None:
    """Send a line without meaning now and then."""
    while True:
        await anyio.sleep(_BEAT_SECONDS)
        await send({"type": "http.response.body", "body": b": still working\n\n", "more_body": True})


def _problem(refusal: ApiRefusal) -> dict[str, object]:
    said: dict[str, object] = json.loads(problem(refusal.status, str(refusal), refusal.then, refusal.kind))
    return said
