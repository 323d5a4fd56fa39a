"""One box for each figure, and none for decoration or a frame around text. Boxes in points of the page."""

from __future__ import annotations

import pymupdf
import pytest

from indexing.parse import parse_page
from indexing.parse.scan import merged_figures, visual_regions
from indexing.settings import IndexingSettings
from tests.support import documents

LEAST = 0.012
LEFT, RIGHT, TOP, BOTTOM = 68.0, 544.0, 128.0, 220.0
CHART, BARS = (100.0, 100.0, 500.0, 400.0), (150.0, 120.0, 450.0, 380.0)
HALVES = [(100.0, 100.0, 300.0, 400.0), (300.0, 100.0, 500.0, 400.0)]
PIES = [(110.0, 150.0, 210.0, 250.0), (300.0, 150.0, 400.0, 250.0)]
TITLE = (120.0, 200.0, 480.0, 300.0)
Boxes = list[tuple[float, float, float, float]]


@pytest.mark.parametrize(
    ("models", "rasters", "drawn", "text", "merged"),
    [
        ([BARS], [], [CHART], [], ([CHART], [])),
        ([BARS, CHART], [], [], [], ([None, CHART], [])),
        ([], HALVES, [CHART], [], ([], [CHART])),
        (PIES, [], [CHART], [], (PIES, [])),
        ([], [CHART], [], [TITLE], ([], [])),
        ([], [], [CHART], [TITLE], ([], [CHART])),
    ],
    ids=["a chart with its legend", "two regions of one", "pieces of an image", "a panel of several", "behind text",
         "around a title"],
)  # fmt: skip
def test_figures_are_merged(
    models: Boxes, rasters: Boxes, drawn: Boxes, text: Boxes, merged: tuple[list[object], Boxes]
) -> None:
    assert merged_figures(models, rasters, drawn, text) == merged


def test_bare_signs_are_no_elements_and_words_printed_twice_are_read_once() -> None:
    page = pymupdf.open().new_page(width=600, height=800)
    page.insert_text((60, 80), "Appendix D", fontname="hebo", fontsize=20)
    page.insert_text((60.4, 80), "Appendix D", fontname="hebo", fontsize=20)
    page.insert_textbox((60, 120, 540, 200), "The ferry leaves the quay at six and comes back at nine.", fontsize=11)
    page.insert_text((60, 300), "____________________", fontsize=11)
    page.insert_textbox((60, 340, 540, 400), "Its crew of four counts the passengers and the crates.", fontsize=11)
    settings = IndexingSettings(visual="none", ocr="never")
    texts = [e.text for e in parse_page(documents.reopened(page), "d", settings).elements if e.kind != "group"]
    assert "Appendix D" in texts
    assert not any("____" in text for text in texts)


@pytest.fixture
def page() -> pymupdf.Page:
    """A page with a frame that holds lines of code."""
    made = pymupdf.open().new_page(width=612, height=792)
    made.draw_rect(pymupdf.Rect(LEFT, TOP, RIGHT, BOTTOM), width=0.5)
    for n in range(6):
        made.insert_text((72, TOP + 14 + 13 * n), "if test -e /etc/mill; then grind rye", fontname="cour", fontsize=9)
    return made


def regions(page: pymupdf.Page, *, frames: bool) -> Boxes:
    return visual_regions(page, [word[:4] for word in page.get_text("words")], LEAST, frames=frames)


def test_a_frame_around_a_drawing_is_a_picture_with_what_stands_around_it(page: pymupdf.Page) -> None:
    page.draw_rect(pymupdf.Rect(330, TOP + 10, 530, BOTTOM - 10), fill=(0.3, 0.5, 0.3))
    for n in range(9):
        page.draw_line((335 + 20 * n, TOP + 12), (345 + 20 * n, BOTTOM - 12), width=4)
    page.draw_rect(pymupdf.Rect(220, 106, 400, TOP), fill=(0.7, 0, 0.4), color=None)
    page.insert_text((240, 120), "Mills of the bay", fontsize=13, color=(1, 1, 1))
    ((_, y0, _, _),) = regions(page, frames=False)
    assert y0 == pytest.approx(106, abs=9)
