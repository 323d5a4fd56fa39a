"""Sentences without their marks of citation, and the entries of a text's own bibliography."""

import time

import pytest

from rag.attribution.bibliography import ListedEntry, entries_among, own_bibliography
from rag.attribution.marks import strip_marks


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        ("Sales rose to 46% [3].", "Sales rose to 46%."),
        ("Sales rose to 46% (Holm, 2020) [3].", "Sales rose to 46% (Holm, 2020)."),
        ("Sales rose, see https://mills.example/report.pdf.", "Sales rose."),
        ("Sales rose [^mill], as the keeper³ says.", "Sales rose, as the keeper says."),
    ],
)
def test_marks_go_and_a_name_with_its_year_may_be_part_of_the_sentence(text: str, claim: str) -> None:
    assert strip_marks(text) == claim


def test_a_hostile_sentence_takes_linear_time() -> None:
    started = time.process_time()
    for text in ("[1] " * 1000, "(a, 2020) " * 400, "((((" * 1000, "see " * 1000, "[" * 4000):
        strip_marks(text)
    assert time.process_time() - started < 5


TEXT = """\
Sales rose [1]. Costs fell.[^n]

[^n]: The mill's accounts, 2020.

## References

[1] Holm, A. Mills of the north.
    Second line of it.
2. Berg, B. On weirs.

## Annex

Nothing of this is an entry.
"""


def test_the_entries_of_a_text_are_read_and_left_out_of_it() -> None:
    references, rest = own_bibliography(TEXT)
    assert [(r.label, r.text) for r in references] == [
        ("n", "The mill's accounts, 2020."),
        ("1", "Holm, A. Mills of the north. Second line of it."),
        ("2", "Berg, B. On weirs."),
    ]
    assert [line for line in rest.splitlines() if line] == [
        "Sales rose [1]. Costs fell.[^n]",
        "## References",
        "## Annex",
        "Nothing of this is an entry.",
    ]


def test_entries_of_a_manuscript_stand_a_paragraph_each() -> None:
    assert entries_among(["[7] Holm, A. Mills.", "Berg, B. Weirs."]) == [
        ListedEntry("7", "Holm, A. Mills."),
        ListedEntry("", "Berg, B. Weirs."),
    ]


def test_a_hostile_bibliography_is_bounded() -> None:
    started = time.process_time()
    for text in ("References\n" + "[1] a\n" * 20_000, "[^a]: " * 20_000, "# " * 40_000, "**a" * 30_000, " " * 100_000):
        assert len(own_bibliography(text)[0]) <= 2000
    assert time.process_time() - started < 5
