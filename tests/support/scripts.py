"""The requests to the scripted server (`Asked`), and its answers (`Script`): a short word for each kind of answer."""

import base64
import io
import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from PIL import Image


@dataclass(frozen=True)
class Asked:
    """A request: its path, its headers (lower-case names), and its body, {} without one."""

    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]

    @property
    def parts(self) -> list[Mapping[str, Any]]:
        """The parts of all messages, in order; a plain string counts as one text."""
        contents = [m["content"] for m in self.body.get("messages", [])]
        return [p for c in contents for p in ([{"type": "text", "text": c}] if isinstance(c, str) else c)]

    @property
    def text(self) -> str:
        """All texts of all messages, a line each."""
        return "\n".join(p["text"] for p in self.parts if p["type"] == "text")

    @property
    def images(self) -> list[Image.Image]:
        """The images, decoded. Fails on one that is not a data URL: a server would have to fetch it."""
        found = []
        for url in (p["image_url"]["url"] for p in self.parts if p["type"] == "image_url"):
            kind, _, data = url.partition(";base64,")
            assert kind in ("data:image/png", "data:image/jpeg"), url[:60]
            found.append(Image.open(io.BytesIO(base64.b64decode(data, validate=True))))
        return found

    @property
    def schema(self) -> Mapping[str, Any] | None:
        """The JSON schema that the reply was to obey, if one was sent."""
        form = self.body.get("response_format") or {}
        return form["json_schema"]["schema"] if form.get("type") == "json_schema" else None


@dataclass(frozen=True)
class Script:
    """One answer. `status` and `raw` other than 200 and None make it a plain response; else `pieces` are said.

    With `end` None the connection ends in mid-answer: without the end of the stream, or (`reset`) with a TCP reset.
    `usage` is (prompt, completion) tokens, None to leave them out. `endless` are the bytes of a response, its status
    line first, and those that follow again and again, `pause` seconds apart, until the client leaves.
    """

    pieces: tuple[str, ...] = ()
    end: str | None = "stop"
    usage: tuple[int, int] | None = (11, 7)
    gate: threading.Semaphore | None = None
    reset: bool = False
    status: int = 200
    raw: bytes | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    endless: tuple[bytes, bytes] | None = None
    pause: float = 0.0


def says(*pieces: str | Mapping[str, Any], **more: Any) -> Script:
    """Return an answer as it is streamed, in pieces; a mapping is said as JSON. `more` are fields of `Script`."""
    return Script(tuple(p if isinstance(p, str) else json.dumps(p) for p in pieces), **more)


def cut_off(*pieces: str) -> Script:
    """Return an answer that reached its limit of tokens."""
    return says(*pieces, end="length")


def breaks_off(*pieces: str, reset: bool = False) -> Script:
    """Return a connection that ends after these pieces."""
    return says(*pieces, end=None, reset=reset)


def replies(status: int, body: str | bytes, kind: str = "application/json", **headers: str) -> Script:
    """Return any response; underscores in the names of headers stand for hyphens."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Script(
        status=status, raw=body.encode() if isinstance(body, str) else body, headers={"content-type": kind} | named
    )


def floods(head: str, again: str, pause: float = 0.0) -> Script:
    """Return a response that never ends; the lines of its head end as Python's do."""
    return Script(endless=(head.replace("\n", "\r\n").encode(), again.encode()), pause=pause)


def event(text: str) -> str:
    """Return the event of a stream that says a piece of text."""
    choice = {"index": 0, "delta": {"content": text}, "finish_reason": None}
    frame = {"id": "c-1", "object": "chat.completion.chunk", "created": 1, "model": "x", "choices": [choice]}
    return f"data: {json.dumps(frame)}\n\n"


def refuses(status: int, message: str, kind: str = "BadRequestError", code: object = None) -> Script:
    """Return an error as vLLM forms it."""
    error = {"message": message, "type": kind, "param": None, "code": status if code is None else code}
    return replies(status, json.dumps({"error": error}))


def busy(retry_after: str | None = "0") -> Script:
    """Return a 429, with the header that says when to come back."""
    script = refuses(429, "too many requests", "RateLimitError")
    return script if retry_after is None else replies(429, script.raw or b"", retry_after=retry_after)


def fails(status: int = 500) -> Script:
    """Return the server's own failure."""
    return refuses(status, "something broke", "InternalServerError")
