"""The requests between our messages and LlamaIndex's: what each holds, how its end is read, what it cost.

LlamaIndex takes seconds to import, so nothing here imports it before a call is made.
"""

from __future__ import annotations

import ipaddress
import json
import os
import socket
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from pydantic_core import from_json

from rag.errors import BadCredentials, ReplyCutOff, ReplyUnusable, RequestRefused, ServerDown, ServerFailed
from rag.llm.chat import Message, Reply, Schema
from rag.llm.failures import unreachable
from rag.llm.images import encoded, fitted, images_of
from rag.llm.settings import ModelSettings
from rag.llm.tokens import text_tokens
from rag.usage import Usage

if TYPE_CHECKING:
    import httpx
    from llama_index.core.base.llms.types import ChatMessage, ChatResponse
    from llama_index.llms.openai_like import OpenAILike
    from openai import OpenAI

_NO_CONTROLS = dict.fromkeys(range(32), " ")
"""The control characters, each to a space: a grammar with bounded strings lets them through (xgrammar in vLLM 0.32).
JSON forbids them in strings, and between strings has them as white space, if at all: a space will do in both places.
"""
CONNECT_SECONDS = 2.0
"""The seconds after which a server that does not take a connection is told to be down."""
_AS_JSON = "\n\nReply with one JSON object that obeys this JSON schema, and with nothing else:\n"


def key_of(settings: ModelSettings) -> str:
    """Return the key, out of the environment; empty when none is wanted. Raises BadCredentials."""
    name = settings.api_key_env
    key = os.environ.get(name, "").strip() if name else ""
    if name and not (key and key.isascii() and key.isprintable()):
        what = "holds what no key has: characters beyond ASCII" if key else "is not set"
        raise BadCredentials(f"the variable {name} (rag.model.api_key_env) {what}: export {name}=... and try again")
    return key


class _Answered(threading.local):
    """The last response that this thread received. Closing LlamaIndex's generator does not close it: the client's
    stream holds itself in a cycle, and the server would write on until memory is collected.
    """

    response: httpx.Response | None = None

    def take(self, response: httpx.Response) -> None:
        """Keep the response, as httpx reports it, before it is read."""
        self.response = response


_ANSWERED = _Answered()


def last_response() -> httpx.Response:
    """Return the response to this thread's last request, open where it is streamed."""
    assert _ANSWERED.response is not None  # noqa: S101  asked for after a request
    return _ANSWERED.response


def check_reachable(settings: ModelSettings) -> None:
    """Raise ServerDown within CONNECT_SECONDS where nobody listens at the address. It trusts a proxy."""
    parts = urlsplit(settings.base_url)
    host = settings.host
    if not _is_loopback(host) and parts.scheme in getproxies() and not proxy_bypass(host):
        return
    try:
        port = parts.port or (443 if parts.scheme == "https" else 80)
        socket.create_connection((host, port), timeout=CONNECT_SECONDS).close()
    except OSError as error:
        raise unreachable(error, settings) from error


def connected(settings: ModelSettings, key: str) -> tuple[OpenAILike, OpenAI]:
    """Return LlamaIndex's model and the client inside it. No connection is made yet."""
    import httpx
    from llama_index.llms.openai_like import OpenAILike
    from openai import OpenAI

    # A proxy of the environment would see what is meant for a server on this machine.
    patience = httpx.Timeout(settings.timeout, connect=min(CONNECT_SECONDS, settings.timeout))
    http = httpx.Client(
        timeout=patience,
        follow_redirects=False,
        trust_env=not _is_loopback(settings.host),
        event_hooks={"response": [_ANSWERED.take]},
    )
    client = OpenAI(
        base_url=settings.base_url,
        api_key=key or "none",  # the client insists on one
        max_retries=0,  # the tries are ours: they tell a refusal from a failure, and cover streams
        timeout=patience,
        http_client=http,
    )
    client.organization = client.project = None  # those of the environment are for OpenAI alone
    llm = OpenAILike(
        model=settings.name,
        api_base=settings.base_url,
        api_key="none",  # kept out of what LlamaIndex hands to its event handlers
        is_chat_model=True,
        should_use_structured_outputs=True,
        context_window=settings.context_tokens,
        temperature=settings.temperature,
        timeout=settings.timeout,
        max_retries=0,
        openai_client=client,
    )
    # max_tokens goes with each call: LlamaIndex prefers the constructor's to the call's.
    return llm, client


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
        """Return a piece of a reply; one of JSON without control characters."""
        return text.translate(_NO_CONTROLS) if self.as_json else text

    def usage(self, counted: Any, text: str, tries: int, started: float) -> Usage:
        """Return the usage as the server counted (`prompt_tokens`, `completion_tokens`), else by our estimates."""
        asked = getattr(counted, "prompt_tokens", None)
        said = getattr(counted, "completion_tokens", None)
        asked = self.prompt_tokens if asked is None else int(asked)
        said = text_tokens(text) if said is None else int(said)
        s = self.settings
        cost = (asked * s.prompt_price + said * s.completion_price) / 1e6
        return Usage(asked, said, self.images, tries, time.perf_counter() - started, cost)

    def reply(self, text: str, finish: str | None, usage: Usage) -> Reply:
        """Return the reply. Raises ReplyCutOff, ReplyUnusable, RequestRefused or ServerFailed for one that is none."""
        name = self.settings.name
        if finish == "length":
            limit = self.options["max_tokens"]
            advice = (
                "raise rag.model.max_output_tokens"
                if limit >= self.settings.max_output_tokens
                else "ask it for less: if it thinks before it answers, turn that off in rag.model.extra_body"
            )
            raise ReplyCutOff(f"the reply of {name} was cut off after {limit} tokens: {advice}", text=text, usage=usage)
        if finish == "content_filter":
            raise RequestRefused(
                f"the server's filter stopped the reply of {name}: ask in other words, or another model",
                text=text,
                usage=usage,
            )
        if finish in ("abort", "error"):
            raise ServerFailed(
                f"{self.settings.base_url} gave up its reply: see the server's log", text=text, usage=usage
            )
        if self.as_json and not _is_object(text):
            raise ReplyUnusable(
                f"{name} replied with something other than the JSON that was asked for: if the server cannot hold "
                "replies to a schema, set rag.model.structured to markers; `vouch doctor` finds out",
                text=text,
                usage=usage,
            )
        if not text.strip():
            raise ReplyUnusable(f"{name} replied with nothing: check that it is a chat model", text=text, usage=usage)
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
            raise ValueError(f"images belong into messages of the user, not of the {message.role}")
        data, media_type = encoded(fitted(part, settings))
        blocks.append(ImageBlock(image=data, image_mimetype=media_type))
    return ChatMessage(role=message.role, blocks=blocks)


@dataclass(slots=True)
class StreamedReply:
    """A streamed reply as far as it has come."""

    call: Call
    chunks: Iterator[ChatResponse]
    tries: int
    started: float
    pieces: list[str] = field(default_factory=list)
    finish: str | None = None
    counted: Any = None

    def take(self, chunk: ChatResponse) -> str:
        """Return the text that a chunk adds, which may be none."""
        raw: Any = chunk.raw
        self.counted = raw.usage or self.counted
        for choice in raw.choices:
            self.finish = choice.finish_reason or self.finish
        piece = self.call.read(chunk.delta or "")
        if piece:
            self.pieces.append(piece)
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
                f"{self.call.settings.base_url} broke off in the middle of a reply: see whether the server still runs",
                text=self.text,
                usage=self.usage,
            )
        return self.call.reply(self.text, self.finish, self.usage)


def _is_object(text: str) -> bool:
    """Return True if the text is one JSON object and nothing else."""
    try:
        return isinstance(from_json(text), dict)
    except ValueError:
        return False


def _is_loopback(host: str) -> bool:
    """Return True if an address stays on this machine."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
