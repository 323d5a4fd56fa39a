"""A scanned sheet that lay on its side or on its head is read upright, and its boxes stand on the page as shown."""

from __future__ import annotations

from functools import cache

import numpy as np
import pymupdf
import pytest
from numpy.typing import NDArray

from indexing import BBox, Element, IndexingSettings
from indexing.parse import parse_page, scanned_text
from tests.support import documents

LINES = [
    "The mill was built in 1887 by Anna Holm.",
    "It sold 1,200 barrels of cider in May.",
    "The bridge stands beside it.",
]
SHEET = np.asarray(documents.picture(LINES * 3, (900, 800)).convert("RGB"))


def page_of(image: NDArray[np.uint8]) -> pymupdf.Page:
    height, width = image.shape[:2]
    page = pymupdf.open().new_page(width=width / 2, height=height / 2)
    page.insert_image(page.rect, pixmap=pymupdf.Pixmap(pymupdf.csRGB, width, height, image.tobytes(), False))
    return page


def words_of(elements: tuple[Element, ...]) -> list[tuple[str, BBox]]:
    """Return the words in reading order, each with its box."""
    return [
        (element.text[start:end], element.words.line_boxes(start, end)[0])
        for element in elements
        for start, end in (element.words.spans.tolist() if not element.parts else ())
    ]


@cache
def turned(quarters: int) -> tuple[Element, ...]:
    """Return the elements of the sheet, turned clockwise by quarters."""
    return parse_page(page_of(np.rot90(SHEET, -quarters)), "d", IndexingSettings(visual="none")).elements


@pytest.mark.slow
@pytest.mark.parametrize("quarters", [pytest.param(1, marks=pytest.mark.gate), 2, 3])
def test_a_turned_sheet_has_the_same_words_at_the_turned_places(quarters: int) -> None:
    upright, found = words_of(turned(0)), words_of(turned(quarters))
    assert {word for word, _ in found} == {word for word, _ in upright} == set(" ".join(LINES).split())
    assert len(found) == len(upright)
    for word, box in found:
        assert max(box.iou(place.rotate(quarters)) for other, place in upright if other == word) > 0.5


@pytest.mark.parametrize("quarters", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_the_text_of_a_scan_is_read_upright_from_its_top(quarters: int) -> None:
    text = scanned_text(page_of(np.rot90(SHEET, quarters)), 1200, 60)
    assert " ".join(text.split()) == " ".join(LINES[:2])


@pytest.mark.parametrize(("darkness", "read"), [(250, False), (150, True)])
def test_what_nobody_sees_is_no_text_of_a_scan(darkness: int, read: bool) -> None:
    image = np.where(SHEET < 128, np.uint8(darkness), np.uint8(255))
    assert ("Anna Holm" in scanned_text(page_of(image), 1200, 600)) is read
