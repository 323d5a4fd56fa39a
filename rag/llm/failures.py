"""Map failed requests to errors of ours, which say what to do.

Servers word the same refusal differently: the phrases are those of vLLM, llama.cpp, Ollama and OpenAI.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

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
from rag.llm.settings import ModelSettings
from rag.network import seconds_of

if TYPE_CHECKING:
    import openai

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
