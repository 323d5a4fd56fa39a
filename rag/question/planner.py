"""A question (and an image) -> the queries that are searched for, by rules or a model, and the hints about places.

All queries are the model's (MAVIS, Song et al. 2025), also where one is asked for: "What is this for?" with a picture
is searched for by what the picture shows. The question's own words are no query beside them: they would be one of
the N that the paper counts, and the first query of the model is told to keep the question's names and numbers. They
come in, first of all, where the model makes fewer than N, as do the other queries of the planner that needs no model
(`rag.question.Planner`). That planner makes them all where the model fails, and a note says so. Hints about places are
read from the question, without the model.

The embedded default needs no language model. Instructions about the form of the answer are left out, as is "according
to the report"; comparisons, choices and two questions in one are taken apart, and long questions put as key phrases
too; terms of the glossary (ratios, abbreviations) are searched for by what they are made of; the text of an attached
image is read. Every query has a text-seeking form, which is compared with text, and an image-seeking form without words
about looking, which is compared with page images.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import TYPE_CHECKING, Annotated, Protocol

from pydantic import Field

from indexing import Hints
from rag.errors import ModelError
from rag.llm import ChatModel, Form, Message, complete_as, fence, load_prompt, visible
from rag.question.clauses import key_phrases, says_enough, subquestions
from rag.question.hints import Glossary, hints_of
from rag.types import Query
from rag.usage import NO_USAGE, Usage

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


_DOCUMENT = (
    r"(?:the|this|that)\s+(?:(?:whole|entire|above|given|attached)\s+)?(?:report|paper|document|article|slides?|"
    r"presentation|deck|brochure|guide(?:book)?|manual|file|study|book)s?\b"
)
_FORMAT = re.compile(
    r"(?:(?<=[.?!])\s*|^\s*|(?<=\s))(?:please |kindly |directly ){0,3}"
    r"(?:(?:write|put)(?: down)? (?:the|your) answers?\b|answer (?:in\b|with\b|as\b|'|\"|yes\b|no\b|the question)|"
    r"give (?:me )?(?:an?|the|your) (?:\w+ )?(?:integer|number|percent\w*|float|value|answer)|"
    r"return (?:me )?(?:an?|the) |round (?:your|the|to|it)\b|format (?:your|the answer)|represent (?:these|the|your)|"
    r"save your|(?:your|the) answers? (?:should|shall|needs?|must)|express (?:your|the) answer|"
    r"list (?:all of )?(?:them|the page numbers|all (?:the )?pages)\b|note that\b)"
    r"(?:\be\.\s?g\.|\.(?=\w)|[^.?!])*(?:[.?!]+['\")]*|$)",
    re.IGNORECASE,
)
"""The pattern of a clause about the form of the answer ("Please write the answer in int format, e.g. 3")."""
_LEAD = re.compile(
    r"^\s*(?:(?:according to|based on|as (?:mentioned|stated|shown|described|noted) in|in|from|for|regarding|per)\s+)"
    rf"{_DOCUMENT}(?:\s*+[,:])?+\s++(?=\S)",
    re.IGNORECASE,
)
_TAIL = re.compile(
    r"(?<!\s)\s*+(?:,\s*+)?\b(?:according to|based on|as (?:mentioned|stated|shown|described|introduced|noted) in|"
    r"(?:mentioned|listed|included|contained|shown) in|in|of|from|for)\s+" + _DOCUMENT + r"(?=\s*[?.!,]|\s*$)",
    re.IGNORECASE,
)
_LOOKING = re.compile(
    r"\b(?:what|which|how many|how much|who|where|when)\b|\b(?:is|are|was|were|does|do|did)\b|"
    r"\b(?:figures?|charts?|graphs?|diagrams?|images?|pictures?|photos?|maps?|tables?|slides?|pages?|colou?rs?)\b",
    re.IGNORECASE,
)


class QueryPlanner(Protocol):
    """A planner, which makes the queries of a question, with or without a language model."""

    def plan(self, question: str, n: int, image_text: str = "", image: Image.Image | None = None) -> Queries:
        """Return at most `n` queries, the first of which counts most; `image_text` is what is written in `image`."""
        ...


@dataclass(frozen=True, slots=True)
class Queries:
    """The queries that are searched for: `text` queries, and for each its image-seeking form. The first counts most.

    `usage` is the cost of making them, `notes` what a reader should know of it; `question` is how the question was read
    where words of it were misspelt, and empty otherwise.
    """

    text: tuple[Query, ...]
    image: tuple[Query, ...]
    hints: Hints
    usage: Usage = NO_USAGE
    notes: tuple[str, ...] = ()
    question: str = ""

    def to_json(self) -> list[dict[str, str]]:
        """Return the queries as plain values for `--json`: the text of each, and what it searches."""
        seeking = {"text": self.text, "image": self.image}
        return [{"text": query.text, "purpose": purpose} for purpose, each in seeking.items() for query in each]


class Planner:
    """The planner that needs no language model."""

    def __init__(self, glossary: Glossary) -> None:
        """Keep the glossary, which says what terms are made of."""
        self._glossary = glossary

    def plan(self, question: str, n: int, image_text: str = "", image: Image.Image | None = None) -> Queries:  # noqa: ARG002  it cannot see
        """Return at most `n` queries: the cleaned question, then the image's text, glossary, parts and key phrases."""
        plain = without_form_instructions(question)
        forms = [plain, *self._glossary.look_for(question), *subquestions(plain), *key_phrases(plain)]
        if any(c.isalnum() for c in image_text):  # OCR takes drawings for signs: "●" is nothing to search for
            image_words = " ".join(image_text.split())[:MAX_IMAGE_CHARS]
            forms = [f"{plain} {image_words}"] if n == 1 else [plain, image_words, *forms[1:]]
        texts = list(dict.fromkeys(forms))[: max(n, 1)]
        return Queries(
            tuple(Query(text) for text in texts),
            tuple(Query(image_seeking(text)) for text in texts),
            hints_of(question),
        )


MAX_IMAGE_CHARS = 600
"""The most characters of the text of an attached image in a query."""


def without_form_instructions(question: str) -> str:
    """Return the question without instructions on the form of its answer and without the mention of a document."""
    whole = re.sub(r"(?<=[a-z)][.?!])(?=[A-Z][a-z])", " ", " ".join(question.split()))
    return _first_enough((_TAIL.sub("", _LEAD.sub("", _FORMAT.sub(" ", whole))), _FORMAT.sub(" ", whole), whole))


def image_seeking(text: str) -> str:
    """Return the query without words about asking and looking: a page does not say that it has a figure."""
    return _first_enough((_LOOKING.sub(" ", text), text))


def _first_enough(forms: Sequence[str]) -> str:
    """Return the first form that says enough to be searched for, on one line; else the last one."""
    tidy = [" ".join(form.split()) for form in forms]
    return next((form for form in tidy if says_enough(form)), tidy[-1])
