"""A sign of a font of signs is a bullet, whatever letter or figure the text layer has for it."""

from __future__ import annotations

import pymupdf
import pytest

from indexing.parse.font_maps import BULLET, with_bullets
from indexing.parse.layout import layer_words
from tests.support import documents

SIGNS, LETTERS = "zadb", "helv"


def page_of(*pieces: tuple[str, str]) -> pymupdf.Page:
    """A page with a line of pieces, each (font, text), without gaps."""
    document = pymupdf.open()
    page = document.new_page(width=420, height=595)
    at = 40.0
    for font, text in pieces:
        page.insert_text((at, 80), text, fontname=font, fontsize=11)
        at += pymupdf.get_text_length(text, fontname=font, fontsize=11)
    return documents.reopened(page)


@pytest.mark.parametrize(
    ("pieces", "read"),
    [
        (((SIGNS, "6"), (LETTERS, " Press key 6")), [BULLET, "Press", "key", "6"]),
        (((LETTERS, "See "), (SIGNS, "w"), (LETTERS, "Care w 6")), ["See", BULLET + "Care", "w", "6"]),
        (((SIGNS, "nnn"), (LETTERS, " n")), [BULLET, "n"]),
        (((LETTERS, "six 6"),), ["six", "6"]),
    ],
)
def test_signs_are_bullets_and_letters_stay(pieces: tuple[tuple[str, str], ...], read: list[str]) -> None:
    page = page_of(*pieces)
    assert [word.text for word in with_bullets(page, layer_words(page))] == read


def test_boxes_and_lines_stay() -> None:
    page = page_of((SIGNS, "6"), (LETTERS, " Press"))
    words = layer_words(page)
    found = with_bullets(page, words)
    assert [(w.x0, w.y0, w.x1, w.y1, w.line) for w in found] == [(w.x0, w.y0, w.x1, w.y1, w.line) for w in words]
