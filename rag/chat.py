"""What a language model is to us: messages of texts and images in, text out under a JSON schema, usage counted.

`rag.llm` has the one client; the stages of answering take any `ChatModel`, and tests bring their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol

if TYPE_CHECKING:
    from PIL import Image

Schema = Mapping[str, Any]
"""A JSON schema; every string and array in it is bounded, as small models fill what is not."""


@dataclass(frozen=True, slots=True)
class Message:
    """A turn: texts and images (RGB) in the order in which the model reads them."""

    role: Literal["system", "user", "assistant"]
    parts: tuple[str | Image.Image, ...]


@dataclass(frozen=True, slots=True)
class Usage:
    """What calls cost: tokens as the server counted them (as estimated where it did not), images, calls, seconds.

    `cost` is in the currency of the settings' prices; 0 without prices.
    """

    prompt_tokens: int = 0
    completion_tokens: int = 0
    images: int = 0
    calls: int = 0
    seconds: float = 0.0
    cost: float = 0.0

    def __add__(self, other: Usage) -> Usage:
        """Both together."""
        return Usage(
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.images + other.images,
            self.calls + other.calls,
            self.seconds + other.seconds,
            self.cost + other.cost,
        )


NO_USAGE = Usage()


@dataclass(frozen=True, slots=True)
class Reply:
    """All that a model said, and what it cost. A reply that its length limit cut off is an error, never a reply."""

    text: str
    usage: Usage


@dataclass(frozen=True, slots=True)
class Room:
    """What fits into one call: prompt tokens (context less what the answer may take), and images."""

    tokens: int
    images: int


class ChatModel(Protocol):
    """A model behind some server. Every method may be called from several threads."""

    name: str
    room: Room

    def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: Schema | None = None,
        max_tokens: int | None = None,
        temperature: float | None = None,
    ) -> Reply:
        """The whole reply; with `schema`, text that is JSON of that form; `temperature` in the place of the settings'.

        Raises ModelError.
        """
        ...

    def stream(
        self, messages: Sequence[Message], *, schema: Schema | None = None, max_tokens: int | None = None
    ) -> Iterator[str | Reply]:
        """Pieces of text as they come and, last, the whole `Reply`; closing the iterator ends the call."""
        ...

    def tokens(self, messages: Sequence[Message]) -> int:
        """Estimated tokens of a prompt, images included, never far below what the server will count."""
        ...
