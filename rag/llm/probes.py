"""Small questions to a served model that show if it is as the settings say: `vouch doctor` asks them.

Each probe returns its finding, in words, or raises the ModelError that says what to change.
"""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from rag.errors import ImageRefused, ModelUnknown, NoChatServer, PromptTooLong, ReplyCutOff, ReplyUnusable
from rag.llm.chat import Message
from rag.llm.client import ServedModel
from rag.llm.connection import check_reachable
from rag.llm.structured_reply import json_value

if TYPE_CHECKING:
    from PIL import Image

_SIDE = 256
_FEW = 16
"""The most tokens of a reply whose words do not matter."""


def probe_name(model: ServedModel) -> str:
    """Check that the server lists the model, and with how long a context. Some servers list none: that is no fault."""
    settings = model.settings
    check_reachable(settings)
    try:
        served = {s.name: s.context_tokens for s in model.served()}
    except NoChatServer:
        return f"{settings.place} lists no models: the first question will show whether {model.name} is one of them"
    if model.name not in served:
        names = ", ".join(sorted(served))[:500] or "none"
        raise ModelUnknown(f"no model {model.name!r} at {settings.place}, which has: {names}: set rag.model.name")
    context = served[model.name]
    if context and context < settings.context_tokens:
        raise PromptTooLong(
            f"{model.name} is served with a context of {context} tokens, and rag.model.context_tokens is "
            f"{settings.context_tokens}: set it to {context}"
        )
    more = context > settings.context_tokens
    spare = f"; its context has {context} tokens, of which {settings.context_tokens} are used" if more else ""
    return f"{model.name} is served at {settings.place}{spare}"


def probe_schema(model: ServedModel) -> str:
    """Check that replies are really held to a schema: it allows only words that the model has no reason to say."""
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
        said = json_value(model.complete([hello], schema=schema, max_tokens=64).text)
    except (ReplyCutOff, ReplyUnusable) as error:
        raise _unheld(model, error.text) from None
    if not isinstance(said, dict) or set(said) != {"word"} or said["word"] not in words:
        raise _unheld(model, str(said))
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
    """Return the tokens of a prompt, however its reply ends."""
    try:
        return model.complete([Message("user", parts)], max_tokens=_FEW).usage.prompt_tokens
    except (ReplyCutOff, ReplyUnusable) as error:
        return error.usage.prompt_tokens


def _unheld(model: ServedModel, said: str) -> ReplyUnusable:
    """Return the error for a server that does not keep to a schema."""
    return ReplyUnusable(
        f"{model.settings.place} does not restrict replies to a JSON schema (it replied {said[:60]!r}): serve "
        "it with structured outputs, or set rag.model.structured to markers",
        text=said,
    )
