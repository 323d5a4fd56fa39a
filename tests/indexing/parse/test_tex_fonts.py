"""Bitmap fonts of TeX, whose glyphs have numbers for names: their ligatures, dashes and quotes are read."""

from __future__ import annotations

from pathlib import Path

import pymupdf
import pytest

from indexing import IndexingSettings
from indexing.parse import layer_words, spell_tex_fonts
from indexing.parse.text import clean
from indexing.parse.typography.tex_fonts import OT1, T1, encoding_of
from indexing.workers import Job, Workers

T1_CODES = {"ff": 0x1B, "fi": 0x1C, "fl": 0x1D, "ffi": 0x1E, "“": 0x10, "”": 0x11, "–": 0x15, "ß": 0xFF}
OT1_CODES = {"ff": 0x0B, "fi": 0x0C, "fl": 0x0D, "ffi": 0x0E, "“": 0x5C, "”": 0x22, "–": 0x7B, "ß": 0x19}
SENTENCE = ("Coe", "ffi", "cients of the ", "“", "fi", "rst", "”", " ", "fl", "oods, 1920", "–", "30, stra", "ß", "e.")


def codes_of(pieces: tuple[str, ...], signs: dict[str, int]) -> bytes:
    return b"".join(bytes((signs[piece],)) if piece in signs else piece.encode("ascii") for piece in pieces)


def written(document: pymupdf.Document, text: bytes, *, named: str = "/a{}", to_unicode: bool = False) -> pymupdf.Page:
    """A page with a line in a font of TeX: each glyph a box of its own, the names by their codes."""
    page = document.new_page(width=420, height=595)
    glyph = document.get_new_xref()
    document.update_object(glyph, "<<>>")
    document.update_stream(glyph, b"6 0 0 0 5 7 d1 0 0 5 7 re f")
    used = sorted(set(text) - {0x20})
    names = [named.format(code) for code in used]
    differences = " ".join(f"{code} {name}" for code, name in zip(used, names, strict=True))
    procs = " ".join(f"{name} {glyph} 0 R" for name in names)
    font = document.get_new_xref()
    document.update_object(
        font,
        "<< /Type /Font /Subtype /Type3 /FontMatrix [0.1 0 0 0.1 0 0] /FontBBox [0 0 6 7] /FirstChar 0 /LastChar 255 "
        f"/Widths [{'6 ' * 256}] /Encoding << /Type /Encoding /Differences [{differences}] >> "
        f"/CharProcs << {procs} >> /Resources << >> >>",
    )
    if to_unicode:
        told = document.get_new_xref()
        document.update_object(told, "<<>>")
        document.update_stream(told, b"1 begincodespacerange <00> <FF> endcodespacerange")
        document.xref_set_key(font, "ToUnicode", f"{told} 0 R")
    document.xref_set_key(page.xref, "Resources", f"<< /Font << /F25 {font} 0 R >> >>")
    drawn = document.get_new_xref()
    document.update_object(drawn, "<<>>")
    document.update_stream(drawn, b"BT /F25 9 Tf 20 500 Td <" + text.hex().encode() + b"> Tj ET")
    document.xref_set_key(page.xref, "Contents", f"{drawn} 0 R")
    return page


def saved(tmp_path: Path, text: bytes, **how: object) -> pymupdf.Document:
    document = pymupdf.open()
    written(document, text, **how)  # type: ignore[arg-type]
    document.save(tmp_path / "tex.pdf")
    return pymupdf.open(tmp_path / "tex.pdf")


def read(page: pymupdf.Page) -> str:
    return " ".join(clean(word.text) for word in layer_words(page))


@pytest.mark.parametrize("named", ["/a{}", "/g{:02X}", "/c{}x"])
@pytest.mark.parametrize("signs", [T1_CODES, OT1_CODES], ids=["T1", "OT1"])
def test_ligatures_dashes_and_quotes_are_read(tmp_path: Path, signs: dict[str, int], named: str) -> None:
    page = saved(tmp_path, codes_of(SENTENCE, signs), named=named)[0]
    spell_tex_fonts(page)
    assert read(page) == "Coefficients of the “first” floods, 1920–30, straße."


@pytest.mark.slow
def test_a_page_is_parsed_so_and_set_so(tmp_path: Path) -> None:
    saved(tmp_path, codes_of(SENTENCE, T1_CODES) * 2)
    settings = IndexingSettings(ocr="never")
    job = Job(tmp_path / "tex.pdf", None, settings)
    with Workers(1, settings) as workers:  # in this process it would set the limits of a worker to all later tests
        said = " ".join(element.text for element in workers.parse(job, 1, "d").result().elements)
        printed = [word.text for word in workers.read_printed(job, 1).result().words]
    assert "Coefficients of the “first” floods" in said
    assert "Coefficients" in printed


@pytest.mark.parametrize("how", [{"to_unicode": True}, {"named": "/fi"}])
def test_a_font_that_says_what_its_glyphs_are_is_left(tmp_path: Path, how: dict[str, object]) -> None:
    document = saved(tmp_path, codes_of(SENTENCE, T1_CODES), **how)
    before = document.xref_length()
    spell_tex_fonts(document[0])
    assert document.xref_length() == before


LETTERS = {ord(c): f"a{ord(c)}" for c in "abcdefghi"}


@pytest.mark.parametrize(
    ("more", "encoding"),
    [
        ((0x1C,), T1),
        ((0x1C, 0x12, 0x2E), T1),  # a German text with quotes
        ((0x0C, 0x2E), OT1),
        ((0x0C, 0x1C, 0x2C), OT1),  # a Danish one
        ((0x0B, 0x0C, 0x3A), {}),  # alpha and beta
        ((0x1B, 0x1A), {}),  # sigma and rho
        ((0x1B, 0x0B), {}),
        ((0x2E,), {}),
    ],
)
def test_the_encoding_is_told_by_the_glyphs(more: tuple[int, ...], encoding: dict[int, str]) -> None:
    assert encoding_of({**LETTERS, **{code: f"a{code}" for code in more}}) == encoding


def test_few_letters_are_no_text() -> None:
    assert encoding_of({code: name for code, name in LETTERS.items() if name < "a102"} | {0x1C: "a28"}) == {}


@pytest.mark.parametrize("differences", ["[]", "[28 28 28]", "[/a1 99999999999999 /a2]", "(text)", "9999 0 R", "[[]]"])
def test_a_damaged_encoding_says_nothing(tmp_path: Path, differences: str) -> None:
    document = saved(tmp_path, codes_of(SENTENCE, T1_CODES))
    (xref,) = [font[0] for font in document[0].get_fonts()]
    document.xref_set_key(xref, "Encoding/Differences", differences)
    spell_tex_fonts(document[0])
    assert document.xref_get_key(xref, "ToUnicode")[0] == "null"
