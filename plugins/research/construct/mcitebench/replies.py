"""The replies of a model, kept: a question that was asked once is not asked again, by a later run either."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from evaluation.harness import JsonLines
from rag import ReplyCutOff, ReplyUnusable
from rag.llm import ChatModel, Form, Message, complete_as

if TYPE_CHECKING:
    from PIL import Image

F = TypeVar("F", bound=Form)
FILE = "replies.jsonl"


class KeptReplies:
    """A model whose replies, those that could not be used too, go to a file as they come."""

    def __init__(self, model: ChatModel, folder: Path) -> None:
        """Read the replies that are in `folder`. Raises RunRefused for a line that is none, OSError."""
        self._model = model
        self._lines = JsonLines(folder / FILE)
        self._kept: dict[str, dict[str, Any] | None] = {}
        self._lines.read(lambda row: self._kept.update({row["key"]: row["reply"]}), "kept reply")
        self.images = model.capacity.images

    def ask(self, parts: Sequence[str | Image.Image], form: type[F], max_tokens: int) -> F:
        """Return the form that the model filled in when it was first asked with these texts and pictures.

        Raises ModelError: ReplyUnusable, again, for a reply that could not be used then.
        """
        key = self._key(parts, form)
        if key not in self._kept:
            try:
                said, _ = complete_as(self._model, [Message("user", tuple(parts))], form, max_tokens)
                reply: dict[str, Any] | None = said.model_dump()
            except (ReplyUnusable, ReplyCutOff):
                reply = None
            self._lines.add({"key": key, "reply": reply})
            self._kept[key] = reply
        kept = self._kept[key]
        if kept is None:
            raise ReplyUnusable("the model's reply could not be used")
        return form.model_validate(kept)

    def _key(self, parts: Sequence[str | Image.Image], form: type[Form]) -> str:
        digest = hashlib.sha256(f"{self._model.name}\0{form.__name__}".encode())
        for part in parts:
            digest.update(b"\0" + (part.encode(errors="replace") if isinstance(part, str) else part.tobytes()))
        return digest.hexdigest()[:32]
