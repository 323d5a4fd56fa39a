"""Probe a served model with small requests, to see if it matches the settings; used by `vouch doctor`.

Each probe returns its finding in words, or raises a ModelError that says what to change.
"""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from rag.errors import ImageRefused, ModelUnknown, NoChatServer, PromptTooLong, ReplyCutOff, ReplyUnusable
from rag.llm.chat import Message, json_value
from rag.llm.client import ServedModel
from rag.llm.connection import check_reachable

if TYPE_CHECKING:
    from PIL import Image

_SIDE = 256
_FEW = 16
"""The most tokens of a reply whose words do not matter."""


def probe_name(model: ServedModel) -> str:
    """Check that the server lists the model with a long enough context. A server that lists no models passes."""
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


def probe_schema(model: ServedModel) -> str:
    """Check that the server restricts replies to a schema, with one that allows only random words."""
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
        raise _unheld(model, error.text) from None
    if not isinstance(reply, dict) or set(reply) != {"word"} or reply["word"] not in words:
        raise _unheld(model, str(reply))
    return "the server restricts replies to a JSON schema"


def probe_images(model: ServedModel) -> str:
    """Check that an image is taken, and counted: some servers drop images without a word."""
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


def _prompt_tokens(model: ServedModel, parts: tuple[str | Image.Image, ...]) -> int:
    """Return the number of tokens of a prompt, even if its reply is unusable."""
    try:
        return model.complete([Message("user", parts)], max_tokens=_FEW).usage.prompt_tokens
    except (ReplyCutOff, ReplyUnusable) as error:
        return error.usage.prompt_tokens


def _unheld(model: ServedModel, reply: str) -> ReplyUnusable:
    """Return the error for a server that does not restrict replies to a schema."""
    return ReplyUnusable(
        f"{model.settings.place} does not restrict replies to a JSON schema (it replied {reply[:60]!r}): serve "
        "it with structured outputs, or set rag.model.structured to markers",
        text=reply,
    )
