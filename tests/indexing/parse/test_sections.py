"""The section path of each element, by numbering and by size, and the heads and feet of pages, which are no text."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from indexing.parse import Outline
from indexing.parse.sections import MAX_DEPTH
from indexing.types import BBox, Element, Kind, Page, ParsedPage, Words

Heading = tuple[str, float]


def piece(text: str, size: float | None = None, top: float = 0.1, kind: Kind | None = None, number: int = 1) -> Element:
    """A heading of `size` thousandths of the page's height, or a paragraph."""
    height = (size or 10) / 1000
    box = BBox(0.1, top, 0.9, top + height)
    words = Words(np.array([(0, len(text))], np.int32), np.array([box.as_tuple()], np.float32), np.zeros(1, np.int32))
    kind = kind or ("text" if size is None else "heading")
    return Element(f"d-1-{number}-{text}", "d", number, kind, text, box, "layer", words=words)


def placed(*pages: list[Element], width: float = 600) -> list[tuple[Element, ...]]:
    outline = Outline()
    return [
        outline.place(ParsedPage(Page("d", n, width, 1000), tuple(page))).elements for n, page in enumerate(pages, 1)
    ]


def sections(*pages: list[Element], width: float = 600) -> dict[str, tuple[str, ...]]:
    return {e.text: e.section for page in placed(*pages, width=width) for e in page}


LONG = "A heading that is so long that it must be a paragraph in bold letters " * 3


@pytest.mark.parametrize(
    ("headings", "paths"),
    [
        ([("1 Ferries", 14), ("1.1 Stops", 14), ("1.1.2 Access", 14), ("1.2 Fares", 14), ("2 Buses", 14)],
         ["1 Ferries", "1 Ferries/1.1 Stops", "1 Ferries/1.1 Stops/1.1.2 Access", "1 Ferries/1.2 Fares", "2 Buses"]),
        ([("Report", 24), ("Ferries", 16), ("Stops", 12), ("Buses", 16)],
         ["Report", "Report/Ferries", "Report/Ferries/Stops", "Report/Buses"]),
        ([("Report", 24), ("2024 in numbers", 16), (LONG, 20)],
         ["Report", "Report/2024 in numbers", "Report/2024 in numbers"]),
        ([("I. FERRIES", 10), ("A. Stops", 10), ("B. Fares", 10), ("II. BUSES", 10), ("A. Night", 10)],
         ["I. FERRIES", "I. FERRIES/A. Stops", "I. FERRIES/B. Fares", "II. BUSES", "II. BUSES/A. Night"]),
        ([("A. Prompts", 12), ("A.2 First", 10), ("Of the first", 10), ("A.3 Next", 10)],
         ["A. Prompts", "A. Prompts/A.2 First", "A. Prompts/Of the first", "A. Prompts/A.3 Next"]),
        ([("4 RESULTS", 10.7), ("4.1 TASKS", 8.9), ("4.2 LABELS", 7.1)],
         ["4 RESULTS", "4 RESULTS/4.1 TASKS", "4 RESULTS/4.2 LABELS"]),
        ([("6 Conclusion", 12), ("A Prompts", 12), ("A.1 Words", 12)],
         ["6 Conclusion", "A Prompts", "A Prompts/A.1 Words"]),
        ([("Liquidity (in millions)", 14)], ["Liquidity"]),
    ],
    ids=["figures", "sizes", "a year and a long line", "roman, letters", "below a chapter", "small capitals",
         "appendices", "a unit"],
)  # fmt: skip
def test_what_stands_below_a_heading_is_in_its_section(headings: list[Heading], paths: list[str]) -> None:
    page = [element for n, head in enumerate(headings) for element in (piece(*head), piece(f"text {n}"))]
    found = sections([piece("before"), *page])
    assert ["/".join(found[f"text {n}"]) for n in range(len(headings))] == paths
    assert found["before"] == ()


def test_the_path_goes_on_over_the_page_break_and_is_bounded() -> None:
    found = sections([piece("Ferries", 16)], [piece("a")], [piece("Buses", 16), piece("b")])
    assert (found["a"], found["Buses"], found["b"]) == (("Ferries",), (), ("Buses",))
    assert len(sections([*(piece(f"H{n}", 40 - n) for n in range(12)), piece("a")])["a"]) == MAX_DEPTH


def test_slides_below_one_that_is_a_heading_alone_are_in_its_section() -> None:
    slides = (
        [piece("Ferries", 48)],
        [piece("Costs", 30, number=2), piece("b", number=2)],
        [piece("Fares", 24, number=3)],
    )
    found = sections(*slides, width=1600)
    assert (found["b"], found["Fares"]) == (("Ferries", "Costs"), ("Ferries",))


# ---- heads and feet ------------------------------------------------------------------------------------------------

TITLE, TOP, FOOT, BODY = "Harbour Handbook, Release 4", 0.05, 0.94, 0.4
NUMBERED = "No. 21-13199, filed in March 2022, page 1 of 17"
PROSE = piece("The boats wait here until the tide has turned, and leave again at noon.", 12, BODY, "text")


def line(text: str, top: float, kind: Kind = "text") -> Element:
    return piece(text, 12, top, kind)


def kinds(*pages: list[Element]) -> list[list[str]]:
    return [[e.kind for e in page] for page in placed(*pages)]


HEAD = [line(TITLE, TOP, "header")]
OPINION = [line("Opinion of the Court", 0.13), PROSE]
LARGE = [piece("Results", 40, 0.1), PROSE]


@pytest.mark.parametrize(
    ("pages", "last"),
    [
        ([[line(TITLE, TOP, "header"), line("Page 7", FOOT, "footer")], [line(TITLE, TOP), line("Page  8", FOOT)]],
         ["header", "footer"]),
        ([HEAD, [line(TITLE, BODY)]], ["text"]),
        ([HEAD, [line(TITLE, FOOT)]], ["text"]),
        ([HEAD, [line("The tide turns.", TOP)]], ["text"]),
        ([HEAD, [line(TITLE, TOP, "heading")]], ["heading"]),
        ([[line(TITLE, TOP), line("7", FOOT)]], ["text", "text"]),
        ([OPINION, OPINION], ["header", "text"]),
        ([LARGE, LARGE], ["heading", "text"]),
        ([[line(NUMBERED, TOP, "header")]], ["text"]),
        ([[line(NUMBERED, TOP, "header")], [line(NUMBERED.replace("page 1", "page 2"), TOP),
                                            line("12 boats of 1900", FOOT, "footer")]], ["header", "footer"]),
        *(([[line(text, FOOT, "footer")]], ["footer"]) for text in ("Page 1 of 17", "Harbour Handbook", "5/28/2020")),
    ],
    ids=["as before", "in the body", "at the other end", "other words", "a heading", "none before", "in its place",
         "large letters", "of the document", "later", "a number", "a title", "a date"],
)  # fmt: skip
def test_running_lines_are_heads_and_feet(pages: list[list[Element]], last: list[str]) -> None:
    assert kinds(*pages)[-1] == last


def test_a_picture_in_the_same_corner_is_a_logo_from_the_third_page_on() -> None:
    logo = replace(line("", TOP, "picture"), bbox=BBox(0.8, 0.02, 0.95, 0.1))
    figure = replace(line("", BODY, "picture"), bbox=BBox(0.1, 0.2, 0.9, 0.6))
    assert kinds(*[[logo, figure]] * 3) == [["picture", "picture"]] * 2 + [["header", "picture"]]
