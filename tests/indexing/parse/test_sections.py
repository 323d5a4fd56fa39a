"""The section path of each element: by numbering, by size, from page to page."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

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
