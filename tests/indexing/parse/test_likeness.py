"""Words agree with their page, or they do not: every way in which a text can lie is seen, and honest pages are not."""

from __future__ import annotations

from pathlib import Path

import pymupdf
import pytest

from indexing import IndexingSettings
from indexing.parse import parse_page, unlike
from indexing.types import BBox, LayerWord, Mismatch, layer_lines
from tests.support import documents
from tests.support.disguises import AROUND, DISGUISES, SHOWN, Disguise, disguised

LAID_BARE = {"actual_text", "actual_text_of_nothing"}
"""The ways that indexing undoes: the text is then what is shown."""


@pytest.mark.parametrize("way", DISGUISES, ids=lambda way: way.__name__)
def test_no_way_leaves_words_that_the_page_does_not_show(way: Disguise, tmp_path: Path) -> None:
    with pymupdf.open(disguised(tmp_path / "d.pdf", way)) as document:
        elements = parse_page(document[0], "d", IndexingSettings(visual="none", ocr_pixels=1536)).elements
        text = " ".join(e.text for e in elements)
        lines = layer_lines(elements, [e.bbox for e in elements])
        found = unlike(document[0], [line for line in lines if AROUND[1] not in " ".join(w.text for w in line)])
    hidden = not {"4", "must", "does run"}.intersection(part for part in ("4", "must", "does run") if part in text)
    assert hidden or found
    if way.__name__ in LAID_BARE:
        assert (SHOWN in text, found) == (True, ())
    assert AROUND[1] in text


def test_honest_words_agree_in_any_font_size_colour_and_direction() -> None:
    document = pymupdf.open()
    page = document.new_page(width=420, height=595)
    for n, (font, size, colour) in enumerate(
        [("helv", 11, 0), ("tiit", 8, 0.3), ("cour", 9, 0), ("tibo", 24, 0.6), ("helv", 6, 0), ("heit", 14, 0.75)]
    ):
        page.insert_text((30, 50 + 40 * n), SHOWN[:30] + " 1,236.50", fontname=font, fontsize=size, color=(colour,) * 3)
    page.insert_text((390, 560), "It runs up the page in 2019.", fontsize=10, rotate=90)
    page.draw_rect((30, 300, 400, 330), color=None, fill=(0.1, 0.1, 0.3))
    page.insert_text((40, 320), "White on blue, 47% of 8,113 people.", fontsize=10, color=(1, 1, 1))
    for turn in (0, 90, 180):
        page.set_rotation(turn)
        opened = pymupdf.open("pdf", document.tobytes())
        elements = parse_page(opened[0], "d", IndexingSettings(visual="none", ocr="never")).elements
        assert sum(len(e.words) for e in elements if not e.parts) > 40
        if turn != 180:  # upside down, OCR reads other words
            assert unlike(opened[0], layer_lines(elements, [e.bbox for e in elements])) == ()


def drawn(text: str) -> pymupdf.Page:
    page = pymupdf.open().new_page(width=420, height=100)
    page.insert_text((40, 50), text, fontsize=12)
    return documents.reopened(page)


@pytest.mark.parametrize(
    ("shown", "said", "found"),
    [
        ("It costs 9 crowns.", "It costs 4 crowns.", (Mismatch("4", "9"),)),
        ("It costs 1.5 crowns.", "It costs 15 crowns.", (Mismatch("15", "1.5"),)),
        ("Sales will decrease.", "Sales will increase.", (Mismatch("increase.", "decrease"),)),
        ("It does not run.", "It does run.", (Mismatch("", "not", agreed=False),)),
        ("9", "4", (Mismatch("4", "9"),)),
        ("It costs 4 crowns.", "It costs 4 crowns.", ()),
        ("\u03b1 = 4, \u00a7 7 (see Se\u00f1or Bj\u00f6rk)", "\u03b1 = 4, \u00a7 7 (see Se\u00f1or Bj\u00f6rk)", ()),
    ],
)
def test_what_differs_is_named(shown: str, said: str, found: tuple[Mismatch, ...]) -> None:
    page = drawn(shown)
    x0, y0, x1, y1 = page.get_text("blocks")[0][:4]
    step = (x1 - x0) / len(said)
    line, at = [], 0
    for word in said.split():
        start = said.index(word, at)
        at = start + len(word)
        box = BBox.from_page(x0 + step * start, y0, x0 + step * at, y1, page.rect.width, page.rect.height)
        assert box is not None
        line.append(LayerWord(word, box))
    assert unlike(page, [line]) == found


@pytest.mark.parametrize(("said", "lies"), [("The ferry sails at nine.", []), ("The ferry sails at noon.", ["noon."])])
def test_the_low_strips_of_a_poor_ocr_layer_are_compared_with_the_print_beside(said: str, lies: list[str]) -> None:
    page = pymupdf.open().new_page(width=420, height=200)
    page.insert_text((40, 60), "The ferry sails at nine.", fontsize=11)
    x, line = 40.0, []
    for word in said.split():
        start = pymupdf.Point(x, 60)
        page.insert_text(start, word, fontsize=4, render_mode=3, morph=(start, pymupdf.Matrix(2.75, 0, 0, 1, 0, 0)))
        width = pymupdf.get_text_length(word, fontsize=11)
        line.append(LayerWord(word, BBox(x / 420, 58 / 200, (x + width) / 420, 64 / 200)))
        x += width + pymupdf.get_text_length(" ", fontsize=11)
    assert [m.text for m in unlike(page, [line])] == lies
