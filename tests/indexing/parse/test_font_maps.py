"""Fonts that stand for other characters than they draw, fonts of signs, and bitmap fonts of TeX without any map."""

from __future__ import annotations

from pathlib import Path

import pymupdf
import pytest

from indexing import IndexingSettings
from indexing.parse import doubtful_glyphs, is_disguised, layer_words, parse_page, spell_tex_fonts
from indexing.parse.font_maps import BULLET, with_bullets
from indexing.parse.text import clean
from tests.support import documents
from tests.support.disguises import (
    SHOWN,
    Disguise,
    a_word_by_to_unicode,
    disguised,
    encoding_differences,
    overprinted,
    to_nothing,
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


@pytest.mark.slow
@pytest.mark.parametrize(("way", "doubtful"), [(a_word_by_to_unicode, True), (to_nothing, True), (overprinted, False)])
def test_letters_that_mean_others_or_nothing_are_in_doubt(way: Disguise, doubtful: bool, tmp_path: Path) -> None:
    with pymupdf.open(disguised(tmp_path / "d.pdf", way)) as document:
        assert bool(doubtful_glyphs(document[0])) is doubtful
        assert is_disguised(document[0], layer_words(document[0])) is doubtful


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
def test_signs_are_bullets_and_letters_boxes_and_lines_stay(
    pieces: tuple[tuple[str, str], ...], read: list[str]
) -> None:
    page, at = pymupdf.open().new_page(width=420, height=595), 40.0
    for font, text in pieces:
        page.insert_text((at, 80), text, fontname=font, fontsize=11)
        at += pymupdf.get_text_length(text, fontname=font, fontsize=11)
    page = documents.reopened(page)
    words = layer_words(page)
    changed = with_bullets(page, words)
    assert [word.text for word in changed] == read
    assert [(w.x0, w.y0, w.x1, w.y1, w.line) for w in changed] == [(w.x0, w.y0, w.x1, w.y1, w.line) for w in words]


# ---- bitmap fonts of TeX -------------------------------------------------------------------------------------------

T1_CODES = {"ff": 0x1B, "fi": 0x1C, "fl": 0x1D, "ffi": 0x1E, "“": 0x10, "”": 0x11, "–": 0x15, "ß": 0xFF}
OT1_CODES = {"ff": 0x0B, "fi": 0x0C, "fl": 0x0D, "ffi": 0x0E, "“": 0x5C, "”": 0x22, "–": 0x7B, "ß": 0x19}
SENTENCE = ("Coe", "ffi", "cients of the ", "“", "fi", "rst", "”", " ", "fl", "oods, 1920", "–", "30, stra", "ß", "e.")
GREEK = b"abcdefghi \x0b\x0c:"
"""A line in a font of mathematics, with alpha and beta where a font of text has its ligatures."""


def codes_of(signs: dict[str, int]) -> bytes:
    return b"".join(bytes((signs[piece],)) if piece in signs else piece.encode("ascii") for piece in SENTENCE)


def tex_page(text: bytes, *, named: str = "/a{}", more: str = "") -> pymupdf.Page:
    """A page with a line in a font of TeX: each glyph a box of its own, the names by their codes."""
    document = pymupdf.open()
    page = document.new_page(width=420, height=595)

    def added(dictionary: str, stream: bytes | None = None) -> int:
        xref = int(document.get_new_xref())
        document.update_object(xref, dictionary)
        if stream is not None:
            document.update_stream(xref, stream)
        return xref

    glyph = added("<<>>", b"6 0 0 0 5 7 d1 0 0 5 7 re f")
    used = sorted(set(text) - {0x20})
    names = [named.format(code) for code in used]
    differences = " ".join(f"{code} {name}" for code, name in zip(used, names, strict=True))
    font = added(
        "<< /Type /Font /Subtype /Type3 /FontMatrix [0.1 0 0 0.1 0 0] /FontBBox [0 0 6 7] /FirstChar 0 /LastChar 255 "
        f"/Widths [{'6 ' * 256}] /Encoding << /Type /Encoding /Differences [{differences}] >> "
        f"/CharProcs << {' '.join(f'{name} {glyph} 0 R' for name in names)} >> /Resources << >> {more} >>"
    )
    document.xref_set_key(page.xref, "Resources", f"<< /Font << /F25 {font} 0 R >> >>")
    drawn = added("<<>>", b"BT /F25 9 Tf 20 500 Td <" + text.hex().encode() + b"> Tj ET")
    document.xref_set_key(page.xref, "Contents", f"{drawn} 0 R")
    return documents.reopened(page)


@pytest.mark.parametrize("named", ["/a{}", "/g{:02X}", "/c{}x"])
@pytest.mark.parametrize("signs", [T1_CODES, OT1_CODES], ids=["T1", "OT1"])
def test_ligatures_dashes_and_quotes_of_tex_are_read(signs: dict[str, int], named: str) -> None:
    page = tex_page(codes_of(signs), named=named)
    spell_tex_fonts(page)
    read = " ".join(clean(word.text) for word in layer_words(page))
    assert read == "Coefficients of the “first” floods, 1920–30, straße."


@pytest.mark.parametrize(
    ("text", "how"),
    [
        (codes_of(T1_CODES), {"named": "/fi"}),
        (codes_of(T1_CODES), {"more": "/ToUnicode 1 0 R"}),
        (GREEK, {}),
        (b"few \x1c.", {}),
        (b"no ligatures in it, none.", {}),
    ],
)
def test_a_font_that_says_what_its_glyphs_are_or_does_not_tell_is_left(text: bytes, how: dict[str, str]) -> None:
    page = tex_page(text, **how)
    before = page.parent.xref_length()
    spell_tex_fonts(page)
    assert page.parent.xref_length() == before


@pytest.mark.parametrize("differences", ["[]", "[28 28 28]", "[/a1 99999999999999 /a2]", "(text)", "9999 0 R", "[[]]"])
def test_a_damaged_encoding_says_nothing(differences: str) -> None:
    page = tex_page(codes_of(T1_CODES))
    (xref,) = [font[0] for font in page.get_fonts()]
    page.parent.xref_set_key(xref, "Encoding/Differences", differences)
    spell_tex_fonts(page)
    assert page.parent.xref_get_key(xref, "ToUnicode")[0] == "null"
