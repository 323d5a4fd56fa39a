"""Blocks become statements under what stands above them, each at its characters."""

from __future__ import annotations

import pytest

from rag.manuscripts.composition import Block, build_manuscript


def test_a_statement_knows_what_it_stands_under_and_where() -> None:
    found = build_manuscript(
        "r",
        "docx",
        [
            Block("heading", "2 Ferries", 1),
            Block("text", "The company has ships. Two of them burn oil:"),
            Block("item", "• the Alma", 0),
            Block("head", "Ship | Seats", cells=("Ship", "Seats")),
            Block("row", "Alma | 120", cells=("Alma", "120"), head=("Ship", "Seats")),
        ],
    )
    said = [(s.text, s.under, s.heading, s.item) for s in found.statements]
    assert said == [
        ("Ferries", (), True, False),
        ("The company has ships.", ("Ferries",), False, False),
        ("Two of them burn oil:", ("Ferries",), True, False),
        ("the Alma", ("Ferries", "Two of them burn oil"), False, True),
        ("Ship: Alma; Seats: 120", ("Ferries", "Two of them burn oil"), False, False),
    ]
    assert found.text[found.statements[1].start : found.statements[1].end] == "The company has ships."
    assert found.text[found.statements[4].start : found.statements[4].end] == "Alma | 120"


def test_running_text_does_not_stand_under_the_title() -> None:
    blocks = [Block("heading", "Ferries in review", 1), Block("text", "Fares rose."), Block("item", "• North: 12", 0)]
    assert [s.under for s in build_manuscript("r", "docx", blocks).statements] == [(), (), ("Ferries in review",)]


def test_a_bibliography_is_no_claim_until_the_next_heading_of_its_rank() -> None:
    found = build_manuscript(
        "r",
        "pages",
        [
            Block("heading", "5. Literaturverzeichnis", 1),
            Block("text", "Holm, A. (1887). On lamps. Bergen: Lys."),
            Block("heading", "A", 2),
            Block("item", "[2] Berg, B. On ferries, 1901."),
            Block("heading", "Appendix", 1),
            Block("text", "The lamp was lit in 1887."),
        ],
    )
    assert [bool(s.remark) for s in found.statements if not s.heading] == [True, True, False]


def test_a_line_of_contents_is_no_claim() -> None:
    (statement,) = build_manuscript("r", "pages", [Block("text", "3 Ferries of the north ........ 12")]).statements
    assert "list of contents" in statement.remark


def test_what_stands_under_contents_is_no_claim_but_for_sentences() -> None:
    found = build_manuscript(
        "r",
        "pages",
        [
            Block("heading", "Table of Contents", 1),
            Block("row", "Ferries | 8", cells=("Ferries", "8")),
            Block("text", "The lamp was lit in 1887."),
            Block("text", "\u00a9 Holm 2016"),
        ],
    )
    assert [bool(s.remark) for s in found.statements[1:]] == [True, False, True]


@pytest.mark.parametrize("mark", ["2", "²", "²¹"])
def test_the_mark_of_a_footnote_ends_no_sentence_of_its_own_and_is_no_number(mark: str) -> None:
    text = f"The lamp burned oil.{mark} It was lit in 1887. Q4. Its keeper left."
    found = build_manuscript("r", "pages", [Block("text", text)])
    assert [s.text for s in found.statements] == ["The lamp burned oil.", "It was lit in 1887. Q4.", "Its keeper left."]


def test_a_heading_with_a_number_says_something() -> None:
    found = build_manuscript(
        "r", "html", [Block("heading", "1.2 Revenue rose by 12%", 2), Block("text", "Ships did it.")]
    )
    assert [(s.text, s.heading, s.under) for s in found.statements] == [
        ("Revenue rose by 12%", False, ()),
        ("Ships did it.", False, ()),
    ]


def test_reading_ends_after_what_can_be_checked() -> None:
    endless = (Block("text", f"Ship {n} has seats.") for n in iter(int, 1))
    assert len(build_manuscript("r", "html", endless).statements) == 2001
