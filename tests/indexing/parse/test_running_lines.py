"""Running titles that were taken for text, and what the margins of the first page say of the document."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from indexing.parse.running_lines import RunningLines
from indexing.types import BBox, Element, Kind, Page, ParsedPage, Words

TITLE, TOP, FOOT, BODY = "Harbour Handbook, Release 4", 0.05, 0.94, 0.4


def line(text: str, top: float, kind: Kind = "text") -> Element:
    return Element(f"d-{text}", "d", 1, kind, text, BBox(0.1, top, 0.9, top + 0.012), "layer")


def kinds(*pages: list[Element]) -> list[list[str]]:
    running = RunningLines()
    told = [running.mark_page(ParsedPage(Page("d", n, 600, 1000), tuple(page))) for n, page in enumerate(pages, 1)]
    return [[e.kind for e in page.elements] for page in told]


def test_the_lines_of_an_empty_page_are_those_of_the_pages_before() -> None:
    before = [line(TITLE, TOP, "header"), line("Boats wait here.", BODY), line("Page 7", FOOT, "footer")]
    assert kinds(before, [line(TITLE, TOP), line("Page  8", FOOT)])[1] == ["header", "footer"]


@pytest.mark.parametrize(
    "other", [line(TITLE, BODY), line(TITLE, FOOT), line("The tide turns.", TOP), line(TITLE, TOP, "heading")],
    ids=["in the body", "at the other end", "other words", "a heading"],
)  # fmt: skip
def test_other_lines_stay(other: Element) -> None:
    assert kinds([line(TITLE, TOP, "header")], [other])[1] == [other.kind]


def test_what_no_page_before_has_stays() -> None:
    assert kinds([line(TITLE, TOP), line("7", FOOT)]) == [["text", "text"]]


NUMBERED = "No. 21-13199, filed in March 2022, page 1 of 17"


def test_what_the_first_page_says_of_the_document_is_text_there_alone() -> None:
    later = [line(NUMBERED.replace("page 1", "page 2"), TOP), line("12 boats of 1900", FOOT, "footer")]
    assert kinds([line(NUMBERED, TOP, "header")], later) == [["text"], ["header", "footer"]]


@pytest.mark.parametrize("said", ["Page 1 of 17", "Harbour Handbook", "5/28/2020", "PAGE 0001"])
def test_a_number_or_a_title_alone_is_none_of_that(said: str) -> None:
    assert kinds([line(said, FOOT, "footer")]) == [["footer"]]


PROSE = "The boats wait here until the tide has turned, and leave again at noon."


def sized(text: str, top: float, height: float, kind: Kind = "text") -> Element:
    words = Words(
        np.array([(0, len(text))], np.int32),
        np.array([(0.1, top, 0.9, top + height)], np.float32),
        np.zeros(1, np.int32),
    )
    return Element(f"d-{text}", "d", 1, kind, text, BBox(0.1, top, 0.9, top + height), "layer", words=words)


@pytest.mark.parametrize("kind", ["text", "heading"])
def test_a_line_that_a_page_before_has_in_its_place_runs(kind: Kind) -> None:
    page = [sized("Opinion of the Court", 0.13, 0.012, kind), sized(PROSE, BODY, 0.012)]
    assert kinds(page, page, page) == [[kind, "text"], ["header", "text"], ["header", "text"]]


def test_left_and_right_pages_have_titles_of_their_own() -> None:
    left, right = (sized(text, 0.12, 0.01, "heading") for text in ("Harbour", "Boats"))
    prose = sized(PROSE, BODY, 0.012)
    assert kinds([left, prose], [right, prose], [left, prose], [right, prose])[2:] == [["header", "text"]] * 2


def test_a_title_in_large_letters_may_come_again() -> None:
    page = [sized("Results", 0.1, 0.04, "heading"), sized(PROSE, BODY, 0.012)]
    assert kinds(page, page)[1] == ["heading", "text"]


def test_a_picture_in_the_same_corner_is_a_logo_from_the_third_page_on() -> None:
    logo = replace(line("", TOP, "picture"), bbox=BBox(0.8, 0.02, 0.95, 0.1))
    figure = replace(line("", BODY, "picture"), bbox=BBox(0.1, 0.2, 0.9, 0.6))
    assert kinds(*[[logo, figure]] * 3) == [["picture", "picture"]] * 2 + [["header", "picture"]]
