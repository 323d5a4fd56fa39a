"""The questions: explanations out of rebuttals, and questions with four options that locate a fact in one part.

What a model proposes is held against the rebuttal and against the form of the benchmark by code. A model that sees the
evidence labels each question: relevance, clarity, and alignment of answer and evidence.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from evaluation.harness import rubric_prompt
from plugins.research.construct.mcitebench.paper import PaperPart
from plugins.research.construct.mcitebench.references import PlaceReference, references_in
from plugins.research.construct.mcitebench.replies import KeptReplies
from plugins.research.construct.mcitebench.reviews import Exchange
from plugins.research.construct.wording import words
from rag.llm import Form, fenced, in_line

if TYPE_CHECKING:
    from PIL import Image

MOST_TRIPLES = 4
REPLY_TOKENS, QUALITY_TOKENS = 1500, 400
LETTERS = "ABCD"


class RebuttalTriple(Form):
    """A question, its answer, and the places of the paper that prove it, by their names and with commas between."""

    question: str = Field(max_length=500)
    answer: str = Field(max_length=1500)
    evidence: str = Field(max_length=300)


class _Triples(Form):
    triples: list[RebuttalTriple] = Field(max_length=MOST_TRIPLES)


class LocatingQuestion(Form):
    """A question with four options, one of them right; `refusal` when the part has nothing to ask about."""

    refusal: bool
    question: str = Field(max_length=500)
    options: list[str] = Field(max_length=len(LETTERS))
    answer: Literal["A", "B", "C", "D"]


def triples(replies: KeptReplies, exchange: Exchange) -> Sequence[RebuttalTriple]:
    """Return the triples that the model reads in an answer of the authors. Raises ModelError."""
    prompt = rubric_prompt("plugins.research:mcite_make_explanation")
    asked = prompt.filled(review=fenced(exchange.review), rebuttal=fenced(exchange.rebuttal))
    return replies.ask((asked,), _Triples, REPLY_TOKENS).triples


def unfit(triple: RebuttalTriple, exchange: Exchange) -> str:
    """Say why a triple cannot be used; empty when it can: it is whole, explains itself, and cites the main body.

    Each place that it names as evidence has to stand in the authors' own answer.
    """
    named = references_in(triple.evidence)
    given = {reference.name for reference in references_in(exchange.rebuttal)}
    if not words(triple.question) or not words(triple.answer):
        return "nothing to ask about"
    if references_in(triple.question):
        return "the question names a place of the paper"
    if not named:
        return "it names no evidence"
    if any(reference.kind == "appendix" for reference in named):
        return "its evidence is outside the main body"
    if any(reference.name not in given for reference in named):
        return "its evidence is not named in the rebuttal"
    return ""


def as_written(triple: RebuttalTriple, exchange: Exchange) -> tuple[PlaceReference, ...]:
    """Return the places that a triple names, in the words in which the authors named them."""
    given = {reference.name: reference for reference in references_in(exchange.rebuttal)}
    return tuple(given[reference.name] for reference in references_in(triple.evidence))


def locating(replies: KeptReplies, part: PaperPart, picture: Image.Image | None) -> LocatingQuestion:
    """Return the question that the model has about a part, shown as its `picture` too. Raises ModelError."""
    said = "\n".join(filter(None, (part.caption, part.text))) or "(nothing)"
    asked = rubric_prompt("plugins.research:mcite_make_locating").filled(kind=part.kind, text=fenced(said))
    shown = (asked,) if picture is None else (picture, asked)
    return replies.ask(shown, LocatingQuestion, REPLY_TOKENS)


def unusable(asked: LocatingQuestion) -> str:
    """Say why a locating question cannot be used; empty when it can."""
    options = [option.strip() for option in asked.options]
    if asked.refusal:
        return "the model refused: nothing to ask about"
    if not words(asked.question):
        return "nothing to ask about"
    if len({option.casefold() for option in options if option}) < len(LETTERS):
        return "it has not four options that differ"
    if references_in(" ".join((asked.question, *options))):
        return "the question names a place of the paper"
    return ""


def with_options(asked: LocatingQuestion, dice: random.Random) -> tuple[str, str]:
    """Return the question with its options below it, in an order by chance, and the right one with its letter."""
    options = [option.strip() for option in asked.options]
    right = options[LETTERS.index(asked.answer)]
    order = dice.sample(options, len(options))
    lines = [f"{letter}. {option}" for letter, option in zip(LETTERS, order, strict=True)]
    return "\n".join((asked.question.strip(), *lines)), lines[order.index(right)]


Label = Literal["high", "medium", "low"]


class QuestionQuality(Form):
    """The labels of a question with its answer and evidence, and the reason for them."""

    reason: str = Field(max_length=400)
    relevance: Label
    clarity: Label
    alignment: Label

    @property
    def lowest(self) -> str:
        """The first of its labels that is low, by its name; empty where none is."""
        named = {"relevance": self.relevance, "clarity": self.clarity, "alignment": self.alignment}
        return next((name for name, label in named.items() if label == "low"), "")


def quality(
    replies: KeptReplies, asked: tuple[str, str], evidence: Sequence[PaperPart], pictures: Sequence[Image.Image]
) -> QuestionQuality:
    """Return the labels of a question and its answer beside their evidence. Raises ModelError.

    `pictures` are those of its figures and tables, as far as the model sees any.
    """
    said = "\n".join(fenced("\n".join(filter(None, (part.name, part.caption, part.text)))) for part in evidence)
    question, answer = asked
    prompt = rubric_prompt("plugins.research:mcite_quality").filled(
        question=fenced(question), answer=in_line(answer), evidence=said
    )
    return replies.ask((prompt, *pictures), QuestionQuality, QUALITY_TOKENS)
