"""Which lines are headings, and the level that the number of one names."""

from __future__ import annotations

import pymupdf
import pytest

from indexing.parse import parse_page
from indexing.parse.headings import level_of, may_head, states_unit, title_of
from indexing.settings import IndexingSettings

SETTINGS = IndexingSettings(visual="none", ocr="never")
PROSE = (
    "The ferry leaves the quay at six and comes back at nine. Its crew of four counts the passengers, the "
    "bicycles and the crates of fish, and writes the numbers into a book that the harbour keeps. "
)


UNITS = (
    "(amounts in millions)", "$ in millions", "In thousands", "(Dollars in millions, except per share amounts)",
    "(Rs. in crores)", "Angaben in Tsd. €", "Amounts expressed in thousands of euros", "(in thousands, unaudited)",
)  # fmt: skip
MORE_THAN_UNITS = ("Investing in millions of people", "Growth in percent of sales", "In brief", "Units")
NO_HEADINGS = (
    "4", "21-13199", "- 7 -", "(unaudited)", "[continued]", "First, in Figure 3 we ob-", "Smith, Jones,",
    "and so the tide turned early", *UNITS,
)  # fmt: skip
HEADINGS = ("III.", "Costs", "2.1 Stops", "iPhone", "Who pays?", "27% of seniors go online", *MORE_THAN_UNITS)


def test_units_numbers_remarks_and_half_lines_are_no_headings() -> None:
    assert [text for text in (*UNITS, *MORE_THAN_UNITS) if states_unit(text)] == [*UNITS]
    assert [text for text in (*NO_HEADINGS, *HEADINGS) if may_head(text)] == [*HEADINGS]


def test_a_unit_at_the_end_of_a_heading_is_left_out_of_its_title() -> None:
    assert title_of("Sources of Liquidity (amounts in millions)") == "Sources of Liquidity"
    assert title_of("Ferries (closed)") == "Ferries (closed)"
    assert title_of("(in millions)") == "(in millions)"


@pytest.mark.parametrize(
    ("text", "level"),
    [
        ("III.", (0, 0)), ("IV. METHODS", (0, 0)), ("A. Iterative Retrieval", (1, 0)), ("B.2 Prompts", (1, 1)),
        ("3 Ferries", (2, 0)), ("3.2.1 Stops", (2, 2)), ("Chapter 3", (2, 0)), ("2024 in numbers", None),
        ("2 in 10 adults", None), ("A Survey of Ferries", None), ("I think so", None),
    ],
)  # fmt: skip
def test_numbers_tell_the_level(text: str, level: tuple[int, int] | None) -> None:
    assert level_of(text) == level


def test_a_letter_goes_on_where_an_open_heading_left_off() -> None:
    assert level_of("I. Night", [((1, 0), "H. Day")]) == (1, 0)
    assert level_of("I. Night", [((0, 0), "I. Day")]) == (0, 0)
    assert level_of("A Prompts", [((2, 0), "6 Conclusion")]) == (1, 0)


def _kinds(heading: str, face: str, size: float) -> dict[str, str]:
    document = pymupdf.open()
    page = document.new_page(width=500, height=700)
    page.insert_text((60, 80), "Harbour Notes", fontname="hebo", fontsize=20)
    page.insert_textbox((60, 100, 440, 240), 3 * PROSE, fontname="helv", fontsize=10)
    page.insert_text((60, 260), heading, fontname=face, fontsize=size)
    page.insert_textbox((60, 268, 440, 460), 3 * PROSE, fontname="helv", fontsize=10)
    return {e.text: e.kind for e in parse_page(page, "d", SETTINGS).elements if e.kind != "group"}


def test_a_heading_is_set_otherwise_than_running_text() -> None:
    assert _kinds("Fares and stops", "hebo", 14)["Fares and stops"] == "heading"
    assert _kinds("Fares and stops", "helv", 10).get("Fares and stops") != "heading"
