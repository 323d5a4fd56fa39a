"""A question (and an image) -> queries, by a model: what to look for in texts, and what a page that answers looks like.

The question itself always comes first, and its hints about places are read without the model. When the model fails, the
planner that needs none (`rag.question.Planner`) has made the queries already, and a note says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from rag.errors import ModelError
from rag.llm import ChatModel, Form, Message, complete_as, fenced, load_prompt, visible
from rag.question.planner import MAX_IMAGE_CHARS, Queries, QueryPlanner
from rag.types import Query

if TYPE_CHECKING:
    from PIL import Image

_RULES = load_prompt("queries")
_ASK = load_prompt("queries_question", "question", "count", "image")
_MAX_TOKENS = 640
_MOST, _LONGEST = 20, 200


class _Plan(Form):
    text_queries: list[Annotated[str, Field(max_length=_LONGEST)]] = Field(max_length=_MOST)
    image_queries: list[Annotated[str, Field(max_length=_LONGEST)]] = Field(max_length=_MOST)


class ModelPlanner:
    """The planner that makes queries with a model; `instead` makes them if it fails, and reads hints about places."""

    def __init__(self, model: ChatModel, instead: QueryPlanner) -> None:
        """Keep the model and the other planner; nothing is asked yet."""
        self._model = model
        self._instead = instead

    def plan(self, question: str, n: int, image_text: str = "", image: Image.Image | None = None) -> Queries:
        """Return at most `n` queries, the question's own first; one query is the question's own, and asks no model."""
        plain = self._instead.plan(question, n, image_text)
        if n <= 1:
            return plain
        wanted = dict.fromkeys(_Plan.model_fields, n - 1)  # a small model fills every list to its end
        try:
            plan, usage = complete_as(
                self._model, self._messages(question, n - 1, image_text, image), _Plan, _MAX_TOKENS, most=wanted
            )
        except ModelError as error:
            note = f"the queries were made without the model: {error}"
            return replace(plain, usage=error.usage, notes=(*plain.notes, note))
        own = (plain.text[0].text, plain.image[0].text)
        texts, seen = _usable(plan.text_queries, own[0]), _usable(plan.image_queries, own[1])
        if not texts and not seen:
            return replace(
                plain, usage=usage, notes=(*plain.notes, "the model made no queries: those are the question's")
            )
        count = min(max(len(texts), len(seen)), n - 1)
        return Queries(
            tuple(Query(t) for t in (own[0], *_filled_up(texts, seen)[:count])),
            tuple(Query(s) for s in (own[1], *_filled_up(seen, texts)[:count])),
            plain.hints,
            usage,
            plain.notes,
        )

    def _messages(self, question: str, count: int, image_text: str, image: Image.Image | None) -> tuple[Message, ...]:
        seen = image if self._model.capacity.images else None
        read = fenced(image_text[:MAX_IMAGE_CHARS])
        shown = "it stands above" if seen is not None else "none is shown"
        if read:
            shown += f"; what is written in it:\n{read}"
        words = _ASK.filled(question=fenced(question), count=count, image=shown)
        parts: tuple[str | Image.Image, ...] = (words,) if seen is None else (seen, words)
        return Message("system", (_RULES.filled(),)), Message("user", parts)


def _usable(queries: Sequence[str], own: str) -> list[str]:
    """Return the queries that can be searched for, each once, none of them the question again."""
    tidy = (visible(q)[:_LONGEST] for q in queries)
    each = {q.casefold(): q for q in tidy if any(c.isalnum() for c in q)}
    return [q for key, q in each.items() if key != own.casefold()]


def _filled_up(queries: Sequence[str], others: Sequence[str]) -> list[str]:
    """Return queries made as many as the others by taking over the others' last."""
    return [*queries, *others[len(queries) :]]
