"""Templates of questions: ours have placeholders in every category, examples become templates, bad ones are named."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import get_args

import pytest

from evaluation.errors import GoldUnreadable, RunRefused
from plugins.research.construct.citevqa.templates import (
    MOST_EXAMPLES,
    TEMPLATES,
    Category,
    QuestionPattern,
    distilled,
    placeholders,
    read_examples,
)
from rag.llm import Message
from tests.support.fakes import ScriptedModel


def test_our_templates_have_placeholders_in_each_category() -> None:
    assert {template.category for template in TEMPLATES} == set(get_args(Category))
    assert all(placeholders(template.text) for template in TEMPLATES)


def test_examples_become_templates_once_and_copies_are_left_out() -> None:
    """Three examples: two of one kind, and one of which the model makes no template."""

    def says(messages: Sequence[Message]) -> str:
        copied = "Agnes" in str(messages[0].parts)
        text = "Why Agnes?" if copied else "Who keeps {building}?"
        return json.dumps({"category": "Factual Retrieval", "template": text})

    made = distilled(ScriptedModel(says), ["Who keeps the mill?", "Who keeps the vault?", "Why Agnes?"])
    assert made == (QuestionPattern("Factual Retrieval", "Who keeps {building}?"),)
    with pytest.raises(RunRefused, match="no template could be made from 1 examples"):
        distilled(ScriptedModel(says), ["Why Agnes?"])


def test_an_unusable_reply_costs_one_example() -> None:
    replies = iter(["no JSON", json.dumps({"category": "Complex Synthesis", "template": "Why {event}?"})])
    made = distilled(ScriptedModel(lambda _: next(replies)), ["one", "two"])
    assert made == (QuestionPattern("Complex Synthesis", "Why {event}?"),)


def test_examples_are_read_bounded_and_bad_ones_named(tmp_path: Path) -> None:
    file = tmp_path / "examples.jsonl"
    file.write_text(
        "".join(json.dumps({"question": f"Why {n}? " + "x" * 999}) + "\n" for n in range(MOST_EXAMPLES + 9))
    )
    found = read_examples(file)
    assert (len(found), {len(text) for text in found}) == (MOST_EXAMPLES, {300})
    for text, reason in (
        ('{"question": 5}\n', "line 1"),
        ("{\n", "line 1"),
        ('{"question": " "}\n', "contains no example"),
    ):
        file.write_text(text)
        with pytest.raises(GoldUnreadable, match=reason):
            read_examples(file)
    with pytest.raises(GoldUnreadable, match="cannot be read"):
        read_examples(tmp_path / "none.jsonl")
