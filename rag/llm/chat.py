"""The protocol of a chat model: messages of texts and images in, text (under a JSON schema if wanted) out.

`rag.llm` has the one client; the stages of answering take any `ChatModel`, and tests bring their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol

if TYPE_CHECKING:
    from PIL import Image
from rag.usage import Usage

Schema = Mapping[str, Any]
"""A JSON schema; every string and array in it is bounded, as small models fill unbounded ones without end."""


@dataclass(frozen=True, slots=True)
class Message:
    """A turn: texts and images (RGB) in the order in which the model reads them."""

    role: Literal["system", "user", "assistant"]
    parts: tuple[str | Image.Image, ...]


@dataclass(frozen=True, slots=True)
class Reply:
    """The whole text of a reply and its cost. A reply that its length limit cut off is an error, never a reply."""

    text: str
    usage: Usage


@dataclass(frozen=True, slots=True)
class Capacity:
    """The room of one call: prompt tokens (context less the limit of the answer), and images."""

    tokens: int
    images: int


class ChatModel(Protocol):
    """A model behind some server. Every method may be called from several threads."""

    name: str
    capacity: Capacity

    def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: Schema | None = None,
        max_tokens: int | None = None,
        temperature: float | None = None,
    ) -> Reply:
        """Return the whole reply; with `schema`, text that is JSON of that form.

        `temperature` replaces that of the settings. Raises ModelError.
        """
        ...

    def stream(
        self, messages: Sequence[Message], *, schema: Schema | None = None, max_tokens: int | None = None
    ) -> Iterator[str | Reply]:
        """Yield pieces of text as they come and, last, the whole `Reply`; closing the iterator ends the call."""
        ...

    def tokens(self, messages: Sequence[Message]) -> int:
        """Estimate the tokens of a prompt, images included, never far below the count of the server."""
        ...
