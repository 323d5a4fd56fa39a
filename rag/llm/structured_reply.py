"""Structured replies: pydantic makes the JSON schema that the server restricts a reply to, and validates the reply.

Every string and list of a form has a limit, because small models fill unlimited ones endlessly; no field has a default.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import from_json

from rag.errors import ReplyUnusable
from rag.llm.chat import ChatModel, Message
from rag.usage import Usage


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
