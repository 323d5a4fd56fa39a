"""The imprint of a document: where its title, authors, date and venue stand when no line says what it is."""

from __future__ import annotations

from dataclasses import replace

import pytest

from indexing import Element
from indexing.types import Kind
from rag.methods.quote.imprint import Span, authors_of, date_of, title_of, venue_of
from tests.support import fakes

PROSE = "The register counts the sails that pass the lighthouse on every day of the year in the bay."


def page(*lines: tuple[Kind, str, float], number: int = 1) -> list[Element]:
    """Return the elements of a page, by their kind, their text and the height of their letters."""
    elements = []
    for n, (kind, text, height) in enumerate(lines, 1):
        element = fakes.element(text, "d", number, n, kind)
        boxes = element.words.boxes.copy()
        boxes[:, 3] = boxes[:, 1] + height
        elements.append(replace(element, words=replace(element.words, boxes=boxes)))
    return elements


def words(spans: list[Span]) -> list[str]:
    return [element.text[start:end] for element, start, end in spans]


@pytest.mark.parametrize(
    ("pages", "title"),
    [
        ([page(("text", "The sails of the bay", 0.06), ("text", "Ada Holm", 0.04))], "The sails of the bay"),
        ([page(("text", "RECOMMENDED CITATION", 0.01), ("text", "Mill, 2020, \u201cSails in the bay.\u201d", 0.01))],
         "Sails in the bay"),
        ([page(("text", "SAILS IN THE BAY.", 0.01), ("text", "By A. Holm", 0.01), ("text", PROSE, 0.01))],
         "SAILS IN THE BAY."),
        ([page(("text", PROSE, 0.01), ("footer", f"Sails of the bay {n}", 0.01), number=n) for n in (1, 2)],
         "Sails of the bay 1"),
        ([page(("heading", "Sails of the bay", 0.01), ("text", PROSE, 0.01))], "Sails of the bay"),
        ([page(("text", PROSE * 4, 0.01), ("heading", "Sails of the bay", 0.01))], ""),
        ([], ""),
    ],
    ids=["a cover", "as it is cited", "above its author", "a running head", "the first heading", "a later one", "none"],
)  # fmt: skip
def test_the_title(pages: list[list[Element]], title: str) -> None:
    assert words(title_of(pages)) == ([title] if title else [])


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("Ada Holm\u00b9, Per Olsen\u00b2\u2020 and Eric T. Berg\u00b3", True),
        ("Ada Holm ada@sails.example", True),
        ("By A. Holm, M.A.", True),
        ("HOLM + BERG", False),
        ("University of Lund", False),
        ("100 Winchester Circle Los Gatos", False),
        ("3.2 Measuring Losses", False),
        ("BY NET PROFIT", False),
    ],
)
def test_a_line_of_names_is_told_from_other_lines(line: str, names: bool) -> None:
    first = page(("heading", "The sails of the bay", 0.04), ("text", line, 0.02), ("text", f"{PROSE[:-1]}.", 0.01))
    assert words(authors_of([first], title_of([first]))) == ([line] if names else [])


def test_those_whom_one_may_ask_are_no_authors() -> None:
    first = page(("heading", "The sails", 0.04), ("text", "FOR MEDIA INQUIRIES:", 0.02), ("text", "Ada Holm", 0.02))
    assert authors_of([first], title_of([first])) == []


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("Effective 3/17/04", "Effective 3/17/04"),
        ("25-03-2015", "25-03-2015"),
        ("Received 25 July 2008 Accepted 8 May 2008 Published 3 October 2008", "Published 3 October 2008"),
        ("Received 25 July 2008 Revised 8 May 2008", ""),
        (
            "Findings of the Mill: SAILS 2023, pages 3806 to 3824",
            "Findings of the Mill: SAILS 2023, pages 3806 to 3824",
        ),
        ("Pages 3806 to 3824 of 2023", ""),
    ],
)
def test_the_date(text: str, date: str) -> None:
    assert words(date_of([page(("text", text, 0.01))])) == ([date] if date else [])


@pytest.mark.parametrize(
    ("kind", "text", "number", "is_venue"),
    [
        ("text", "Journal of Sails, Vol. 29 No. 2", 1, True),
        ("text", "The archive of this journal is open", 1, False),
        ("footer", "MILL Working Paper Series No 1299", 2, True),
        ("text", "MILL Working Paper Series No 1299", 2, False),
        ("text", f"Sails of the International Conference on Mills. {PROSE * 3}", 1, False),
    ],
)
def test_the_venue(kind: Kind, text: str, number: int, is_venue: bool) -> None:
    pages = [page(number=n) for n in range(1, number)] + [page((kind, text, 0.01), number=number)]
    assert words(venue_of(pages)) == ([text] if is_venue else [])
