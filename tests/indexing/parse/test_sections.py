"""The section path of each element: by numbering, by size, from page to page."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from indexing.parse.sections import MAX_DEPTH, Outline
from indexing.types import BBox, Element, Page, ParsedPage, Words


def piece(text: str, size: float | None = None, number: int = 1) -> Element:
    """A heading of `size` points, or a paragraph."""
    height = (size or 10) / 1000
    words = Words(
        np.array([(0, len(text))], np.int32),
        np.array([(0.1, 0.1, 0.9, 0.1 + height)], np.float32),
        np.zeros(1, np.int32),
    )
    kind = "text" if size is None else "heading"
    return Element(
        f"d-1-{number}-{text}", "d", number, kind, text, BBox(0.1, 0.1, 0.9, 0.1 + height), "layer", words=words
    )


def sections(*pages: list[Element]) -> dict[str, tuple[str, ...]]:
    outline = Outline()
    placed = [outline.place(ParsedPage(Page("d", n, 600, 1000), tuple(page))) for n, page in enumerate(pages, 1)]
    return {e.text: e.section for page in placed for e in page.elements}


def test_numbers_nest_and_a_heading_stands_under_the_path_above_it() -> None:
    found = sections(
        [piece("1 Ferries", 14), piece("a"), piece("1.1 Stops", 14), piece("b"), piece("1.1.2 Access", 14), piece("c"),
         piece("1.2 Fares", 14), piece("d"), piece("2 Buses", 14), piece("e")]
    )  # fmt: skip
    assert found["a"] == ("1 Ferries",)
    assert found["1.1 Stops"] == ("1 Ferries",)
    assert found["c"] == ("1 Ferries", "1.1 Stops", "1.1.2 Access")
    assert found["d"] == ("1 Ferries", "1.2 Fares")
    assert found["2 Buses"] == ()
    assert found["e"] == ("2 Buses",)


def test_without_numbers_size_decides() -> None:
    found = sections(
        [piece("Report", 24), piece("Ferries", 16), piece("Stops", 12), piece("a"), piece("Buses", 16), piece("b")]
    )
    assert found["a"] == ("Report", "Ferries", "Stops")
    assert found["b"] == ("Report", "Buses")


def test_the_path_goes_on_over_the_page_break() -> None:
    found = sections([piece("Ferries", 16)], [piece("a", number=2)], [piece("Buses", 16), piece("b")])
    assert found["a"] == ("Ferries",)
    assert found["b"] == ("Buses",)


def test_before_the_first_heading_there_is_none() -> None:
    assert sections([piece("a"), piece("Ferries", 16)])["a"] == ()


def test_a_year_or_a_long_line_is_no_number_and_no_heading() -> None:
    long = "A heading that is so long that it must be a paragraph in bold letters " * 3
    found = sections([piece("Report", 24), piece("2024 in numbers", 16), piece(long, 20), piece("a")])
    assert found["a"] == ("Report", "2024 in numbers")


def test_the_path_is_bounded() -> None:
    headings = [piece(f"H{n}", 40 - n) for n in range(12)]
    assert len(sections([*headings, piece("a")])["a"]) == MAX_DEPTH


def test_a_group_stands_where_its_first_member_does() -> None:
    first, second = piece("a"), piece("b")
    group = replace(first, id="g", text="a b", kind="group", parts=(first.id, second.id))
    found = sections([piece("One", 16), first, piece("Two", 16), second, group])
    assert found["a b"] == ("One",)
    assert found["b"] == ("Two",)


def test_roman_numerals_letters_and_figures_nest_at_one_size() -> None:
    found = sections(
        [piece("I. FERRIES", 10), piece("A. Stops", 10), piece("a"), piece("B. Fares", 10), piece("b"),
         piece("II. BUSES", 10), piece("c"), piece("A. Night", 10), piece("d")]
    )  # fmt: skip
    assert found["a"] == ("I. FERRIES", "A. Stops")
    assert found["b"] == ("I. FERRIES", "B. Fares")
    assert found["c"] == ("II. BUSES",)
    assert found["d"] == ("II. BUSES", "A. Night")


def test_a_number_closes_what_has_none_below_its_chapter() -> None:
    found = sections(
        [piece("A. Prompts", 12), piece("A.2 First", 10), piece("Of the first", 10), piece("a"), piece("A.3 Next", 10),
         piece("b")]
    )  # fmt: skip
    assert found["a"] == ("A. Prompts", "Of the first")
    assert found["b"] == ("A. Prompts", "A.3 Next")


def test_small_capitals_do_not_hide_what_numbers_say() -> None:
    found = sections([piece("4 RESULTS", 10.7), piece("4.1 TASKS", 8.9), piece("4.2 LABELS", 7.1), piece("a")])
    assert found["a"] == ("4 RESULTS", "4.2 LABELS")


def test_appendices_follow_chapters() -> None:
    found = sections(
        [piece("6 Conclusion", 12), piece("A Prompts", 12), piece("a"), piece("A.1 Words", 12), piece("b")]
    )
    assert found["a"] == ("A Prompts",)
    assert found["b"] == ("A Prompts", "A.1 Words")


@pytest.mark.parametrize(("width", "path"), [(1600, ("Costs of next year",)), (600, ("Ferries", "Costs of next year"))])
def test_the_title_of_a_slide_closes_those_of_earlier_slides(width: float, path: tuple[str, ...]) -> None:
    outline = Outline()
    slides = [[piece("Ferries", 48), piece("a")], [piece("Costs of next year", 30, 2), piece("b", number=2)]]
    placed = [outline.place(ParsedPage(Page("d", n, width, 1000), tuple(page))) for n, page in enumerate(slides, 1)]
    assert placed[1].elements[1].section == path


def test_slides_below_one_that_is_a_heading_alone_are_in_its_section() -> None:
    outline = Outline()
    slides = [[piece("Ferries", 48)], [piece("Costs", 30, 2), piece("b", number=2)], [piece("Fares", 24, 3)]]
    placed = [outline.place(ParsedPage(Page("d", n, 1600, 1000), tuple(page))) for n, page in enumerate(slides, 1)]
    assert placed[1].elements[1].section == ("Ferries", "Costs")
    assert placed[2].elements[0].section == ("Ferries",)


def test_a_unit_in_brackets_is_no_part_of_a_path() -> None:
    assert sections([piece("Liquidity (in millions)", 14), piece("a")])["a"] == ("Liquidity",)
