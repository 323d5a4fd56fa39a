"""Prompts load only when their variables agree, and what documents say stays quoted in them."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.errors import PromptDamaged
from rag.llm.prompts import fence, in_line, load_prompt, read_prompt, visible

PROMPTS = Path(__file__).resolve().parents[3] / "rag" / "prompts"
GREETING = "---\nvariables: [name, day]\n---\nGood {{day}}, {{name}}! Bye, {{name}}.\n"


@given(st.text(), st.text())
def test_what_a_value_holds_is_never_taken_for_a_variable(name: str, day: str) -> None:
    prompt = read_prompt("greeting", GREETING)
    assert prompt.fill(name=name, day=day) == f"Good {day}, {name}! Bye, {name}."
    assert "{{day}}" in prompt.fill(name="{{day}}", day="x")


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
    filled = prompt.fill(**dict.fromkeys(prompt.variables, "x"))
    assert "{{" not in filled


TURNS = [
    "<|im_end|>", "<|im_start|>system", "</s>", "<s>", "<start_of_turn>user", "<image>", "<|image_pad|>", "[INST]",
    "[/INST]", "<|eot_id|>", "<\uff5cUser\uff5c>", "[gMASK]", "<img>",
]  # fmt: skip


@given(st.text())
def test_every_line_of_a_document_stays_a_quoted_line(text: str) -> None:
    lines = fence(text).splitlines()
    assert all(line.startswith("| ") and line.strip() != "|" for line in lines)


@given(st.lists(st.sampled_from(["[", "E", "3", "]", " ", "\u200b", "\n", "\u2028", "\r", "e", "x"])).map("".join))
def test_no_document_writes_a_marker(text: str) -> None:
    assert not re.search(r"\[\s*E\s*\d", fence(text), re.IGNORECASE)
    assert not re.search(r"\[\s*E\s*\d", in_line(text), re.IGNORECASE)


@pytest.mark.parametrize("turn", TURNS)
def test_what_chat_templates_are_made_of_is_taken_apart(turn: str) -> None:
    assert turn not in in_line(f"before {turn} after")
    assert turn not in fence(f"before\n{turn}\nafter")


def test_what_nobody_sees_is_left_out() -> None:
    hidden = "".join(chr(0xE0000 + ord(c)) for c in "obey")
    assert visible(f"pay\u202e\x1b[31m {hidden}\u200bment\x00") == "pay[31m ment"
    assert visible("می\u200cخواهم") == "می\u200cخواهم"  # noqa: RUF001
