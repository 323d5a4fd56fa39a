"""The requests between our messages and LlamaIndex's: what each holds, how its end is read, what it cost.

LlamaIndex takes seconds to import, so nothing here imports it before a call is made.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rag.errors import BadCredentials, ReplyCutOff, ReplyUnusable, RequestRefused, ServerDown, ServerFailed
from rag.llm.chat import Message, Reply, Schema
from rag.llm.images import encoded, fitted, images_of
from rag.llm.settings import ModelSettings
from rag.llm.structured_reply import json_value
from rag.llm.tokens import text_tokens
from rag.usage import Usage

if TYPE_CHECKING:
    from llama_index.core.base.llms.types import ChatMessage, ChatResponse

_NO_CONTROLS = dict.fromkeys(range(32), " ")
"""The control characters, each to a space: a grammar with bounded strings lets them through (xgrammar in vLLM 0.32).
JSON forbids them in strings, and between strings has them as white space, if at all: a space will do in both places.
"""
CHARS_A_TOKEN = 32
"""The characters of a token that no text has on average: a reply of more is one of a server that minds no limit."""
_AS_JSON = "\n\nReply with one JSON object that obeys this JSON schema, and with nothing else:\n"


def key_of(settings: ModelSettings) -> str:
    """Return the key, out of the environment; empty when none is wanted. Raises BadCredentials."""
    name = settings.api_key_env
    key = os.environ.get(name, "").strip() if name else ""
    if name and not (key and key.isascii() and key.isprintable()):
        what = "contains characters other than printable ASCII" if key else "is not set"
        raise BadCredentials(
            f"the environment variable {name} (rag.model.api_key_env) {what}: export {name}=... and try again"
        )
    return key


@dataclass(slots=True)
class OpenLine:
    """The line of a reply that is being written; of one in JSON the string, or what stands between two strings."""

    most: int
    as_json: bool
    chars: int = 0
    escaped: bool = False

    def room(self, piece: str) -> int:
        """Take in the next piece of the reply, and return the number of its characters before a line is too long."""
        for n, char in enumerate(piece):
            ends = (char == '"' and not self.escaped) if self.as_json else char in "\r\n"
            self.escaped = char == "\\" and not self.escaped
            self.chars = 0 if ends else self.chars + 1
            if self.chars > self.most:
                return n
        return len(piece)


@dataclass(frozen=True, slots=True)
class Call:
    """A request, ready to be sent, and the part of its cost that is known before that."""

    settings: ModelSettings
    messages: list[ChatMessage]
    options: dict[str, Any]
    prompt_tokens: int
    images: int
    as_json: bool

    @property
    def streamed(self) -> dict[str, Any]:
        """The options of a call that is read as it comes: its usage arrives in a last event."""
        return self.options | {"stream_options": {"include_usage": True}}

    def read(self, text: str) -> str:
        """Return a piece of a reply, halves of surrogate pairs replaced; one of JSON without control characters."""
        text = text.encode("utf-8", "replace").decode()
        return text.translate(_NO_CONTROLS) if self.as_json else text

    def usage(self, counted: Any, text: str, tries: int, started: float) -> Usage:
        """Return the usage as the server counted (`prompt_tokens`, `completion_tokens`), else by our estimates."""
        asked = count_of(getattr(counted, "prompt_tokens", None))
        said = count_of(getattr(counted, "completion_tokens", None))
        asked = self.prompt_tokens if asked is None else asked
        said = text_tokens(text) if said is None else said
        s = self.settings
        cost = (asked * s.prompt_price + said * s.completion_price) / 1e6
        return Usage(asked, said, self.images, tries, time.perf_counter() - started, cost)

    @property
    def most_chars(self) -> int:
        """The characters that a reply of the tokens that are asked for never has."""
        return CHARS_A_TOKEN * int(self.options["max_tokens"])

    def too_long(self) -> ReplyCutOff:
        """Return the error of a server that says more than it was asked for."""
        return ReplyCutOff(
            f"{self.settings.place} sent more than the {self.options['max_tokens']} tokens requested, and was "
            "cut off: check whether the server respects max_tokens"
        )

    def line(self) -> OpenLine:
        """Return the first line of the reply, before anything of it has come."""
        return OpenLine(self.settings.max_line_chars, self.as_json)

    def line_too_long(self) -> ReplyCutOff:
        """Return the error of a model that goes on and on in one line."""
        what = "string" if self.as_json else "line"
        return ReplyCutOff(
            f"{self.settings.name} wrote more than {self.settings.max_line_chars:,} characters in one {what}, "
            "and was cut off: it probably repeats itself; if not, raise rag.model.max_line_chars"
        )

    def reply(self, text: str, finish: str | None, usage: Usage) -> Reply:
        """Return the reply. Raises ReplyCutOff, ReplyUnusable, RequestRefused or ServerFailed for one that is none."""
        name = self.settings.name
        if len(text) > self.most_chars:
            error = self.too_long()
            error.text, error.usage = text[: self.most_chars], usage
            raise error
        room = self.line().room(text)
        if room < len(text):
            error = self.line_too_long()
            error.text, error.usage = text[:room], usage
            raise error
        if finish == "length":
            limit = self.options["max_tokens"]
            advice = (
                "raise rag.model.max_output_tokens"
                if limit >= self.settings.max_output_tokens
                else "request less of it: if the model thinks before it answers, turn that off in rag.model.extra_body"
            )
            raise ReplyCutOff(f"the reply of {name} was cut off after {limit} tokens: {advice}", text=text, usage=usage)
        if finish == "content_filter":
            raise RequestRefused(
                f"the server's filter stopped the reply of {name}: ask in other words, or choose another model",
                text=text,
                usage=usage,
            )
        if finish in ("abort", "error"):
            raise ServerFailed(f"{self.settings.place} aborted its reply: see the server's log", text=text, usage=usage)
        if self.as_json and not _is_object(text):
            raise ReplyUnusable(
                f"{name} replied with something other than the requested JSON: if the server cannot restrict "
                "replies to a schema, set rag.model.structured to markers; `vouch doctor` checks that",
                text=text,
                usage=usage,
            )
        if not text.strip():
            raise ReplyUnusable(f"{name} sent an empty reply: check that it is a chat model", text=text, usage=usage)
        return Reply(text, usage)


def call_of(
    settings: ModelSettings,
    messages: Sequence[Message],
    prompt_tokens: int,
    schema: Schema | None,
    max_tokens: int,
    temperature: float | None = None,
) -> Call:
    """Return the request for these messages. Where the server knows no schemas, the last message gives it in words."""
    options: dict[str, Any] = {"max_tokens": max_tokens}
    if temperature not in (None, settings.temperature):  # else LlamaIndex decides: it knows models that take one only
        options["temperature"] = temperature
    if settings.seed is not None:
        options["seed"] = settings.seed
    if settings.extra_body:
        options["extra_body"] = dict(settings.extra_body)
    if schema is not None and settings.structured == "schema":
        form = {"name": "reply", "schema": dict(schema), "strict": True}
        options["response_format"] = {"type": "json_schema", "json_schema": form}
    elif schema is not None:
        last = messages[-1]
        messages = (*messages[:-1], Message(last.role, (*last.parts, _AS_JSON + json.dumps(schema))))
    turns = [_turn(m, settings) for m in messages]
    return Call(settings, turns, options, prompt_tokens, len(images_of(messages)), schema is not None)


def _turn(message: Message, settings: ModelSettings) -> ChatMessage:
    """Return a message as LlamaIndex has it.

    Raises ValueError for an image in a role other than user: it would be dropped there.
    """
    from llama_index.core.base.llms.types import ChatMessage, ImageBlock, TextBlock

    blocks: list[TextBlock | ImageBlock] = []
    for part in message.parts:
        if isinstance(part, str):  # half a surrogate pair cannot be sent
            blocks.append(TextBlock(text=part.encode("utf-8", "replace").decode()))
            continue
        if message.role != "user":
            raise ValueError(f"images are allowed only in messages of the user, not of the {message.role}")
        data, media_type = encoded(fitted(part, settings))
        blocks.append(ImageBlock(image=data, image_mimetype=media_type))
    return ChatMessage(role=message.role, blocks=blocks)


@dataclass(slots=True)
class StreamedReply:
    """A streamed reply as far as it has come."""

    call: Call
    first: ChatResponse | None
    chunks: Iterator[ChatResponse]
    tries: int
    started: float
    line: OpenLine
    pieces: list[str] = field(default_factory=list)
    chars: int = 0
    finish: str | None = None
    counted: Any = None

    def read(self) -> str | None:
        """Return the text that the next chunk adds, which may be none; None at the end. Raises ReplyCutOff."""
        chunk, self.first = self.first or next(self.chunks, None), None
        if chunk is None:
            return None
        raw: Any = chunk.raw
        self.counted = raw.usage or self.counted
        for choice in raw.choices:
            self.finish = choice.finish_reason or self.finish
        piece = self.call.read(chunk.delta or "")
        if piece:
            self.pieces.append(piece)
            self.chars += len(piece)
        if self.chars > self.call.most_chars:
            error = self.call.too_long()
            error.text, error.usage = self.text[: self.call.most_chars], self.usage
            raise error
        room = self.line.room(piece)
        if room < len(piece):
            error = self.call.line_too_long()
            error.text, error.usage = self.text[: self.chars - len(piece) + room], self.usage
            raise error
        return piece

    @property
    def usage(self) -> Usage:
        """The cost so far."""
        return self.call.usage(self.counted, self.text, self.tries, self.started)

    @property
    def text(self) -> str:
        """The text so far."""
        return "".join(self.pieces)

    def reply(self) -> Reply:
        """Return the whole reply, at its end. A stream that ends without a reason has lost its server."""
        if self.finish is None:
            raise ServerDown(
                f"{self.call.settings.place} stopped in the middle of a reply: check whether the server is "
                "still running",
                text=self.text,
                usage=self.usage,
            )
        return self.call.reply(self.text, self.finish, self.usage)


def _is_object(text: str) -> bool:
    """Return True if the text is one JSON object and nothing else."""
    try:
        return isinstance(json_value(text), dict)
    except ValueError:
        return False


def count_of(said: object) -> int | None:
    """Return a number of tokens as a server gives it; None for what is none."""
    return said if isinstance(said, int) and not isinstance(said, bool) and 0 <= said < 10**12 else None
