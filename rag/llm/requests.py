"""Requests to a chat server: convert messages to LlamaIndex's, check how a reply ended, and compute its cost.

LlamaIndex takes seconds to import, so nothing here imports it before a call is made.
"""

from __future__ import annotations

import json
import math
import os
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rag.errors import BadCredentials, ReplyCutOff, ReplyUnusable, RequestRefused, ServerDown, ServerFailed
from rag.llm.chat import Message, Reply, Schema, json_value
from rag.llm.images import encode_image, fit_image, images_of
from rag.llm.settings import ModelSettings
from rag.usage import Usage

if TYPE_CHECKING:
    from llama_index.core.base.llms.types import ChatMessage, ChatResponse

_NO_CONTROLS = dict.fromkeys(range(32), " ")
"""The control characters, each to a space: a grammar with bounded strings lets them through (xgrammar in vLLM 0.32).
JSON forbids them in strings and allows some as white space between strings, so a space is right in both places.
"""
CHARS_A_TOKEN = 32
"""More characters a token than any text has on average: a longer reply means that the server ignores the limit."""
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
    """The unfinished last line of a reply; in JSON the last string, or the text between two strings."""

    most: int
    as_json: bool
    chars: int = 0
    after_backslash: bool = False

    def room(self, piece: str) -> int:
        """Add the next piece of the reply; return how many of its characters come before a line gets too long."""
        for n, char in enumerate(piece):
            ends = (char == '"' and not self.after_backslash) if self.as_json else char in "\r\n"
            self.after_backslash = char == "\\" and not self.after_backslash
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
    def streaming_options(self) -> dict[str, Any]:
        """The options of a streamed call, which ask for the usage in the last event."""
        return self.options | {"stream_options": {"include_usage": True}}

    def clean_text(self, text: str) -> str:
        """Return a piece of a reply, halves of surrogate pairs replaced; one of JSON without control characters."""
        text = text.encode("utf-8", "replace").decode()
        return text.translate(_NO_CONTROLS) if self.as_json else text

    def usage(self, server_usage: Any, text: str, tries: int, start_time: float) -> Usage:
        """Return the usage that the server counted (`prompt_tokens`, `completion_tokens`), or estimate it."""
        prompt_tokens = count_of(getattr(server_usage, "prompt_tokens", None))
        completion_tokens = count_of(getattr(server_usage, "completion_tokens", None))
        prompt_tokens = self.prompt_tokens if prompt_tokens is None else prompt_tokens
        completion_tokens = text_tokens(text) if completion_tokens is None else completion_tokens
        s = self.settings
        cost = (prompt_tokens * s.prompt_price + completion_tokens * s.completion_price) / 1e6
        return Usage(prompt_tokens, completion_tokens, self.images, tries, time.perf_counter() - start_time, cost)

    @property
    def most_chars(self) -> int:
        """The most characters that a reply of `max_tokens` tokens can have."""
        return CHARS_A_TOKEN * int(self.options["max_tokens"])

    def too_long(self, text: str, usage: Usage) -> ReplyCutOff:
        """Return the error for a server that sends more than `max_tokens`; `text` is what has arrived."""
        return ReplyCutOff(
            f"{self.settings.place} sent more than the {self.options['max_tokens']} tokens requested, and was "
            "cut off: check whether the server respects max_tokens",
            text=text[: self.most_chars],
            usage=usage,
        )

    def line(self) -> OpenLine:
        """Return the first line of the reply, still empty."""
        return OpenLine(self.settings.max_line_chars, self.as_json)

    def line_too_long(self, text: str, usage: Usage) -> ReplyCutOff:
        """Return the error for a model that writes a line without end; `text` is what arrived before the limit."""
        what = "string" if self.as_json else "line"
        return ReplyCutOff(
            f"{self.settings.name} wrote more than {self.settings.max_line_chars:,} characters in one {what}, "
            "and was cut off: it probably repeats itself; if not, raise rag.model.max_line_chars",
            text=text,
            usage=usage,
        )

    def reply(self, text: str, finish: str | None, usage: Usage) -> Reply:
        """Return the reply, if it is usable. Raises ReplyCutOff, ReplyUnusable, RequestRefused or ServerFailed."""
        name = self.settings.name
        if len(text) > self.most_chars:
            raise self.too_long(text, usage)
        room = self.line().room(text)
        if room < len(text):
            raise self.line_too_long(text[:room], usage)
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
    """Return the request for these messages. The last message contains a schema that the server does not support."""
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
    """Return a message in LlamaIndex's type. Raises ValueError for an image in a role other than user."""
    from llama_index.core.base.llms.types import ChatMessage, ImageBlock, TextBlock

    blocks: list[TextBlock | ImageBlock] = []
    for part in message.parts:
        if isinstance(part, str):  # half a surrogate pair cannot be sent
            blocks.append(TextBlock(text=part.encode("utf-8", "replace").decode()))
            continue
        if message.role != "user":
            raise ValueError(f"images are allowed only in messages of the user, not of the {message.role}")
        data, media_type = encode_image(fit_image(part, settings))
        blocks.append(ImageBlock(image=data, image_mimetype=media_type))
    return ChatMessage(role=message.role, blocks=blocks)


@dataclass(slots=True)
class StreamedReply:
    """The part of a streamed reply that has arrived."""

    call: Call
    first: ChatResponse | None
    chunks: Iterator[ChatResponse]
    tries: int
    start_time: float
    line: OpenLine
    pieces: list[str] = field(default_factory=list)
    chars: int = 0
    finish: str | None = None
    server_usage: Any = None

    def next_text(self) -> str | None:
        """Return the text of the next chunk, which may be empty; None at the end. Raises ReplyCutOff."""
        chunk, self.first = self.first or next(self.chunks, None), None
        if chunk is None:
            return None
        raw: Any = chunk.raw
        self.server_usage = raw.usage or self.server_usage
        for choice in raw.choices:
            self.finish = choice.finish_reason or self.finish
        piece = self.call.clean_text(chunk.delta or "")
        if piece:
            self.pieces.append(piece)
            self.chars += len(piece)
        if self.chars > self.call.most_chars:
            raise self.call.too_long(self.text, self.usage)
        room = self.line.room(piece)
        if room < len(piece):
            raise self.call.line_too_long(self.text[: self.chars - len(piece) + room], self.usage)
        return piece

    @property
    def usage(self) -> Usage:
        """The cost so far."""
        return self.call.usage(self.server_usage, self.text, self.tries, self.start_time)

    @property
    def text(self) -> str:
        """The text so far."""
        return "".join(self.pieces)

    def reply(self) -> Reply:
        """Return the complete reply. Raises ServerDown for a stream that ended without a finish reason."""
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


def count_of(value: object) -> int | None:
    """Return the value if it is a plausible number of tokens, else None."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**12 else None


MESSAGE_TOKENS = 8
"""The tokens that the chat template puts around a message."""
_PIECES = re.compile(r"(?P<capitals>[A-Z]{2,})|(?P<word>[A-Za-z][a-z]*)|(?P<spaces>\s+)|(?P<sign>[!-~])|(?P<other>.)")


def text_tokens(text: str) -> int:
    """Estimate the tokens of a text.

    A short word is one token, a longer one a token for every four letters (2.5 in a compound, 3 in capitals); digits
    and signs are one each. Other characters count by their bytes in UTF-8: 1.0 for two bytes (Greek, accents), 1.3 for
    three (Chinese, Thai), 3 for four (emoji).
    """
    total = 0.0
    for piece in _PIECES.finditer(text):
        chars = piece.group()
        kind = piece.lastgroup
        if kind == "word":
            total += 1 if len(chars) < 6 else math.ceil(len(chars) / (4 if len(chars) < 13 else 2.5))
        elif kind == "capitals":
            total += math.ceil(len(chars) / 3)
        elif kind == "spaces":  # a single space belongs to the word behind it
            total += chars.count("\n") + len(chars) / 8 if len(chars) > 1 or chars == "\n" else 0
        elif kind == "other":
            total += (1.0, 1.0, 1.3, 3.0)[len(chars.encode("utf-8", "replace")) - 1]
        else:
            total += 1
    return math.ceil(total)
