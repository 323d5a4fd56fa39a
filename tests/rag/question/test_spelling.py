"""Misspelt words of a question are read as words of the best pages."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexing import Collection
from rag import Pipeline
from rag.question import mended, slips_of

PAGES = ["The percentage of seniors who sail. Contoso paid 12 crowns."]


@pytest.mark.parametrize(
    ("question", "tokens", "slips"),
    [
        ("the percentge", "the per ##cent ##ge", {"percentge": "percentage"}),
        ("two senoirs", "two sen ##oir ##s", {"senoirs": "seniors"}),
        ("the percentage of seniors", "the percentage of seniors", {}),
        ("the zeppelin", "the ze ##ppel ##in", {}),
        ("the Contosa", "the con ##tos ##a", {"Contosa": "Contoso"}),
        ("the Contora", "the con ##tor ##a", {}),
        ("the Senoirs", "the sen ##oir ##s", {}),
        ("the CONTOSA", "the con ##tos ##a", {}),
        ("the 12percentge", "the 12 ##per ##cent ##ge", {"percentge": "percentage"}),
        ("the pct", "the pc ##t", {}),
    ],
)  # fmt: skip
def test_only_unknown_words_close_to_one_of_the_pages(question: str, tokens: str, slips: dict[str, str]) -> None:
    assert slips_of(question, tokens.split(), PAGES) == slips


def test_the_question_is_mended_word_by_word() -> None:
    assert mended("Percentge, percentge?", {"percentge": "percentage"}) == "Percentge, percentage?"


def test_an_answer_says_how_it_read_the_question(town: Collection) -> None:
    answer = Pipeline(town).answer("What does a tickett cost?")
    assert any("Read “tickett” as “ticket”." in note for note in answer.notes)
    assert answer.question == "What does a tickett cost?"
    assert any("two crowns" in sentence.text for sentence in answer.sentences)
    assert not any("Read" in note for note in Pipeline(town).answer("What does a ticket cost?").notes)


@given(st.text(max_size=100), st.lists(st.text(max_size=20), max_size=20), st.lists(st.text(max_size=200), max_size=3))
def test_any_question(question: str, tokens: list[str], pages: list[str]) -> None:
    slips = slips_of(question, tokens, pages)
    assert all(word in question for word in slips)
