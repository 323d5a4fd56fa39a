"""Answers for programs: they are stopped when the caller disconnects, and can be sent as server-sent events."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import AsyncIterator, Callable, Generator, Iterator
from contextlib import asynccontextmanager, closing, contextmanager
from contextvars import ContextVar
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, cast

import anyio
import anyio.to_thread
from pydantic import BaseModel
from starlette.responses import StreamingResponse

from rag import Answered, Checked, Planned, Searched
from ui.errors import Interrupted
from ui.web.api.problems import refusal_of, response_of
from ui.web.messages import STREAMED, AnswerRecord, record_of
from ui.web.server import Receive, Scope, Send

if TYPE_CHECKING:
    from rag import Answer, Event

Finish = Callable[["Answer"], AnswerRecord]
_GONE: ContextVar[Callable[[], bool]] = ContextVar("gone", default=bool)
"""A function that returns True once the caller has disconnected; the threads of a request inherit it."""
_BEAT_SECONDS = 15.0
"""The seconds after which a comment keeps a proxy from closing a connection on which nothing comes."""


@contextmanager
def interrupt_when(is_gone: Callable[[], bool]) -> Iterator[None]:
    """Make `last_answer`, called in the block, raise Interrupted once `is_gone` returns True."""
    token = _GONE.set(is_gone)
    try:
        yield
    finally:
        _GONE.reset(token)


@asynccontextmanager
async def interrupt_on_disconnect(receive: Receive, stop: Callable[[], None] = lambda: None) -> AsyncIterator[None]:
    """Make `last_answer`, called in the block, raise Interrupted once the client disconnects; `stop` is called then.

    The body of the request has to be read before.
    """
    disconnect = threading.Event()

    async def listen() -> None:
        while (await receive())["type"] != "http.disconnect":
            continue
        disconnect.set()
        stop()

    failure: Exception | None = None
    async with anyio.create_task_group() as group:
        group.start_soon(listen)
        try:
            with interrupt_when(disconnect.is_set):
                yield
        except Exception as error:  # noqa: BLE001 - raised again outside of the group, which would wrap it
            failure = error
        group.cancel_scope.cancel()
    if failure is not None:
        raise failure


def last_answer(events: Generator[Event]) -> Answer:
    """Consume the events of an answer and return it. Raises Interrupted once the caller is gone (`interrupt_when`)."""
    is_gone, last = _GONE.get(), deque[Any](maxlen=1)
    with closing(events):
        for event in events:
            if is_gone():
                raise Interrupted("the request was cancelled")
            last.append(event)
    return cast("Answered", last[0]).answer


class AnswerStream(StreamingResponse):
    """The response that sends the events of an answer; the answer is stopped when the caller disconnects."""

    media_type = "text/event-stream"

    def __init__(
        self, events: Generator[Event], stop: Callable[[], None], finish: Finish, limiter: anyio.CapacityLimiter
    ) -> None:
        """Keep the parts. `stop` ends the work at the next event, `finish` makes the record of the complete answer.

        Events are made on a thread, of as many answers at a time as `limiter` allows; none before `begin`.
        """
        super().__init__(self._lines(), headers={"cache-control": "no-store", "x-accel-buffering": "no"})
        self._events = events
        self._stop = stop
        self._finish = finish
        self._limiter = limiter
        self._next: tuple[str, bytes] | None = None
        self._gone = False

    async def begin(self, receive: Receive) -> AnswerStream:
        """Make the first event, and return the stream. Raises what that raises, so that it can be an error response."""
        async with interrupt_on_disconnect(receive, self._stop):
            self._next = await self._next_event()
        return self

    async def __call__(self, _scope: Scope, receive: Receive, send: Send) -> None:
        """Send the events until the last one, or until the client disconnects."""
        try:
            async with interrupt_on_disconnect(receive, self._hang_up), anyio.create_task_group() as group:
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
                self._next = await self._next_event()
            except Exception as error:  # noqa: BLE001 - the status is sent: the last event says what failed
                self._next = "failed", bytes(response_of(refusal_of(error)).body)

    async def _next_event(self) -> tuple[str, bytes] | None:
        """Return the name and the data of the next event; None at the end."""

        def make() -> tuple[str, bytes] | None:
            event = next(self._events, None)
            if event is None:
                return None
            name, message = event_message(event, self._finish)
            return name, message.model_dump_json().encode()

        return await anyio.to_thread.run_sync(make, limiter=self._limiter)


async def _beat(send: Send) -> None:
    """Send a comment every 15 seconds, until it is cancelled, so that a proxy keeps the connection open."""
    while True:
        await anyio.sleep(_BEAT_SECONDS)
        await send({"type": "http.response.body", "body": b": still working\n\n", "more_body": True})


def event_message(event: Event, finish: Finish) -> tuple[str, BaseModel]:
    """Return the name of an event and its message; `finish` makes that of the answer."""
    values: dict[str, Any]
    match event:
        case Answered():
            return "answered", finish(event.answer)
        case Planned():
            values = {"queries": event.queries.to_json()}
        case Searched():
            pages = [asdict(page) for page in event.pages]
            values = {"evidence": [e.to_json() for e in event.evidence], "pages": pages}
        case Checked():
            values = {"index": event.index, "sentence": event.sentence.to_json()}
        case _:
            values = asdict(event)
    name = type(event).__name__.lower()
    return name, record_of(STREAMED[name], values)
