"""Pages of converted files, and places that are one."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from indexing import BBox, Page, ParsedPage
from indexing.conversion import elements_of, joined_place, read_page_of, write_pages
from indexing.types import Cell
from tests.support.fakes import element

CELL = Cell(1, 2, 1, 2, 0, 4, BBox(0.1, 0.2, 0.3, 0.4), True)


def page(number: int, *texts: str) -> ParsedPage:
    elements = tuple(replace(element(text, "", number, n), id="") for n, text in enumerate(texts, 1))
    told = replace(elements[0], cells=(CELL,), place="Sheet 2, B7", section=("Costs", "May"), caption="Table 1")
    return ParsedPage(Page("", number, 420.0, 595.0), (told, *elements[1:]), hidden=number)


def test_pages_come_back_as_they_were(tmp_path: Path) -> None:
    pages = [page(1, "The mill\nstands.", "Zoë \U0001f600 \u2028 مرحبا"), page(2, "It sold 1,200 tickets.")]
    path = elements_of(tmp_path / "a.pdf")
    write_pages(path, pages)
    for number, written in enumerate(pages, 1):
        back = read_page_of(path, number)
        assert replace(back, elements=()) == replace(written, elements=())
        assert back.elements == written.elements
        assert [e.cells for e in back.elements] == [e.cells for e in written.elements]
        for mine, theirs in zip(back.elements, written.elements, strict=True):
            assert np.array_equal(mine.words.spans, theirs.words.spans)
            assert np.array_equal(mine.words.lines, theirs.words.lines)
            assert mine.words.boxes == pytest.approx(theirs.words.boxes, abs=1e-6)


@pytest.mark.parametrize(
    ("places", "joined"),
    [
        ([], ""),
        (["", "line 3", ""], "line 3"),
        (["line 3", "lines 4-9"], "lines 3-9"),
        (["lines 3-4", "cell 2, lines 1-2"], "lines 3-4 to cell 2, lines 1-2"),
        (["cell 2, line 1", "cell 2, lines 4-5"], "cell 2, lines 1-5"),
        (["Sheet 1, A1:B2", "Sheet 1, A5:B9"], "Sheet 1, A1:B2 to Sheet 1, A5:B9"),
        (["line 9", "line 3"], "line 9 to line 3"),
    ],
)
def test_several_places_are_one(places: list[str], joined: str) -> None:
    assert joined_place(places) == joined
