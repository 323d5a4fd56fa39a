"""The connection to a model server: whether it is reachable, what a call may use, and its failures as our errors.

Servers word the same refusal differently: the phrases are those of vLLM, llama.cpp, Ollama and OpenAI.

A call has an `Allowance` (rag/network.py), so that no server can keep us waiting or reading forever.
LlamaIndex, openai and httpx take seconds to import, so that happens with the first call.
"""

from __future__ import annotations

import ipaddress
import socket
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from rag.errors import (
    BadCredentials,
    ImageRefused,
    ModelError,
    ModelUnknown,
    NoChatServer,
    PromptTooLong,
    RequestRefused,
    ServerBusy,
    ServerDown,
    ServerFailed,
    ServerSilent,
)
from rag.llm.local import check_files
from rag.llm.settings import ModelSettings
from rag.network import Allowance, HeldNetwork, seconds_of

if TYPE_CHECKING:
    import httpx
    import openai
    from llama_index.llms.openai_like import OpenAILike
    from openai import OpenAI


_TOO_LONG = (
    "context length",
    "maximum model length",
    "context_length",
    "exceed_context_size",
    "context size",
    "context window",
    "too many tokens",
    "prompt is too long",
    "input is too long",
)
_IMAGE = ("image", "multimodal", "multi-modal", "mmproj", "vision")
_NO_MODEL = ("does not exist", "not found", "model_not_found", "unknown model", "invalid model")
_LONGEST_QUOTE = 300


def map_error(error: Exception, settings: ModelSettings, secret: str = "") -> ModelError:
    """Return our error for one of openai's or httpx's, or for a reply that no chat server would send.

    `secret` is the key, which is removed from text that the server echoes.
    """
    import httpx
    import openai

    if isinstance(error, openai.APIStatusError):
        return _status_error(error, settings, secret)
    if isinstance(error, httpx.ConnectTimeout) or isinstance(error.__cause__, httpx.ConnectTimeout):
        return unreachable(error, settings)
    if isinstance(error, openai.APITimeoutError | httpx.TimeoutException):
        return ServerSilent(
            f"{settings.place} sent nothing for {settings.timeout:g} s: check what the server is doing, or "
            "raise rag.model.timeout"
        )
    if isinstance(error, openai.APIConnectionError | httpx.TransportError):
        return unreachable(error, settings)
    if isinstance(error, openai.APIError) and not isinstance(error, openai.APIResponseValidationError):
        words = _quote(error.message, secret)  # an event of the stream that reports a failure
        return _error_of_text(words, settings) or ServerFailed(
            f"{settings.place} failed while answering: {words}: see the server's log"
        )
    return NoChatServer(
        f"{settings.place} responds, but not like an OpenAI-compatible chat server: check rag.model.base_url "
        "(for vLLM it ends in /v1)"
    )


def retry_after(error: BaseException | None) -> float | None:
    """Return the seconds of a response's Retry-After header (a number or a date), or None."""
    return seconds_of(getattr(getattr(error, "response", None), "headers", {}).get("retry-after"))


def unreachable(error: Exception, settings: ModelSettings) -> ModelError:
    """Return the error for a server that cannot be reached, or that broke the connection."""
    cause: BaseException = error
    while cause.__cause__ is not None:
        cause = cause.__cause__
    why = str(cause) or type(cause).__name__
    return ServerDown(
        f"no answer from {settings.place} ({why[:_LONGEST_QUOTE]}): start the server, or set "
        "rag.model.base_url; `vouch doctor` checks it"
    )


def _status_error(error: openai.APIStatusError, settings: ModelSettings, secret: str) -> ModelError:
    """Return the error for a response whose status is a refusal."""
    status, words = error.status_code, _quote(_body_text(error), secret)
    code = f"{error.code or ''} {error.type or ''}".lower()
    base = settings.place
    if status < 400:
        to = error.response.headers.get("location", "another address")
        return NoChatServer(
            f"{base} redirects to {to[:200]}, and redirects are not followed: correct rag.model.base_url"
        )
    if status in (401, 403) or "insufficient_quota" in code:
        return BadCredentials(f"{base} refuses the key ({status}: {words}): {_about_key(settings)}")
    if status == 429:
        return ServerBusy(f"{base} takes no more requests at the moment: ask later, or lower rag.model.concurrency")
    return _error_of_text(words, settings, status, code) or _error_of_status(status, words, base)


def _error_of_status(status: int, words: str, base: str) -> ModelError:
    """Return the error for a refusal by its status alone."""
    if status == 413:
        return PromptTooLong(f"the request is too large for {base}: lower rag.model.images or rag.model.max_pixels")
    if status in (404, 405):
        return NoChatServer(
            f"{base} has no chat API ({status}: {words}): check rag.model.base_url (for vLLM it ends in /v1)"
        )
    if status >= 500 or status == 408:
        return ServerFailed(f"{base} failed ({status}: {words}): see the server's log")
    return RequestRefused(f"{base} refuses the request ({status}: {words}): correct what it names in rag.model")


def _error_of_text(words: str, settings: ModelSettings, status: int = 400, code: str = "") -> ModelError | None:
    """Return the error that the text of a refusal names, if any; with a status of 5xx only image errors count."""
    lower = f"{words} {code}".lower()
    if status < 500 and status != 404 and any(w in lower for w in _TOO_LONG):
        return PromptTooLong(
            f"the prompt is too long for {settings.name} ({words}): lower rag.top_k or rag.model.images, set "
            "rag.model.context_tokens to the server's value, or start the server with a larger context"
        )
    if status < 500 and "model" in lower and any(w in lower for w in _NO_MODEL):
        return ModelUnknown(f"{settings.place} has no model {settings.name!r}: set rag.model.name")
    if status != 404 and any(w in lower for w in _IMAGE):
        return ImageRefused(
            f"{settings.name} refuses an image ({words}): set rag.model.images to what the server takes (0 "
            "for a text-only model), or check rag.model.max_pixels"
        )
    return None


def _body_text(error: openai.APIStatusError) -> str:
    """Return the message in the body of an error response."""
    body: Any = error.body
    for _ in range(2):
        if isinstance(body, dict):
            body = body.get("message") or body.get("detail") or body.get("error") or body
    return str(body or error.response.reason_phrase)


def _quote(words: str, secret: str) -> str:
    """Return the text on one line, shortened, without the key."""
    if len(secret) > 3:
        words = words.replace(secret, "***")
    words = " ".join(words.split())
    return words if len(words) <= _LONGEST_QUOTE else words[:_LONGEST_QUOTE] + "…"


def _about_key(settings: ModelSettings) -> str:
    """Return advice on the key: which variable holds it, or where to put it."""
    if settings.api_key_env:
        return f"check the value of the environment variable {settings.api_key_env}"
    return "put the key into an environment variable, and name that variable in rag.model.api_key_env"


CONNECT_SECONDS = 2.0
"""The seconds after which a server that accepts no connection is reported as down."""
_PATIENCE = 2.0
"""The seconds to wait for a connection that is neither accepted nor refused; a lost packet is sent again after 1."""
_RESTART = 1.0
"""The seconds in which a server that refuses may come back."""
_PAUSE = 0.5
_PORTS = {"http": 80, "https": 443}


def is_loopback(host: str) -> bool:
    """Return True if an address stays on this machine."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def proxy_of(settings: ModelSettings) -> str | None:
    """Return the proxy that the environment names for a server on another machine.

    A server on this machine is always reached directly, so that no proxy sees its requests.
    """
    if is_loopback(settings.host) or proxy_bypass(settings.host):
        return None
    proxies = getproxies()
    proxy = proxies.get(urlsplit(settings.base_url).scheme) or proxies.get("all")
    return proxy if not proxy or "://" in proxy else f"http://{proxy}"


def check_reachable(settings: ModelSettings, *, pause: Callable[[float], None] = time.sleep) -> None:
    """Raise ServerDown if nothing listens at the address, before work that would be wasted.

    Nothing is sent. A server behind a proxy of the environment is not checked: only the proxy can reach it. For a model
    in this process the files are checked. Raises ModelFileUnusable and EngineMissing.
    """
    if settings.gguf:
        check_files(settings)
        return
    if proxy_of(settings):
        return
    parts = urlsplit(settings.base_url)
    host, port = settings.host, parts.port or _PORTS[parts.scheme]
    elapsed = 0.0
    while True:
        try:
            socket.create_connection((host, port), timeout=_PATIENCE).close()
        except ConnectionRefusedError as error:
            if elapsed >= _RESTART:
                raise unreachable(error, settings) from None
        except OSError as error:
            raise unreachable(error, settings) from None
        else:
            return
        pause(_PAUSE)
        elapsed += _PAUSE


class _Thread(threading.local):
    """The last response of this thread.

    Closing LlamaIndex's generator does not close the response: the client's stream holds itself in a cycle, and the
    server would write on until memory is collected.
    """

    response: httpx.Response | None = None


_THREAD = _Thread()


def allowance_of(settings: ModelSettings) -> Allowance:
    """Return the seconds and bytes that the settings allow for one call with all its tries."""
    return Allowance(settings.max_seconds, settings.max_bytes)


def _keep_response(response: httpx.Response) -> None:
    """Keep a response for `last_response`, before its body is read.

    Requests ask for no compression, so nothing is decompressed: a few bytes could become gigabytes.
    """
    response.headers.pop("content-encoding", None)
    _THREAD.response = response


def last_response() -> httpx.Response:
    """Return the response to this thread's last request, open where it is streamed."""
    assert _THREAD.response is not None  # noqa: S101  asked for after a request
    return _THREAD.response


def open_client(settings: ModelSettings, key: str) -> tuple[OpenAILike, OpenAI]:
    """Return LlamaIndex's model and the client inside it. No connection is made yet."""
    import httpcore
    import httpx
    from llama_index.llms.openai_like import OpenAILike
    from openai import OpenAI

    patience = httpx.Timeout(settings.timeout, connect=min(CONNECT_SECONDS, settings.timeout))
    transport = httpx.HTTPTransport(trust_env=not is_loopback(settings.host), proxy=proxy_of(settings))
    # httpx offers no public way to replace the network layer without writing a transport with errors, TLS and proxies.
    transport._pool._network_backend = HeldNetwork(httpcore.SyncBackend())  # type: ignore[assignment]  # noqa: SLF001
    http = httpx.Client(
        timeout=patience,
        follow_redirects=False,
        transport=transport,
        headers={"accept-encoding": "identity"},
        event_hooks={"response": [_keep_response]},
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
