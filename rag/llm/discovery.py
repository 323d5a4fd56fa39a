"""Find model servers on this machine or at an address, and probe what their models can take.

Each finding is a key of a profile. The context length is the one that the server reports: a server that is sent more
may truncate it without notice (Ollama does).
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from rag.errors import (
    ImageRefused,
    ModelUnknown,
    NoChatServer,
    PromptTooLong,
    ReplyCutOff,
    ReplyUnusable,
    RequestRefused,
    ServerFailed,
)
from rag.llm.chat import Message, Served, ServerModel, json_value
from rag.llm.client import served_model
from rag.llm.connection import check_reachable, is_loopback, proxy_of
from rag.llm.requests import count_of, key_of
from rag.llm.settings import ModelSettings

if TYPE_CHECKING:
    from PIL import Image

_PATIENCE = 5.0
"""The seconds that a server may take to list its models, or to say how long its context is."""


@dataclass(frozen=True, slots=True)
class ServerAt:
    """The address of an OpenAI-compatible server, a description of it, and the variable with its key, if any."""

    base_url: str
    known_as: str = ""
    api_key_env: str = ""

    @property
    def label(self) -> str:
        """The address, followed by what it is known as, in brackets."""
        return f"{self.base_url} ({self.known_as})" if self.known_as else self.base_url


LOCAL = (
    ServerAt("http://127.0.0.1:11434/v1", "the port of Ollama"),
    ServerAt("http://127.0.0.1:1234/v1", "the port of LM Studio"),
    ServerAt("http://127.0.0.1:8080/v1", "the port of llama.cpp"),
    ServerAt("http://127.0.0.1:8000/v1", "the port of vLLM"),
)
"""The default addresses of common servers on this machine."""


def server_address(address: str) -> str:
    """Return an address with the path /v1, which nearly all servers have, unless it has a path."""
    return address.rstrip("/") + "/v1" if urlsplit(address).path in ("", "/") else address


def place_of_environment() -> ServerAt | None:
    """Return the server that OPENAI_BASE_URL names, with OPENAI_API_KEY as its key if that is set; None without one."""
    address = os.environ.get("OPENAI_BASE_URL", "").strip()
    key = "OPENAI_API_KEY" if os.environ.get("OPENAI_API_KEY", "").strip() else ""
    return ServerAt(server_address(address), "OPENAI_BASE_URL", key) if address else None


def models_at(place: ServerAt) -> tuple[Served, ...]:
    """Return the models of a server, except those with "embed" in their names (embedding models). Raises ModelError."""
    settings = ModelSettings(
        base_url=place.base_url, name="any", api_key_env=place.api_key_env, retries=0, timeout=_PATIENCE
    )
    model = served_model(settings)
    try:
        return tuple(entry for entry in model.list_models() if "embed" not in entry.name.lower())
    finally:
        model.close()


_MOST_BYTES = 1_000_000
_DEFAULT_CONTEXT = 4096
"""The context length, in tokens, assumed where a server does not report one: Ollama's default."""
_LEAST = 512
"""The least context that settings can have; a server that says less means something else."""


@dataclass(frozen=True, slots=True)
class Inquiry:
    """A finding about a server: its subject (`about`), if it is `good`, its text, and the settings as known so far."""

    about: str
    good: bool
    says: str
    settings: ModelSettings


def probe_server(settings: ModelSettings, context: int = 0) -> Iterator[Inquiry]:
    """Yield the findings about a server one by one; `context` is the context length that it lists, 0 without one.

    Raises ModelError where the model does not answer at all.
    """
    model = served_model(settings)
    try:
        schema = _check_structured_output(model)
        yield schema
        vision = _check_images(model, schema.settings)
        yield vision
    finally:
        model.close()
    yield _check_context(vision.settings, vision.settings.context_tokens if settings.gguf else context)


def _check_structured_output(model: ServerModel) -> Inquiry:
    """Return the finding whether the server restricts replies to a schema; if not, the settings use markers."""
    try:
        return Inquiry("structured output", True, probe_schema(model), model.settings)
    except (ReplyUnusable, RequestRefused):
        says = "the server does not restrict replies to a JSON schema: sentences will carry their labels in brackets"
        return Inquiry("structured output", False, says, model.settings.model_copy(update={"structured": "markers"}))


def _check_images(model: ServerModel, settings: ModelSettings) -> Inquiry:
    """Return the finding whether the model takes images; if not, the settings have `images` 0."""
    if settings.images:
        with suppress(ImageRefused, RequestRefused, ServerFailed):
            return Inquiry("images", True, probe_images(model), settings)
    says = "the model does not take images: it will be shown text only"
    return Inquiry("images", False, says, settings.model_copy(update={"images": 0}))


def _check_context(settings: ModelSettings, context: int) -> Inquiry:
    """Return the finding on the context length (`context`, or as the server reports it), with the settings limited."""
    tokens = context if context >= _LEAST else _reported_context(settings)
    room = min(settings.context_tokens, tokens or _DEFAULT_CONTEXT)
    if tokens:
        says = f"{tokens} tokens" + f", of which {room} are used" * (tokens > room)
    else:
        says = (
            f"the server does not report it: set rag.model.context_tokens, now {room}, to the value the server "
            "was started with"
        )
    update = {"context_tokens": room, "max_output_tokens": min(settings.max_output_tokens, room // 4)}
    return Inquiry("context", bool(tokens), says, settings.model_copy(update=update))


_PAGES: dict[str, Callable[[Any, str], Any]] = {
    "/props": lambda page, _: page["default_generation_settings"]["n_ctx"],
    "/api/ps": lambda page, name: next(
        m["context_length"] for m in page["models"] if name in (m.get("name"), m.get("model"))
    ),
    "/api/v0/models": lambda page, name: next(m["loaded_context_length"] for m in page["data"] if m["id"] == name),
}
"""The pages on which llama.cpp, Ollama and LM Studio say how long a context they work with."""


def _reported_context(settings: ModelSettings) -> int:
    """Return the context length in tokens that the server reports, 0 if it reports none."""
    import httpx

    key = key_of(settings)
    root = settings.base_url.removesuffix("/v1")
    transport = httpx.HTTPTransport(trust_env=not is_loopback(settings.host), proxy=proxy_of(settings))
    headers = {"accept-encoding": "identity"} | ({"authorization": f"Bearer {key}"} if key else {})
    with httpx.Client(transport=transport, timeout=_PATIENCE, headers=headers) as http:
        for path, reader in _PAGES.items():
            with suppress(httpx.HTTPError, ValueError, LookupError, TypeError, AttributeError, StopIteration):
                tokens = count_of(reader(_page(http, root + path), settings.name))
                if tokens and tokens >= _LEAST:
                    return tokens
    return 0


def _page(http: Any, address: str) -> Any:
    """Return the JSON at an address. Raises ValueError for another status than 200, no JSON, or a too long body."""
    from pydantic_core import from_json

    body = b""
    with http.stream("GET", address) as response:
        if response.status_code != 200:
            raise ValueError(response.status_code)
        for piece in response.iter_raw():
            body += piece
            if len(body) > _MOST_BYTES:
                raise ValueError(len(body))
    return from_json(body)


_SIDE = 256
_FEW = 16
"""The most tokens of a reply whose words do not matter."""


def probe_name(model: ServerModel) -> str:
    """Check that the server lists the model, if it lists any, with a long enough context; return the finding."""
    settings = model.settings
    check_reachable(settings)
    try:
        contexts = {s.name: s.context_tokens for s in model.list_models()}
    except NoChatServer:
        return f"{settings.place} lists no models: the first question will show whether {model.name} is one of them"
    if model.name not in contexts:
        names = ", ".join(sorted(contexts))[:500] or "none"
        raise ModelUnknown(f"no model {model.name!r} at {settings.place}, which has: {names}: set rag.model.name")
    context = contexts[model.name]
    if context and context < settings.context_tokens:
        raise PromptTooLong(
            f"{model.name} is served with a context of {context} tokens, and rag.model.context_tokens is "
            f"{settings.context_tokens}: set it to {context}"
        )
    more = context > settings.context_tokens
    spare = f"; its context has {context} tokens, of which {settings.context_tokens} are used" if more else ""
    return f"{model.name} is served at {settings.place}{spare}"


def probe_schema(model: ServerModel) -> str:
    """Check that the server restricts replies to a schema; return the finding in words. Raises ReplyUnusable if not."""
    if model.settings.structured == "markers":
        return "not requested from the server (rag.model.structured is markers)"
    words = [secrets.token_hex(3) for _ in range(3)]
    schema = {
        "type": "object",
        "properties": {"word": {"type": "string", "enum": words}},
        "required": ["word"],
        "additionalProperties": False,
    }
    hello = Message("user", ("Reply with the word hello, written as JSON: an object whose key is word.",))
    try:
        reply = json_value(model.complete([hello], schema=schema, max_tokens=64).text)
    except (ReplyCutOff, ReplyUnusable) as error:
        raise _unrestricted_error(model, error.text) from None
    if not isinstance(reply, dict) or set(reply) != {"word"} or reply["word"] not in words:
        raise _unrestricted_error(model, str(reply))
    return "the server restricts replies to a JSON schema"


def probe_images(model: ServerModel) -> str:
    """Check that an image adds tokens to a prompt; return the finding in words. Raises ImageRefused if it does not."""
    if not model.settings.images:
        return "none are sent (rag.model.images is 0)"
    from PIL import Image

    what = "What is this?"
    without, with_image = (
        _prompt_tokens(model, parts) for parts in ((what,), (Image.new("RGB", (_SIDE, _SIDE)), what))
    )
    if with_image - without < 4:
        raise ImageRefused(
            f"{model.name} was sent an image and counted no tokens for it, so it does not see images: serve a "
            "vision model, or set rag.model.images to 0"
        )
    return f"an image of {_SIDE} x {_SIDE} pixels is {with_image - without} tokens"


def _prompt_tokens(model: ServerModel, parts: tuple[str | Image.Image, ...]) -> int:
    """Return the number of tokens of a prompt, even if its reply is unusable."""
    try:
        return model.complete([Message("user", parts)], max_tokens=_FEW).usage.prompt_tokens
    except (ReplyCutOff, ReplyUnusable) as error:
        return error.usage.prompt_tokens


def _unrestricted_error(model: ServerModel, reply: str) -> ReplyUnusable:
    """Return the error for a server that does not restrict replies to a schema."""
    return ReplyUnusable(
        f"{model.settings.place} does not restrict replies to a JSON schema (it replied {reply[:60]!r}): serve "
        "it with structured outputs, or set rag.model.structured to markers",
        text=reply,
    )
