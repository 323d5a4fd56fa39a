"""A text -> the entries of its own bibliography, and the rest of it."""

from __future__ import annotations

import time

from rag.attribution.cited import ListedEntry, entries_among, own_bibliography

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


def test_a_text_without_entries_stays_as_it_is() -> None:
    assert own_bibliography("Sales rose.\nSources differ: ask.\n") == ([], "Sales rose.\nSources differ: ask.\n")


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
