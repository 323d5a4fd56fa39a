"""Hang-ups: an answer or a check ends when whoever asked for it waits no more, by whichever way they came."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, MutableMapping
from contextlib import asynccontextmanager, closing, contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, cast

import anyio

from rag import Answered
from ui.errors import Interrupted

if TYPE_CHECKING:
    from collections.abc import Generator

    from rag import Answer, Event

_GONE: ContextVar[Callable[[], bool]] = ContextVar("gone", default=bool)
"""A function that returns True once the caller is gone; threads that a request starts have it too."""


@contextmanager
def waited_for(is_gone: Callable[[], bool]) -> Iterator[None]:
    """Have answers that are made in the block end once `is_gone` returns True."""
    token = _GONE.set(is_gone)
    try:
        yield
    finally:
        _GONE.reset(token)


@asynccontextmanager
async def waiting_caller(
    receive: Callable[[], Awaitable[MutableMapping[str, Any]]], stop: Callable[[], None] = lambda: None
) -> AsyncIterator[None]:
    """Have answers that are made in the block end when the connection is closed, which also calls `stop`.

    The body of the request has to be read before.
    """
    gone = threading.Event()

    async def listen() -> None:
        await until_gone(receive)
        gone.set()
        stop()

    failure: Exception | None = None
    async with anyio.create_task_group() as group:
        group.start_soon(listen)
        try:
            with waited_for(gone.is_set):
                yield
        except Exception as error:  # noqa: BLE001 - raised again outside of the group, which would wrap it
            failure = error
        group.cancel_scope.cancel()
    if failure is not None:
        raise failure


async def until_gone(receive: Callable[[], Awaitable[MutableMapping[str, Any]]]) -> None:
    """Return when the caller closes the connection."""
    while (await receive())["type"] != "http.disconnect":
        continue


def last_answer(events: Generator[Event]) -> Answer:
    """Return the answer at the end of its events. Raises Interrupted, the events closed, once the caller is gone."""
    with closing(events):
        (last,) = deque(_while_waited_for(events), maxlen=1)
    return cast("Answered", last).answer


def _while_waited_for(events: Iterator[Event]) -> Iterator[Event]:
    is_gone = _GONE.get()
    for event in events:
        if is_gone():
            raise Interrupted("the request was cancelled")
        yield event
