"""Prompts load only when what they declare, what they use and what they are given agree."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.errors import PromptDamaged
from rag.llm.prompts import load_prompt, read_prompt

PROMPTS = Path(__file__).resolve().parents[3] / "rag" / "prompts"
GREETING = "---\nvariables: [name, day]\n---\nGood {{day}}, {{name}}! Bye, {{name}}.\n"


def test_a_prompt_is_filled() -> None:
    assert read_prompt("greeting", GREETING).filled(name="Ada", day=3) == "Good 3, Ada! Bye, Ada."


@given(st.text(), st.text())
def test_what_a_value_holds_is_never_taken_for_a_variable(name: str, day: str) -> None:
    prompt = read_prompt("greeting", GREETING)
    assert prompt.filled(name=name, day=day) == f"Good {day}, {name}! Bye, {name}."
    assert "{{day}}" in prompt.filled(name="{{day}}", day="x")


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("Good {{day}}", "two lines of three dashes"),
        ("---\nvariables: [day]\n---\nGood {{day}} {{name}}", "declares the variables day, but uses day, name"),
        ("---\nvariables: [day, name]\n---\nGood {{day}}", "declares the variables day, name, but uses day"),
        ("---\nvariables: [day\n---\nGood {{day}}", "not YAML"),
        ("---\nvariables: day\n---\nGood {{day}}", "a list of names"),
        ("---\nvariables: [day]\nother: 1\n---\nGood {{day}}", "nothing else"),
        ("---\nvariables: []\n---\n\n", "it is empty"),
    ],
)
def test_a_damaged_prompt_is_refused_and_says_why(source: str, why: str) -> None:
    with pytest.raises(PromptDamaged, match="prompt greeting") as refused:
        read_prompt("greeting", source)
    assert why in str(refused.value)


def test_a_caller_that_will_give_other_variables_cannot_load_it() -> None:
    with pytest.raises(PromptDamaged, match="but will be given question"):
        load_prompt("vanilla_schema", "question")
    with pytest.raises(PromptDamaged, match=r"no rag/prompts/nothing\.md"):
        load_prompt("nothing")
    with pytest.raises(PromptDamaged, match=r"no plugins/audit/prompts/nothing\.md"):
        load_prompt("plugins.audit:nothing")


@pytest.mark.parametrize("name", sorted(p.stem for p in PROMPTS.glob("*.md")))
def test_every_prompt_that_ships_is_whole(name: str) -> None:
    prompt = read_prompt(name, (PROMPTS / f"{name}.md").read_text(encoding="utf-8"))
    filled = prompt.filled(**dict.fromkeys(prompt.variables, "x"))
    assert "{{" not in filled


def test_the_version_follows_the_text() -> None:
    one, other = (read_prompt("greeting", GREETING.replace("Bye", bye)) for bye in ("Bye", "Adieu"))
    assert one.version == read_prompt("again", GREETING).version
    assert one.version != other.version
