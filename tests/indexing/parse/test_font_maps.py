"""Fonts that stand for other characters than they draw, and fonts of signs."""

from pathlib import Path

import pymupdf
import pytest

from indexing import IndexingSettings
from indexing.parse import layer_words, parse_page
from indexing.parse.font_maps import BULLET, with_bullets
from tests.support import documents
from tests.support.disguises import (
    SHOWN,
    Disguise,
    disguised,
    encoding_differences,
    to_unicode,
    to_unicode_of_an_embedded_font,
)


@pytest.mark.slow
@pytest.mark.parametrize(
    "way", [pytest.param(to_unicode, marks=pytest.mark.gate), to_unicode_of_an_embedded_font, encoding_differences]
)
def test_the_page_wins_over_its_font_unless_no_ocr_is_wanted(way: Disguise, tmp_path: Path) -> None:
    with pymupdf.open(disguised(tmp_path / "d.pdf", way)) as document:
        elements = parse_page(document[0], "d", IndexingSettings(visual="none")).elements
        layer = parse_page(document[0], "d", IndexingSettings(visual="none", ocr="never")).elements
    assert SHOWN in " ".join(e.text for e in elements)
    assert ({e.source for e in elements}, {e.source for e in layer}) == ({"ocr"}, {"layer"})


# ---- fonts of signs ------------------------------------------------------------------------------------------------

SIGNS, LETTERS = "zadb", "helv"


@pytest.mark.parametrize(
    ("pieces", "read"),
    [
        (((SIGNS, "6"), (LETTERS, " Press key 6")), [BULLET, "Press", "key", "6"]),
        (((LETTERS, "See "), (SIGNS, "w"), (LETTERS, "Care w 6")), ["See", BULLET + "Care", "w", "6"]),
        (((SIGNS, "nnn"), (LETTERS, " n")), [BULLET, "n"]),
        (((LETTERS, "six 6"),), ["six", "6"]),
    ],
)
def test_signs_are_bullets_and_boxes_and_lines_stay(pieces: tuple[tuple[str, str], ...], read: list[str]) -> None:
    page, at = pymupdf.open().new_page(width=420, height=595), 40.0
    for font, text in pieces:
        page.insert_text((at, 80), text, fontname=font, fontsize=11)
        at += pymupdf.get_text_length(text, fontname=font, fontsize=11)
    page = documents.reopened(page)
    words = layer_words(page)
    changed = with_bullets(page, words)
    assert [word.text for word in changed] == read
    assert [(w.x0, w.y0, w.x1, w.y1, w.line) for w in changed] == [(w.x0, w.y0, w.x1, w.y1, w.line) for w in words]
