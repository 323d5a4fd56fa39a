"""A line that names a term, or an option of a command, heads the text set in below it; other lines do not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from indexing.hints import landmarks
from indexing.parse.sections import Outline
from indexing.parse.term_lines import OPTION_WORDS, terms_of, with_term_headings
from indexing.types import BBox, Element, Kind, Page, ParsedPage, Words


def piece(text: str, top: float, left: float = 0.1, kind: Kind = "text", lines: int = 1) -> Element:
    """A piece of a page whose lines are a hundredth of it high."""
    height = 0.01 * lines
    words = Words(
        np.array([(0, len(text))], np.int32),
        np.array([(left, top, 0.9, top + 0.01)], np.float32),
        np.zeros(1, np.int32),
    )
    box = BBox(left, top, 0.9, top + height)
    return Element(f"d-1-{text[:20]}", "d", 1, kind, text, box, "layer", words=words)


BELOW = piece("Run as many tests at once.", 0.22, left=0.15, lines=3)


def headed(*elements: Element) -> tuple[Element, ...]:
    return with_term_headings(elements, terms_of(elements))


def kind_of(line: Element, below: Element = BELOW) -> str:
    return headed(line, below)[0].kind


def placed(*elements: Element) -> tuple[Element, ...]:
    """Elements with their sections."""
    page = Page("d", 1, 600, 800)
    return Outline().place(ParsedPage(page, headed(*elements), terms=terms_of(elements))).elements


@pytest.mark.parametrize("text", ["--jobs=<number> [default: 2]", "-j N, --jobs N", "-j", "--skip=part1,part2,..."])
@pytest.mark.parametrize("kind", ["text", "list", "heading"])
def test_an_option_heads_what_is_set_in_below_it(text: str, kind: Kind) -> None:
    assert kind_of(piece(text, 0.2, kind=kind)) == "heading"


@pytest.mark.parametrize(
    "text",
    ["- two jobs", "-5 degrees", "--jobs runs two tests at once.", "jobs=2", "— two", "-two",
     f"--jobs {'N ' * OPTION_WORDS}"],
)  # fmt: skip
def test_other_lines_stay_what_they_are(text: str) -> None:
    assert kind_of(piece(text, 0.2), replace(BELOW, kind="list")) == "text"


@pytest.mark.parametrize("text", ["MILL_HOME", "shift [n]", "Tide gauge", "Foreign boats of the bay"])
def test_a_term_heads_the_sentence_set_in_right_below_it(text: str) -> None:
    assert kind_of(piece(text, 0.2)) == "heading"


@pytest.mark.parametrize(
    ("line", "below"),
    [
        (piece("For example:", 0.2), BELOW),
        (piece("It rains.", 0.2), BELOW),
        (piece("·", 0.2), BELOW),
        (piece("• Tide gauge", 0.2, kind="list"), BELOW),
        (piece("a) Tide gauge", 0.2, kind="list"), BELOW),
        (piece("A term of more words than eight is none, I think", 0.2), BELOW),
        (piece("Tide gauge", 0.2), replace(BELOW, text="mill --wait")),
        (piece("Tide gauge", 0.2), replace(BELOW, kind="list")),
        (piece("Tide gauge", 0.2), piece("Far below it stands a text.", 0.24, left=0.15)),
        (piece("Tide gauge", 0.2), piece("In the middle stands a text.", 0.22, left=0.4)),
        (piece("Tide gauge", 0.2, kind="picture"), BELOW),
        (replace(piece("Tide gauge", 0.2), words=Words.none()), BELOW),
    ],
)
def test_other_lines_above_a_text_are_no_terms(line: Element, below: Element) -> None:
    assert kind_of(line, below) == line.kind


@pytest.mark.parametrize(
    "below",
    [
        piece("Not set in.", 0.22),
        piece("Beside it.", 0.2, left=0.5),
        piece("1.2 Tests", 0.22, left=0.15, kind="heading"),
        piece("1.2 Tests", 0.22, left=0.15, kind="picture"),
    ],
)
def test_without_text_set_in_below_it_an_option_is_a_line_of_code(below: Element) -> None:
    assert kind_of(piece("--jobs=2", 0.2), below) == "text"
    assert headed(piece("--jobs=2", 0.2))[0].kind == "text"


def test_a_paragraph_that_begins_with_an_option_is_none() -> None:
    assert kind_of(piece("--jobs and what it does", 0.2, lines=3)) == "text"


def test_options_are_siblings_under_their_section_and_end_where_text_is_set_out() -> None:
    head = replace(piece("2 Options", 0.1), kind="heading")
    elements = [
        head,
        piece("--jobs=N", 0.2),
        BELOW,
        piece("--wait", 0.3, kind="list"),
        piece("Wait for all of them.", 0.32, left=0.15),
        piece("More of that.", 0.34, left=0.15),
        piece("All options have short forms.", 0.4),
    ]
    section = {e.text: e.section for e in placed(*elements)}
    assert section["Run as many tests at once."] == ("2 Options", "--jobs=N")
    assert section["--wait"] == ("2 Options",)
    assert section["More of that."] == ("2 Options", "--wait")
    assert section["All options have short forms."] == ("2 Options",)


def test_the_options_of_headings_are_names_of_their_page() -> None:
    elements = headed(piece("-j N, --jobs=N", 0.2), BELOW, piece("Use --wait.", 0.4))
    assert landmarks(elements).names == (("-j", 1.0), ("--jobs", 1.0))


def test_a_page_without_anything_has_no_terms() -> None:
    assert placed() == ()


@pytest.mark.parametrize("height", [0.01, 0.015])
def test_what_the_layout_calls_a_heading_keeps_its_rank(height: float) -> None:
    words = Words(
        np.array([(0, 5)], np.int32), np.array([(0.1, 0.2, 0.9, 0.2 + height)], np.float32), np.zeros(1, np.int32)
    )
    tides = replace(piece("Tides", 0.2, kind="heading"), words=words)
    assert [e.section for e in placed(tides, BELOW, piece("Set out.", 0.4))] == [(), ("Tides",), ("Tides",)]


def test_terms_nest_by_how_far_they_are_set_in() -> None:
    elements = [
        piece("PARAMETERS", 0.1),
        piece("They are told to the mill.", 0.12, left=0.15),
        piece("MILL_HOME", 0.2, left=0.151),
        piece("Where the mill keeps its sacks.", 0.22, left=0.2),
        piece("MILL_BOATS", 0.3, left=0.15),
        piece("Where the mill keeps its boats.", 0.32, left=0.2),
        piece("All of them are paths.", 0.4, left=0.15),
        piece("It rains.", 0.5),
    ]
    assert [e.section for e in placed(*elements)] == [
        (),
        ("PARAMETERS",),
        ("PARAMETERS",),
        ("PARAMETERS", "MILL_HOME"),
        ("PARAMETERS",),
        ("PARAMETERS", "MILL_BOATS"),
        ("PARAMETERS",),
        (),
    ]


def test_terms_of_two_columns_are_siblings() -> None:
    left = [piece("Ebb", 0.8), piece("The tide that goes out.", 0.82, left=0.13)]
    right = [piece("Flood", 0.1, left=0.52), piece("The tide that comes in.", 0.12, left=0.55)]
    assert [e.section for e in placed(*left, *right)] == [(), ("Ebb",), (), ("Flood",)]
