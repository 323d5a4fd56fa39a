"""A model that stops in mid-sentence when the person who asked wants no more: the call to its server is closed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from rag import RagError

if TYPE_CHECKING:
    from rag.chat import ChatModel, Message, Reply, Room, Schema


class Interrupted(RagError):
    """Nobody waits for this any more."""


class Interruptible:
    """A `ChatModel` in the place of another: no call is begun, and no streamed one goes on, once `stopped` is true."""

    def __init__(self, model: ChatModel, stopped: Callable[[], bool]) -> None:
        """`stopped` is asked before each call, and at each piece of a streamed one, on the thread that reads it."""
        self.name: str = model.name
        self.room: Room = model.room
        self._model = model
        self._stopped = stopped

    def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: Schema | None = None,
        max_tokens: int | None = None,
        temperature: float | None = None,
    ) -> Reply:
        """The whole reply. Raises Interrupted."""
        self._check()
        return self._model.complete(messages, schema=schema, max_tokens=max_tokens, temperature=temperature)

    def stream(
        self, messages: Sequence[Message], *, schema: Schema | None = None, max_tokens: int | None = None
    ) -> Iterator[str | Reply]:
        """Pieces and the reply. Raises Interrupted between two of them, the call closed."""
        self._check()
        pieces = self._model.stream(messages, schema=schema, max_tokens=max_tokens)
        try:
            for piece in pieces:
                self._check()
                yield piece
        finally:
            if close := getattr(pieces, "close", None):
                close()

    def tokens(self, messages: Sequence[Message]) -> int:
        """As the model estimates them."""
        return self._model.tokens(messages)

    def _check(self) -> None:
        if self._stopped():
            raise Interrupted("the question was taken back")
