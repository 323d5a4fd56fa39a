"""The stream of an answer: one server-sent event for each step and each sentence; closing the connection ends it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Generator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import anyio
import anyio.to_thread
from pydantic import BaseModel
from starlette.responses import StreamingResponse

from rag import Answered, Checked, Drafted, Extracted, Planned, Searched, Shown
from ui.web.api.problems import refusal_of, response_of
from ui.web.hangups import waiting_caller
from ui.web.messages import STREAMED, AnswerRecord, record_of
from ui.web.server import Receive, Scope, Send

if TYPE_CHECKING:
    from rag import Answer, Event

Finish = Callable[["Answer"], AnswerRecord]
_BEAT_SECONDS = 15.0
"""The seconds after which a comment keeps a proxy from closing a connection on which nothing comes."""


async def answer_stream(
    receive: Receive,
    events: Generator[Event],
    stop: Callable[[], None],
    finish: Finish,
    limiter: anyio.CapacityLimiter,
) -> AnswerStream:
    """Return the response that sends the events; what fails before the first of them is raised.

    `stop` ends the work on the next event, `finish` makes the record of the whole answer. Events are made on a thread,
    as many at a time as `limiter` allows.
    """
    stream = AnswerStream(events, stop, finish, limiter)
    async with waiting_caller(receive, stop):
        await stream.begin()
    return stream


class AnswerStream(StreamingResponse):
    """A response of server-sent events, which stops the work when the caller closes the connection."""

    media_type = "text/event-stream"

    def __init__(
        self, events: Generator[Event], stop: Callable[[], None], finish: Finish, limiter: anyio.CapacityLimiter
    ) -> None:
        """Keep the parts; nothing is made before `begin`."""
        super().__init__(self._lines(), headers={"cache-control": "no-store", "x-accel-buffering": "no"})
        self._events = events
        self._stop = stop
        self._finish = finish
        self._limiter = limiter
        self._next: tuple[str, bytes] | None = None
        self._gone = False

    async def begin(self) -> None:
        """Make the first event."""
        self._next = await self._made()

    async def __call__(self, _scope: Scope, receive: Receive, send: Send) -> None:
        """Send the events until the last one, or until nobody takes them."""
        try:
            async with waiting_caller(receive, self._hang_up), anyio.create_task_group() as group:
                group.start_soon(_beat, send)
                await self.stream_response(send)
                group.cancel_scope.cancel()
        finally:
            self._stop()
            with anyio.CancelScope(shield=True):
                await anyio.to_thread.run_sync(self._events.close)

    def _hang_up(self) -> None:
        self._gone = True
        self._stop()

    async def _lines(self) -> AsyncIterator[bytes]:
        number = 0
        while self._next is not None and not self._gone:
            name, data = self._next
            number += 1
            yield b"id: %d\nevent: %s\ndata: %s\n\n" % (number, name.encode(), data)
            if name in ("answered", "failed"):
                return
            try:
                self._next = await self._made()
            except Exception as error:  # noqa: BLE001 - the status is sent: the last event says what failed
                self._next = "failed", bytes(response_of(refusal_of(error)).body)

    async def _made(self) -> tuple[str, bytes] | None:
        """Return the name and the data of the next event; None at the end."""

        def make() -> tuple[str, bytes] | None:
            event = next(self._events, None)
            if event is None:
                return None
            name, message = event_message(event, self._finish)
            return name, message.model_dump_json().encode()

        return await anyio.to_thread.run_sync(make, limiter=self._limiter)


async def _beat(send: Send) -> None:
    """Send a comment now and then."""
    while True:
        await anyio.sleep(_BEAT_SECONDS)
        await send({"type": "http.response.body", "body": b": still working\n\n", "more_body": True})


def event_message(event: Event, finish: Finish) -> tuple[str, BaseModel]:
    """Return the name and the data of an event of answering."""
    if isinstance(event, Answered):
        return "answered", finish(event.answer)
    name = type(event).__name__.lower()
    return name, record_of(STREAMED[name], _plain(event))


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
