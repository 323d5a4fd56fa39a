"""A question (and an image) -> queries, by a model: what to look for in texts, and what a page that answers looks like.

All queries are the model's (MAVIS, Song et al. 2025), also where one is asked for: "What is this for?" with a picture
is searched for by what the picture shows. The question's own words are no query beside them: they would be one of
the N that the paper counts, and the first query of the model is told to keep the question's names and numbers. They
come in, first of all, where the model makes fewer than N, as do the other queries of the planner that needs no model
(`rag.question.Planner`). That planner makes them all where the model fails, and a note says so. Hints about places are
read from the question, without the model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from rag.errors import ModelError
from rag.llm import ChatModel, Form, Message, complete_as, fence, load_prompt, visible
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
    """The planner that makes queries with a model; `instead` makes those that it does not, and reads hints."""

    def __init__(self, model: ChatModel, instead: QueryPlanner) -> None:
        """Keep the model and the other planner; nothing is asked yet."""
        self._model = model
        self._instead = instead

    def plan(self, question: str, n: int, image_text: str = "", image: Image.Image | None = None) -> Queries:
        """Return at most `n` queries, the model's first; each has a text-seeking and an image-seeking form."""
        plain = self._instead.plan(question, n, image_text)
        limits = dict.fromkeys(_Plan.model_fields, n)  # a small model fills every list to its end
        try:
            plan, usage = complete_as(
                self._model, self._messages(question, n, image_text, image), _Plan, _MAX_TOKENS, most=limits
            )
        except ModelError as error:
            note = f"the queries were made without the model: {error}"
            return replace(plain, usage=error.usage, notes=(*plain.notes, note))
        texts, images = _usable(plan.text_queries), _usable(plan.image_queries)
        if not texts and not images:
            return replace(
                plain, usage=usage, notes=(*plain.notes, "the model made no queries: those are the question's")
            )
        texts, images = _filled_up(texts, plain.text, n), _filled_up(images, plain.image, n)
        pairs = tuple(zip_longest(texts, images))
        return replace(
            plain,
            text=tuple(Query(text or image) for text, image in pairs),
            image=tuple(Query(image or text) for text, image in pairs),
            usage=usage,
        )

    def _messages(self, question: str, count: int, image_text: str, image: Image.Image | None) -> tuple[Message, ...]:
        """Return the prompt: the rules, then the question, the number of queries, the image and its text."""
        shown_image = image if self._model.capacity.images else None
        text_in_image = fence(image_text[:MAX_IMAGE_CHARS])
        description = "it stands above" if shown_image is not None else "none is shown"
        if text_in_image:
            description += f"; what is written in it:\n{text_in_image}"
        words = _ASK.fill(question=fence(question), count=count, image=description)
        parts: tuple[str | Image.Image, ...] = (words,) if shown_image is None else (shown_image, words)
        return Message("system", (_RULES.fill(),)), Message("user", parts)


def _usable(queries: Sequence[str]) -> list[str]:
    """Return the queries that have a letter or digit, without invisible characters, cut to the longest length."""
    return [q for q in (visible(q)[:_LONGEST] for q in queries) if any(c.isalnum() for c in q)]


def _filled_up(queries: Sequence[str], plain: Sequence[Query], n: int) -> list[str]:
    """Return the first `n` of the queries and, after them, of those that were made without the model, each once."""
    each: dict[str, str] = {}
    for query in (*queries, *(own.text for own in plain)):
        each.setdefault(query.casefold(), query)
    return list(each.values())[:n]
