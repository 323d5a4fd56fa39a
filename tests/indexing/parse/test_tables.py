"""Tables as they are printed, sideways ones too, and boxes on turned pages."""

from itertools import product

import numpy as np
import pymupdf
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexing.parse.layout import parse_page
from indexing.parse.orientation import Frame, text_frame
from indexing.parse.scan.ocr import Word
from indexing.parse.tables import LayoutGrid, table_text
from indexing.parse.text import clean
from indexing.settings import IndexingSettings
from indexing.types import BBox
from tests.support import documents

FRAME = Frame(pymupdf.open().new_page(width=1000, height=1000), 0)
WIDE, HIGH = 200, 40


def table(rows: list[list[str]]) -> tuple[list[Word], LayoutGrid]:
    """A regular table: one fragment a cell, words of 8 points a character."""
    words, fragments = [], []
    for (r, row), c in product(enumerate(rows), range(len(rows[0]))):
        left, top = c * WIDE, r * HIGH
        fragments.append(((left, top, left + WIDE - 20, top + HIGH - 10), (r, c, 1, 1)))
        at = left + 2.0
        for token in row[c].split():
            words.append(Word(at, top + 5, at + 8 * len(token), top + 25, token, 100 * r + c))
            at += 8 * len(token) + 4
    columns = tuple(float(WIDE * c - 10) for c in range(1, len(rows[0])))
    return words, LayoutGrid(columns, tuple(fragments))


HEAD = ["", "Passengers", "Passengers"]
BODY = [["Harbour", "968", "1,012"], ["Night", "12", "15"]]


def test_a_fragment_that_ran_over_several_columns_is_split_at_wide_gaps() -> None:
    words, grid = table([["Merrow", "12", "340"]])
    merged = LayoutGrid(grid.columns, (((0.0, 0.0, 580.0, 30.0), (0, 0, 1, 3)),))
    text, _, cells = table_text(words, merged, FRAME)
    assert text == "Merrow | 12 | 340"
    assert [(c.col, c.col_span) for c in cells] == [(0, 1), (1, 1), (2, 1)]


CELLS = st.sampled_from(
    ["", "rye", "12", "1,012", "2023", "Mint Wharf", "inter-", "a\u00adb", "(3.5)%", "\u00ad", "- -"]
)


@given(st.integers(1, 4).flatmap(lambda n: st.lists(st.lists(CELLS, min_size=n, max_size=n), min_size=1, max_size=5)))
def test_cells_and_words_slice_the_text(rows: list[list[str]]) -> None:
    text, places, cells = table_text(*table(rows), FRAME)
    shown = {
        (r, c): " ".join(t for w in cell.split() if (t := clean(w)))
        for r, row in enumerate(rows)
        for c, cell in enumerate(row)
    }
    assert {(c.row, c.col): text[c.start : c.end] for c in cells} == {at: t for at, t in shown.items() if t}
    assert [text[a:b] for a, b in places.spans.tolist()] == [w for at in sorted(shown) for w in shown[at].split()]
    for cell in cells:
        for line_box in places.line_boxes(cell.start, cell.end):
            assert line_box.overlap(cell.bbox) > 0.99 * line_box.area


QUARTERS = (0, 90, 180, 270)


def ink(page: pymupdf.Page, dpi: int = 72) -> BBox:
    """The extent of everything dark on the displayed page."""
    drawn = page.get_pixmap(dpi=dpi)
    dark = np.frombuffer(drawn.samples, np.uint8).reshape(drawn.height, drawn.width, 3).min(2) < 128
    ys, xs = np.nonzero(dark)
    found = BBox.from_page(xs.min(), ys.min(), xs.max() + 1, ys.max() + 1, drawn.width, drawn.height)
    assert found is not None
    return found


@pytest.mark.parametrize(("angle", "rotation"), [*product(QUARTERS, QUARTERS)])
def test_a_words_box_is_where_its_pixels_are(angle: int, rotation: int) -> None:
    page = pymupdf.open().new_page(width=400, height=600)
    page.insert_text((150, 300), "Hello", fontsize=20, rotate=angle)
    page.set_cropbox(pymupdf.Rect(20, 50, 390, 600))
    page.set_rotation(rotation)
    page = documents.reopened(page)
    seen = ink(page)
    frame = text_frame(page)
    (word,) = frame.page.get_text("words")
    box = frame.box(*word[:4])
    assert word[4] == "Hello"
    assert word[2] - word[0] > word[3] - word[1], "the word does not read from left to right in its frame"
    assert box is not None
    assert np.abs(np.subtract(box.as_tuple(), seen.as_tuple())).max() < 0.03


def sideways_table(rotation: int) -> pymupdf.Page:
    """A ruled table of 4 x 4 that fills a page and reads from bottom to top of the unturned page."""
    page = pymupdf.open().new_page(width=400, height=600)
    for row, column in product(range(4), range(4)):
        text = f"{row * 111 + column}.5" if row and column else f"Head{row}{column}"
        page.insert_text((80 + 80 * row, 540 - 130 * column), text, fontsize=12, rotate=90)
    for at in range(5):
        page.draw_line((60 + 80 * at, 30), (60 + 80 * at, 560), width=0.3, color=(0.9, 0.9, 0.9))
        page.draw_line((60, 30 + 132 * at), (380, 30 + 132 * at), width=0.3, color=(0.9, 0.9, 0.9))
    page.set_cropbox(pymupdf.Rect(20, 10, 400, 580))
    page.set_rotation(rotation)
    return documents.reopened(page)


@pytest.mark.parametrize("rotation", QUARTERS)
def test_a_sideways_table_is_read_in_rows_and_boxed_where_it_is_drawn(rotation: int) -> None:
    page = sideways_table(rotation)
    seen = ink(page)
    parsed = parse_page(page, "d", IndexingSettings(ocr="never"))
    tables = [e for e in parsed.elements if e.kind == "table"]
    assert len(tables) == 1
    rows = tables[0].text.split("\n")
    assert rows[0] == "Head00 | Head01 | Head02 | Head03"
    assert rows[2] == "Head20 | 223.5 | 224.5 | 225.5"
    words = BBox.union(BBox(*map(float, b)) for b in tables[0].words.boxes)
    assert np.abs(np.subtract(words.as_tuple(), seen.as_tuple())).max() < 0.03
    assert (parsed.page.width, parsed.page.height) == ((380, 570) if rotation % 180 == 0 else (570, 380))
