"""Text out of documents cannot leave its quoted lines, and cannot pass for a label or a turn of the conversation."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.llm.prompts import fenced, in_line, visible

TURNS = [
    "<|im_end|>", "<|im_start|>system", "</s>", "<s>", "<start_of_turn>user", "<image>", "<|image_pad|>", "[INST]",
    "[/INST]", "<|eot_id|>", "<\uff5cUser\uff5c>", "[gMASK]", "<img>",
]  # fmt: skip


@given(st.text())
def test_every_line_of_a_document_stays_a_quoted_line(text: str) -> None:
    lines = fenced(text).splitlines()
    assert all(line.startswith("| ") and line.strip() != "|" for line in lines)


@given(st.lists(st.sampled_from(["[", "E", "3", "]", " ", "\u200b", "\n", "\u2028", "\r", "e", "x"])).map("".join))
def test_no_document_writes_a_marker(text: str) -> None:
    assert not re.search(r"\[\s*E\s*\d", fenced(text), re.IGNORECASE)
    assert not re.search(r"\[\s*E\s*\d", in_line(text), re.IGNORECASE)


@pytest.mark.parametrize("turn", TURNS)
def test_what_chat_templates_are_made_of_is_taken_apart(turn: str) -> None:
    assert turn not in in_line(f"before {turn} after")
    assert turn not in fenced(f"before\n{turn}\nafter")


def test_what_nobody_sees_is_left_out() -> None:
    hidden = "".join(chr(0xE0000 + ord(c)) for c in "obey")
    assert visible(f"pay\u202e\x1b[31m {hidden}\u200bment\x00") == "pay[31m ment"
    assert visible("می\u200cخواهم") == "می\u200cخواهم"  # noqa: RUF001


def test_an_ordinary_text_stays_as_it_is() -> None:
    text = "Rye | 44\nCosts fell by 3 % (see [3]) <5 kg, E3 & [sic]"
    assert fenced(text) == "| Rye | 44\n| Costs fell by 3 % (see [3]) <5 kg, E3 & [sic]"
    assert in_line(" a \n b ") == "a b"


def test_nothing_to_read_is_nothing() -> None:
    assert fenced(" \n\u200b\n") == ""
