"""Question templates: kinds of question with placeholders, our own or distilled by a model from examples.

`Sales of {product} in {place} rose from {year} to {year}: by what share?` is one. A placeholder is a name in braces.
Examples are lines of JSON, `{"question": "..."}`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import Field

from evaluation import ConstructedRows, GoldUnreadable, RunRefused
from evaluation.harness import rubric_prompt
from evaluation.tasks import of, reason, rows_of, text_of
from rag import ModelError
from rag.llm import ChatModel, Form, Message, complete_as, fenced

Category = Literal["Factual Retrieval", "Complex Synthesis", "Quantitative Reasoning", "Multimodal Parsing"]
MOST_CHARS = 300
MOST_EXAMPLES = 500
REPLY_TOKENS = 300
_PLACEHOLDER = re.compile(r"\{[a-z][a-z ]{0,40}\}")


@dataclass(frozen=True, slots=True)
class QuestionPattern:
    """A kind of question: its category, and its wording with placeholders."""

    category: Category
    text: str


TEMPLATES = (
    QuestionPattern("Factual Retrieval", "Which {kind of thing} does {subject} have, and what is its {property}?"),
    QuestionPattern("Factual Retrieval", "When did {event} happen, and what was {circumstance} at that time?"),
    QuestionPattern("Complex Synthesis", "How do {first thing} and {second thing} of {subject} fit together?"),
    QuestionPattern("Complex Synthesis", "Why did {outcome} come about, given {condition}?"),
    QuestionPattern("Quantitative Reasoning", "By how much does {quantity} of {first} exceed that of {second}?"),
    QuestionPattern("Quantitative Reasoning", "What share of {whole} does {part} make up in {period}?"),
    QuestionPattern("Multimodal Parsing", "What value does {depicted thing} show for {entry}, and what explains it?"),
    QuestionPattern("Multimodal Parsing", "Which {entry} stands out in {depicted thing}, and what is said of it?"),
)
"""The templates that are used without examples, two a category."""


class _Template(Form):
    category: Category
    template: str = Field(max_length=MOST_CHARS)


def read_examples(path: Path) -> tuple[str, ...]:
    """Read example questions, at most 500. Raises GoldUnreadable, which names the first bad line."""
    text, _ = text_of(path)
    found: list[str] = []
    for where, row in rows_of(path, text):
        try:
            if isinstance(row, ValueError):
                raise row
            said = of(row, "question", str).strip()
        except ValueError as error:
            raise GoldUnreadable(f'{where}: {reason(error)}: each line is {{"question": ...}}') from None
        if said:
            found.append(said[:MOST_CHARS])
    if not found:
        raise GoldUnreadable(f'{path}: contains no example questions: a line is {{"question": ...}}')
    return tuple(dict.fromkeys(found))[:MOST_EXAMPLES]


def distilled(model: ChatModel, examples: Sequence[str]) -> tuple[QuestionPattern, ...]:
    """Return the templates that a model makes of example questions, one of each, equal ones once.

    One without a placeholder is the example itself, or a copy of its content, and is left out. Raises RunRefused when
    none is left, and the errors of `HOPELESS`.
    """
    found: dict[QuestionPattern, None] = {}
    failed = ConstructedRows()
    for example in examples:
        words = rubric_prompt("plugins.research:construct_template").filled(example=fenced(example))
        try:
            reply, _ = complete_as(model, [Message("user", (words,))], _Template, REPLY_TOKENS)
        except ModelError as error:
            failed.skip(error)
            continue
        if placeholders(reply.template):
            found[QuestionPattern(reply.category, reply.template.strip())] = None
    if not found:
        raise RunRefused(
            f"no template could be made from {len(examples)} examples: give others, or leave --examples out"
        )
    return tuple(found)


def placeholders(text: str) -> tuple[str, ...]:
    """Return the placeholders of a text.

    >>> placeholders("Who kept {building} in {year}?")
    ('{building}', '{year}')
    """
    return tuple(_PLACEHOLDER.findall(text))
