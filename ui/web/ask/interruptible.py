"""A model that stops in mid-sentence when the person who asked wants no more: the call to its server is closed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from ui.errors import Interrupted

if TYPE_CHECKING:
    from rag.llm import Capacity, ChatModel, Message, Reply, Schema


class Interruptible:
    """A `ChatModel` in the place of another: no call is begun, and no streamed one goes on, once `stopped` is true."""

    def __init__(self, model: ChatModel, stopped: Callable[[], bool]) -> None:
        """Keep the model; `stopped` is asked before each call and at each streamed piece, on the reading thread."""
        self.name: str = model.name
        self.capacity: Capacity = model.capacity
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
        """Return the whole reply. Raises Interrupted."""
        self._check()
        return self._model.complete(messages, schema=schema, max_tokens=max_tokens, temperature=temperature)

    def stream(
        self, messages: Sequence[Message], *, schema: Schema | None = None, max_tokens: int | None = None
    ) -> Iterator[str | Reply]:
        """Yield pieces and the reply. Raises Interrupted between two of them, the call closed."""
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
        """Estimate the tokens as the model does."""
        return self._model.tokens(messages)

    def _check(self) -> None:
        if self._stopped():
            raise Interrupted("the question was cancelled")
