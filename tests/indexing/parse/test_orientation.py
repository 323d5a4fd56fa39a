"""Boxes on turned pages with an offset crop box: where a box says a word stands, its pixels are."""

from __future__ import annotations

from itertools import product

import numpy as np
import pymupdf
import pytest

from indexing.parse.layout import parse_page
from indexing.parse.orientation import text_frame
from indexing.settings import IndexingSettings
from indexing.types import BBox
from tests.support import documents

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
