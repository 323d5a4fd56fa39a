"""Which pages are read by their pixels: scans, and pages with few words and something else to see."""

from __future__ import annotations

from collections.abc import Callable

import pymupdf
import pytest

from indexing.parse.layout import needs_ocr
from indexing.settings import IndexingSettings
from tests.support import documents

AUTO = IndexingSettings()


def page_of(draw: Callable[[pymupdf.Page], object]) -> pymupdf.Page:
    """A small page, written and opened again."""
    page = pymupdf.open().new_page(width=420, height=595)
    draw(page)
    return documents.reopened(page)


def title(page: pymupdf.Page, **how: object) -> None:
    page.insert_text((40, 60), "Chapter 3", fontsize=22, **how)


def test_a_page_of_a_few_words_alone_is_not_read_by_its_pixels() -> None:
    assert not needs_ocr(page_of(title), AUTO)
    assert not needs_ocr(page_of(lambda _: None), AUTO)
    assert needs_ocr(page_of(title), AUTO.with_values(ocr="always"))


@pytest.mark.parametrize(
    "beside",
    [
        lambda page: page.insert_image((40, 100, 340, 300), pixmap=pymupdf.Pixmap(pymupdf.csRGB, (0, 0, 90, 60))),
        lambda page: page.draw_line((40, 100), (340, 300)),
        lambda page: page.add_stamp_annot((40, 100, 340, 300)),
        lambda page: page.add_freetext_annot((40, 100, 340, 300), "Cider"),
        lambda page: title(page, render_mode=3),
    ],
    ids=["a picture", "a line", "a stamp", "a note", "hidden words"],
)
def test_with_anything_else_to_see_it_is(beside: Callable[[pymupdf.Page], object]) -> None:
    def draw(page: pymupdf.Page) -> None:
        title(page)
        beside(page)

    assert needs_ocr(page_of(draw), AUTO)
