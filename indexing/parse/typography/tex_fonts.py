"""Fonts of TeX that are drawn as bitmaps: they are told which characters their glyphs stand for.

Where TeX finds no outlines of a font, its glyphs become small pictures (Type 3) with numbers in the place of names, and
nothing in the PDF says that glyph 28 is "fi". What a reader sees as "coefficients" is found as "coe cients". The
numbers are those of one of TeX's two encodings of text: OT1 (Knuth's own) or T1 (Cork), as TeX's documentation has
them; which of the two is told by the glyphs that a font has.
"""

from __future__ import annotations

from collections.abc import Iterator

import pymupdf

MOST_FONTS = 100
"""The fonts of a page that are looked at, at most."""
MOST_CODES = 256
"""The codes that a simple font has, at most."""
LEAST_LETTERS = 8
"""The different small letters of a font of text, at least: one of mathematics has some of them."""
NAMED = frozenset(("a", "e", "i", "n", "o", "s", "t", "period", "comma", "hyphen", "one", "space", "fi"))
"""Names of glyphs, one of which a font has that says itself what they are."""

_JOIN = "\u200d"
"""The sign in the place of an accent that is drawn over the letter behind it: it is no blank, and read as nothing."""
_ASCII = "".join(map(chr, range(33, 127)))
_OT1_LOW = f"ΓΔΘΛΞΠΣΥΦΨΩ\ufb00\ufb01\ufb02\ufb03\ufb04\u0131\u0237{_JOIN * 7}ßæœøÆŒØ"
_T1_LOW = f"{_JOIN * 13}\u201a\u2039\u203a“”„«»–—{_JOIN * 2}\u0131\u0237\ufb00\ufb01\ufb02\ufb03\ufb04"
_T1_HIGH = "ĂĄĆČĎĚĘĞĹĽŁŃŇŊŐŔŘŚŠŞŤŢŰŮŸŹŽŻĲİđ§ăąćčďěęğĺľłńňŋőŕřśšşťţűůÿźžżĳ¡¿£"


def _encoding(*parts: tuple[int, str]) -> dict[int, str]:
    return {first + n: sign for first, signs in parts for n, sign in enumerate(signs)}


_QUOTES = ((ord("'"), "’"), (ord("`"), "‘"))
OT1 = _encoding(
    (0, _OT1_LOW), (33, _ASCII), *_QUOTES, (ord('"'), "”"), (ord("\\"), "“"), (ord("<"), "¡"), (ord(">"), "¿"),
    (ord("{"), "–—"),
)  # fmt: skip
T1 = _encoding(
    (0, _T1_LOW), (33, _ASCII), *_QUOTES, (0x7F, "-"), (0x80, _T1_HIGH), (0xC0, "".join(map(chr, range(0xC0, 256)))),
    (0xD7, "Œ"), (0xDF, "ẞ"), (0xF7, "œ"), (0xFF, "ß"),
)  # fmt: skip
_FF_FI_OT1, _LIGATURES_T1 = frozenset((0x0B, 0x0C)), frozenset(range(0x1B, 0x20))
_STOPS = frozenset(map(ord, ",.-"))
"""The signs that every font of text has, and fonts of mathematics have elsewhere."""
_GREEK = frozenset((*range(0x0D), 0x12, 0x13, 0x14, 0x17, 0x18, 0x1A))
"""Codes of Greek letters in fonts of mathematics, at which T1 has what is rare in a heading."""


def spell_tex_fonts(page: pymupdf.Page) -> None:
    """Give each bitmap font of TeX on a page, in memory, the map from glyphs to characters that it lacks (ToUnicode).

    It is called before text is taken from the page. What has a map, or names its glyphs, is left as it is.
    """
    document = page.parent
    fonts = [font for font in page.get_fonts(full=True) if font[2] == "Type3"] if document.is_pdf else []
    for xref, *_ in fonts[:MOST_FONTS]:
        try:
            if xref and document.xref_get_key(xref, "ToUnicode")[0] == "null":
                _give(document, xref, encoding_of(_codes(document, xref)))
        except (RuntimeError, ValueError, pymupdf.mupdf.FzErrorBase):  # a damaged font says nothing
            continue


def encoding_of(codes: dict[int, str]) -> dict[int, str]:
    """Return the characters by code of TeX's encoding that a font is in; none where its glyphs do not tell.

    `codes` are those that the font has, with the names of their glyphs.

    >>> letters = {ord(c): f"a{ord(c)}" for c in "efghinst."}
    >>> encoding_of({**letters, 28: "a28"})[28] == encoding_of({**letters, 12: "a12"})[12] == "ﬁ"
    True
    """
    has = frozenset(codes)
    if not NAMED.isdisjoint(codes.values()) or sum(ord("a") <= code <= ord("z") for code in has) < LEAST_LETTERS:
        return {}
    if has & _FF_FI_OT1 and has & _STOPS:
        return OT1
    return T1 if has & _LIGATURES_T1 and (has & _STOPS or not has & _GREEK) else {}


def _codes(document: pymupdf.Document, xref: int) -> dict[int, str]:
    """Return the codes for which a font has a glyph, and the name of each."""
    kind, differences = document.xref_get_key(xref, "Encoding/Differences")
    if kind == "xref":
        differences = document.xref_object(int(differences.split()[0]), compressed=True)
    elif kind != "array":
        return {}
    return dict(_differences(differences.replace("/", " /").strip("[] ").split()[: 4 * MOST_CODES]))


def _differences(tokens: list[str]) -> Iterator[tuple[int, str]]:
    code = 0
    for part in tokens:
        if part.isdecimal():
            code = int(part[:4])
        else:
            if part != "/.notdef" and code < MOST_CODES:
                yield code, part[1:]
            code += 1


def _give(document: pymupdf.Document, xref: int, signs: dict[int, str]) -> None:
    """Write the map of a font, 100 codes a block as the format has it."""
    lines = [f"<{code:02X}> <{sign.encode('utf-16-be').hex().upper()}>" for code, sign in signs.items()]
    if not lines:
        return
    blocks = [lines[n : n + 100] for n in range(0, len(lines), 100)]
    mapping = "\n".join(f"{len(block)} beginbfchar\n" + "\n".join(block) + "\nendbfchar" for block in blocks)
    cmap = document.get_new_xref()
    document.update_object(cmap, "<<>>")
    document.update_stream(
        cmap,
        b"/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n/CMapName /TeX def\n/CMapType 2 def\n"
        b"1 begincodespacerange\n<00> <FF>\nendcodespacerange\n" + mapping.encode("ascii") + b"\nendcmap\nend\nend\n",
    )
    document.xref_set_key(xref, "ToUnicode", f"{cmap} 0 R")
