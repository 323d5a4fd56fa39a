"""The protocol of a chat model: messages of texts and images in, text or a filled form out.

`rag.llm` has the one client; the stages of answering take any `ChatModel`, and tests bring their own. Every string and
list of a form has a limit, because small models fill unlimited ones endlessly; no field has a default.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import from_json

from rag.errors import ReplyUnusable
from rag.usage import Usage

if TYPE_CHECKING:
    from PIL import Image

    from rag.llm.settings import ModelSettings

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
        """Return the complete reply, JSON with a `schema`; `temperature` replaces the settings'. Raises ModelError."""
        ...

    def stream(
        self, messages: Sequence[Message], *, schema: Schema | None = None, max_tokens: int | None = None
    ) -> Iterator[str | Reply]:
        """Yield pieces of text as they come and, last, the whole `Reply`; closing the iterator ends the call."""
        ...

    def tokens(self, messages: Sequence[Message]) -> int:
        """Estimate the tokens of a prompt, images included, never far below the count of the server."""
        ...


@dataclass(frozen=True, slots=True)
class Served:
    """A model that a server lists; its context in tokens, 0 where the server does not say."""

    name: str
    context_tokens: int


class ServerModel(ChatModel, Protocol):
    """A chat model on the server that its settings name, as `vouch doctor`, `vouch connect` and benchmarks use it."""

    settings: ModelSettings

    def check_reachable(self) -> None:
        """Raise a ModelError now if the server cannot be used, before work that would be for nothing."""
        ...

    def list_models(self) -> tuple[Served, ...]:
        """Return the models that the server lists. Raises ModelError."""
        ...

    def close(self) -> None:
        """Close the connections. A call after that opens new ones."""
        ...


class Form(BaseModel):
    """A form that a model fills in."""

    model_config = ConfigDict(extra="forbid", strict=True)


F = TypeVar("F", bound=Form)
M = TypeVar("M", bound=BaseModel)


def complete_as(
    model: ChatModel,
    messages: Sequence[Message],
    form: type[F],
    max_tokens: int,
    *,
    temperature: float | None = None,
    most: Mapping[str, int] | None = None,
) -> tuple[F, Usage]:
    """Return the form that the model fills in, and its cost; `temperature` None is that of the settings.

    `most` limits lists of this reply to fewer entries than the form allows. Raises ModelError, and ReplyUnusable for a
    reply of another form.
    """
    schema = form.model_json_schema()
    for name, entries in (most or {}).items():
        schema["properties"][name]["maxItems"] = entries
    reply = model.complete(messages, schema=schema, max_tokens=max_tokens, temperature=temperature)
    try:
        return read_form(reply.text, form), reply.usage
    except ReplyUnusable as error:
        advice = "`vouch doctor` checks whether the server restricts replies to a schema"
        raise ReplyUnusable(f"{error}; {advice}", text=reply.text, usage=reply.usage) from None


def read_form(text: str, form: type[M]) -> M:
    """Parse and validate a complete JSON reply. Raises ReplyUnusable, which names the first fault."""
    try:
        return form.model_validate(json_value(text))
    except ValidationError as error:
        first = error.errors()[0]
        what = f"does not have the requested form: {'.'.join(map(str, first['loc'])) or 'the reply'}: {first['msg']}"
    except ValueError as error:
        what = f"is not JSON: {error}"
    raise ReplyUnusable(f"the model's reply {what}", text=text)


def json_value(text: str, *, partial: bool = False) -> Any:
    """Parse JSON, or a prefix of it; half a surrogate pair becomes a question mark. Raises ValueError."""
    return from_json(text.encode("utf-8", "replace"), allow_partial=partial)
