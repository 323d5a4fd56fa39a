"""The client of OpenAI-compatible servers: a `ChatModel` over LlamaIndex's LLM.

Only `base_url` is ever called: images are sent as base64 in the request, redirects are not followed, and no proxy is
used for a server on this machine. A model in this process is served by `rag.llm.local` and called in the same way.
LlamaIndex takes seconds to import, so that happens with the first call.
"""

from __future__ import annotations

import random
import threading
import time
import weakref
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, TypeVar

from rag.errors import (
    ImageRefused,
    ModelError,
    ModelUnknown,
    PromptTooLong,
    ReplyCutOff,
    ReplyUnusable,
    ServerBusy,
    ServerDown,
    ServerFailed,
)
from rag.llm.chat import Capacity, Message, Reply, Schema, Served, ServerModel
from rag.llm.connection import allowance_of, check_reachable, last_response, map_error, open_client, retry_after
from rag.llm.images import image_tokens, images_of
from rag.llm.local import Engine, engine_of, limit_context
from rag.llm.requests import MESSAGE_TOKENS, Call, StreamedReply, call_of, count_of, key_of, text_tokens
from rag.llm.settings import ModelSettings
from rag.network import Allowance
from rag.usage import trace_span, traced_apart

if TYPE_CHECKING:
    from llama_index.core.base.llms.types import ChatResponse
    from llama_index.llms.openai_like import OpenAILike
    from openai import OpenAI

_T = TypeVar("_T")
_RETRIED = (ServerDown, ServerBusy, ServerFailed)
_FIRST_WAIT, _LONGEST_WAIT = 0.5, 60.0
_MARGIN = 1.1
"""The factor by which estimated tokens of text are raised."""
_ONLY_JSON = Message("user", ("That is not the JSON that was asked for. Reply with the JSON object and nothing else.",))


class ServedModel:
    """The model of the settings. Its methods may be called from several threads, and do what `ChatModel` says.

    Streamed calls and other calls each have `concurrency` places of their own: the reader of a stream may make another
    call before the stream ends, and must not wait for itself.
    """

    def __init__(self, settings: ModelSettings, *, pause: Callable[[float], None] = time.sleep) -> None:
        """Keep the settings; `pause` waits, in seconds. Raises BadCredentials when the key's variable is not set.

        For a model in this process, the files are checked now and loaded by the first call. Raises ModelFileUnusable,
        EngineMissing.
        """
        settings = limit_context(settings) if settings.gguf else settings
        self.settings = settings
        self.name = settings.name
        self.capacity = Capacity(max(1, settings.context_tokens - settings.max_output_tokens), settings.images)
        self._key = key_of(settings)
        self._pause = pause
        self._send = threading.BoundedSemaphore(settings.concurrency)
        self._streamed = threading.BoundedSemaphore(settings.concurrency)
        self._connecting = threading.Lock()
        self._clients: tuple[OpenAILike, OpenAI] | None = None
        self._engine: Engine | None = None

    def tokens(self, messages: Sequence[Message]) -> int:
        """Estimate the tokens of a prompt: a tenth above the result of `text_tokens`, and images by their patches."""
        text = sum(text_tokens(part) for m in messages for part in m.parts if isinstance(part, str))
        pixels = sum(image_tokens(*image.size, self.settings) for image in images_of(messages))
        return round(text * _MARGIN) + pixels + MESSAGE_TOKENS * (len(messages) + 1)

    def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: Schema | None = None,
        max_tokens: int | None = None,
        temperature: float | None = None,
    ) -> Reply:
        """Return the complete reply. If it is not the requested JSON, ask once more, then raise ReplyUnusable.

        Both requests share the time and size limits of one call.
        """
        allowance = allowance_of(self.settings)
        try:
            return self._complete_once(allowance, messages, schema, max_tokens, temperature)
        except ReplyUnusable as error:
            if schema is None:
                raise
            first = error
        first_reply = Message("assistant", (first.text[:2000] or "...",))
        try:
            reply = self._complete_once(
                allowance, (*messages, first_reply, _ONLY_JSON), schema, max_tokens, temperature
            )
        except ModelError as error:
            error.usage = first.usage + error.usage
            raise
        return Reply(reply.text, first.usage + reply.usage)

    def stream(
        self, messages: Sequence[Message], *, schema: Schema | None = None, max_tokens: int | None = None
    ) -> Iterator[str | Reply]:
        """Yield pieces, then the `Reply`. Retried only before the first piece; closing it closes the connection.

        The time limit counts only the time spent waiting for the server, not the time between two calls of `next`.
        """
        call, allowance = self._build_call(messages, schema, max_tokens), allowance_of(self.settings)
        self._connection()  # imports for seconds, which is no part of the call
        with self._acquire(self._streamed), traced_apart("vouch.model", gen_ai__request__model=self.name, stream=True):
            start = time.perf_counter()
            (first, chunks), tries = self._retry(lambda: self._open_stream(call), allowance)
            response = last_response()
            incoming = StreamedReply(call, first, chunks, tries, start, call.line())
            try:
                while (piece := self._next(incoming, allowance)) is not None:
                    if piece:
                        yield piece
            finally:
                chunks.close()
                response.close()
        yield incoming.reply()

    def check_reachable(self) -> None:
        """Raise ServerDown, ModelFileUnusable or EngineMissing now, before work that would be for nothing."""
        check_reachable(self.settings)

    def list_models(self) -> tuple[Served, ...]:
        """Return the models that the server lists. Raises ModelError."""
        self._connection()
        models, _ = self._retry(lambda: list(self._client().models.list()), allowance_of(self.settings))
        return tuple(Served(str(m.id), count_of((m.model_extra or {}).get("max_model_len")) or 0) for m in models)

    def _complete_once(
        self,
        allowance: Allowance,
        messages: Sequence[Message],
        schema: Schema | None,
        max_tokens: int | None,
        temperature: float | None,
    ) -> Reply:
        """Return one complete reply, without asking again."""
        call = self._build_call(messages, schema, max_tokens, temperature)
        self._connection()
        with self._acquire(self._send), trace_span("vouch.model", gen_ai__request__model=self.name, stream=False):
            start = time.perf_counter()
            (text, finish, usage), tries = self._retry(lambda: _send(self._llm(), call), allowance)
        return call.reply(text, finish, call.usage(usage, text, tries, start))

    def _build_call(
        self,
        messages: Sequence[Message],
        schema: Schema | None,
        max_tokens: int | None,
        temperature: float | None = None,
    ) -> Call:
        """Return the request. Raise ImageRefused or PromptTooLong now, as some servers cut a long prompt silently."""
        limit = max_tokens or self.settings.max_output_tokens
        images, tokens = len(images_of(messages)), self.tokens(messages)
        if images > self.capacity.images:
            raise ImageRefused(
                f"the prompt has {images} images, and {self.name} takes {self.capacity.images} "
                "(rag.model.images): show fewer, or raise that setting together with the server's own limit"
            )
        if tokens + limit > self.settings.context_tokens:
            raise PromptTooLong(
                f"about {tokens} tokens of prompt and {limit} of reply do not fit in the context of "
                f"{self.name}, {self.settings.context_tokens} tokens (rag.model.context_tokens): show it "
                "less, or serve it with a larger context"
            )
        return call_of(self.settings, messages, tokens, schema, limit, temperature)

    @contextmanager
    def _acquire(self, places: threading.BoundedSemaphore) -> Iterator[None]:
        """Acquire a place for the block. Raises ServerBusy if none becomes free within `queue_seconds`."""
        if not places.acquire(timeout=self.settings.queue_seconds):
            raise ServerBusy(
                f"{self.settings.concurrency} calls of {self.name} are in progress, and none finished within "
                f"{self.settings.queue_seconds:g} s: raise rag.model.concurrency, or ask fewer questions at "
                "once"
            )
        try:
            yield
        finally:
            places.release()

    def _retry(self, attempt: Callable[[], _T], allowance: Allowance) -> tuple[_T, int]:
        """Return the attempt's result and the number of tries; temporary failures are retried after a wait.

        All tries and waits share the allowance of one call.
        """
        for tries in range(1, self.settings.retries + 2):
            try:
                with allowance.running():
                    return attempt(), tries
            except _library_errors() as error:
                ours = self._limit_error(allowance) or map_error(error, self.settings, self._key)
                delay = retry_after(error)
                wait = _back_off(tries) if delay is None else delay
                last = tries > self.settings.retries or wait > min(_LONGEST_WAIT, allowance.seconds)
                if last or not isinstance(ours, _RETRIED):
                    raise self._with_names(ours, allowance) from error
            allowance.seconds -= wait
            self._pause(wait)
        raise AssertionError("unreachable")

    def _limit_error(self, allowance: Allowance) -> ReplyCutOff | None:
        """Return the error for a call that has used up its allowance, else None."""
        s = self.settings
        if allowance.bytes <= 0:
            return ReplyCutOff(
                f"{s.place} sent more than {s.max_bytes:,} bytes for one reply, and was cut off: check what "
                "the server sends, or raise rag.model.max_bytes"
            )
        if allowance.seconds <= 0:
            return ReplyCutOff(
                f"{s.place} took more than {s.max_seconds:g} s for one reply, and was cut off: check what the "
                "server is doing, or raise rag.model.max_seconds"
            )
        return None

    def _with_names(self, error: ModelError, allowance: Allowance) -> ModelError:
        """Return the error, with the names of the server's models if it says that the model is unknown."""
        if isinstance(error, ModelUnknown):
            with suppress(*_library_errors()), allowance.running():
                names = ", ".join(m.id for m in self._client().models.list())
                return ModelUnknown(f"{error} to one of the models that it has: {names[:500]}")
        return error

    def _open_stream(self, call: Call) -> tuple[ChatResponse, Generator[ChatResponse]]:
        """Return the first chunk of a stream, and the rest."""
        import httpx

        chunks: Any = self._llm().stream_chat(call.messages, **call.streaming_options)
        for first in chunks:
            return first, chunks
        raise httpx.RemoteProtocolError("the stream is empty")

    def _next(self, incoming: StreamedReply, allowance: Allowance) -> str | None:
        """Return the text of the next chunk, None at the end. Not retried: earlier pieces are already out."""
        try:
            with allowance.running():
                return incoming.next_text()
        except _library_errors() as error:
            ours = self._limit_error(allowance) or map_error(error, self.settings, self._key)
            if isinstance(ours, ReplyCutOff) and incoming.finish is not None:
                return None  # the reply is whole, and what comes after it is not waited for
            ours.text, ours.usage = incoming.text, incoming.usage
            raise ours from error

    def close(self) -> None:
        """Close the connections, and unload a model that nobody else uses; the next call opens them again."""
        with self._connecting:
            if self._clients is not None:
                self._clients[1].close()
                self._clients = self._engine = None

    def _connection(self) -> tuple[OpenAILike, OpenAI]:
        """Return the connection; the first call makes it, after loading the file of a model in this process."""
        with self._connecting:
            if self._clients is None:
                settings, key = self.settings, self._key
                if settings.gguf:
                    self._engine = engine_of(settings)
                    settings, key = settings.model_copy(update={"base_url": self._engine.base_url}), self._engine.key
                self._clients = open_client(settings, key)
                weakref.finalize(self, self._clients[1].close)
            return self._clients

    def _llm(self) -> OpenAILike:
        return self._connection()[0]

    def _client(self) -> OpenAI:
        return self._connection()[1]


def _send(llm: OpenAILike, call: Call) -> tuple[str, str | None, Any]:
    """Return the text, finish reason and token counts of a reply that is not streamed."""
    response = llm.chat(call.messages, **call.options)
    raw: Any = response.raw
    return call.clean_text(response.message.content or ""), raw.choices[0].finish_reason, raw.usage


def _back_off(tries: int) -> float:
    """Return the seconds to wait: twice as long each time, with jitter so that callers do not retry together."""
    return float(_FIRST_WAIT * 2 ** (tries - 1) * random.uniform(0.8, 1.2))  # noqa: S311 - no secret


def _library_errors() -> tuple[type[Exception], ...]:
    """Return the exceptions that openai and httpx raise, and five built-in ones that a malformed reply causes.

    RecursionError comes from JSON that is nested too deeply.
    """
    import httpx
    import openai

    reply_errors = (AttributeError, LookupError, TypeError, ValueError, RecursionError)
    return openai.OpenAIError, httpx.HTTPError, httpx.StreamError, *reply_errors


def served_model(settings: ModelSettings) -> ServerModel:
    """Return the client of the model that the settings name; the only way to make one outside of `rag.llm`.

    Raises BadCredentials, ModelFileUnusable, EngineMissing.
    """
    return ServedModel(settings)
