"""A sentence with marks of citation -> its claim without them."""

from __future__ import annotations

import time

import pytest

from rag.attribution.cited import split_marks, strip_marks


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        ("Sales rose to 46% [3].", "Sales rose to 46%."),
        ("Sales rose (Holm, 2020) in the north (Berg et al., 2019).", "Sales rose in the north."),
        ("According to Holm (2020), sales rose.", "According to Holm, sales rose."),
        ("Sales rose, see https://mills.example/report.pdf.", "Sales rose."),
        ("Sales rose [^mill].", "Sales rose."),
        ("Sales (46%) rose.", "Sales (46%) rose."),
    ],
)
def test_marks_are_no_part_of_a_claim(text: str, claim: str) -> None:
    assert split_marks(text).claim == claim


def test_a_name_and_a_year_stay_where_no_bibliography_says_that_they_are_a_mark() -> None:
    assert strip_marks("Sales rose to 46% (Holm, 2020) [3].") == "Sales rose to 46% (Holm, 2020)."


def test_the_name_of_a_source_may_be_left_out_too() -> None:
    assert split_marks("According to Holm (2020), sales rose.").unnamed == "sales rose."
    assert [mark.keys for mark in split_marks("Holm (2020) found that sales rose [3, 4].").marks] == [
        ("Holm 2020",),
        ("3", "4"),
    ]


def test_a_hostile_sentence_takes_linear_time() -> None:
    started = time.process_time()
    for text in ("[1] " * 1000, "(a, 2020) " * 400, "((((" * 1000, "see " * 1000, "[" * 4000):
        strip_marks(text)
    assert time.process_time() - started < 5
