"""Font maps: the characters that a text layer gives to glyphs, compared with those that their fonts give to them.

A PDF says in one place which glyph is drawn (the font's encoding) and in another which character it stands for
(/ToUnicode). Where an embedded font has a character map of its own, that shows whether the two agree. Fonts of signs
have letters for their arrows and bullets, which no page shows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from string import ascii_letters, digits

import numpy as np
import pymupdf

from indexing.parse.print_verification import mismatches
from indexing.parse.scan import Box4, Word
from indexing.types import BBox, LayerWord

MOST_LINES = 8
"""The most lines of a page that are read because of their fonts."""
BULLET = "\u2022"
"""The character that replaces a letter of a font of signs."""
SIGN_FONTS = ("dingbat", "webding", "wingding")
"""The parts of names by which fonts of signs are known. Symbol is another thing: it has the letters of Greek."""
GlyphMap = dict[int, str]
"""The glyphs of the plain letters and digits of a font, with their characters."""


def is_disguised(page: pymupdf.Page, words: Sequence[Word]) -> bool:
    """Return True if the pixels of a `page` (not rotated) show other words than `words` in lines with doubtful glyphs.

    The pixels of other lines are not read. Font maps alone prove nothing: they are often odd, and the words right.
    """
    lines: dict[int, list[LayerWord]] = {line: [] for line in _line_numbers_at(doubtful_glyphs(page), words)}
    left, top, right, bottom = page.rect
    for word in words:
        edges = (word.x0 - left, word.y0 - top, word.x1 - left, word.y1 - top)
        box = BBox.from_page(*edges, right - left, bottom - top)
        if word.line in lines and box is not None:
            lines[word.line].append(LayerWord(word.text, box))
    return bool(mismatches(page, [line for line in lines.values() if line]))


def _line_numbers_at(boxes: Sequence[Box4], words: Sequence[Word]) -> set[int]:
    """Return the line numbers of the first word around the middle of each box, at most `MOST_LINES` numbers."""
    corners = np.array([(w.x0, w.y0, w.x1, w.y1) for w in words]).reshape(-1, 4)
    lines: set[int] = set()
    for x0, y0, x1, y1 in boxes:
        middle = np.array([(x0 + x1) / 2, (y0 + y1) / 2])
        around = ((corners[:, :2] <= middle) & (middle <= corners[:, 2:])).all(axis=1)
        lines.update(words[n].line for n in np.flatnonzero(around)[:1].tolist())
        if len(lines) == MOST_LINES:
            break
    return lines


def doubtful_glyphs(page: pymupdf.Page) -> list[Box4]:
    """Return the boxes, in points of the unrotated page, of glyphs for which their font has another letter or digit.

    Glyphs of a font without a character map, or with one that lacks them, are not returned.
    """
    maps: dict[str, list[GlyphMap]] = {}
    for xref, _, _, name, *_ in page.get_fonts(full=True):
        plain = name.rpartition("+")[2]
        maps.setdefault(plain, []).append(_glyph_map(page.parent, xref, plain))
    return [
        tuple(box)
        for span in page.get_texttrace()
        for code, glyph, _, box in span["chars"]
        if any(_contradicts(chr(code), one.get(glyph)) for one in maps.get(span["font"].rpartition("+")[2], ()))
    ]


def _contradicts(char: str, by_font: str | None) -> bool:
    """Return True if a font has another character for a glyph than the text, unless that is a letter beyond ASCII."""
    return by_font is not None and by_font.casefold() != char.casefold() and (char.isascii() or not char.isalnum())


def _glyph_map(document: pymupdf.Document, xref: int, name: str) -> GlyphMap:
    """Return the letters and digits of a font by glyph number; empty where it cannot be read, or has no map."""
    try:
        buffer = document.extract_font(xref)[3]
        font = pymupdf.Font(fontbuffer=buffer) if buffer else pymupdf.Font(name)
    except (RuntimeError, ValueError, pymupdf.mupdf.FzErrorBase):
        return {}
    return {glyph: sign for sign in ascii_letters + digits if (glyph := font.has_glyph(ord(sign)))}


def with_bullets(page: pymupdf.Page, words: Sequence[Word]) -> list[Word]:
    """Return the `words` of a page with bullets for the letters and digits that a font of signs draws as signs.

    A sign that has a character of its own, as a tick has, keeps it.
    """
    if not any(_is_sign_font(name) for _, _, _, name, *_ in page.get_fonts(full=True)):
        return list(words)
    boxes = np.array([(w.x0, w.y0, w.x1, w.y1) for w in words]).reshape(-1, 4)
    result = list(words)
    for letter, (x, y) in _sign_letters(page):
        for n in np.flatnonzero(((boxes[:, :2] <= (x, y)) & ((x, y) <= boxes[:, 2:])).all(axis=1)).tolist():
            result[n] = replace(result[n], text=result[n].text.replace(letter, BULLET, 1))
    return [w if w.text.strip(BULLET) else replace(w, text=BULLET) for w in result]


def _sign_letters(page: pymupdf.Page) -> Iterator[tuple[str, tuple[float, float]]]:
    """Yield the ASCII letters and digits that are set in fonts of signs, and the middle of each, in points."""
    for block in page.get_text("rawdict", flags=pymupdf.TEXT_MEDIABOX_CLIP)["blocks"]:
        for span in (span for line in block.get("lines", ()) for span in line["spans"] if _is_sign_font(span["font"])):
            for char in span["chars"]:
                x0, y0, x1, y1 = char["bbox"]
                if char["c"].isascii() and char["c"].isalnum():
                    yield char["c"], ((x0 + x1) / 2, (y0 + y1) / 2)


def _is_sign_font(font: str) -> bool:
    return any(name in font.casefold() for name in SIGN_FONTS)
