"""Bitmap fonts of TeX: their glyphs have numbers and no names, so that a text layer has no letters for ligatures.

TeX numbers glyphs in two ways, ligatures below 32 in both. The pixels of ligatures on a page show which way it is.
"""

from __future__ import annotations

import numpy as np
import pymupdf

from indexing.parse.likeness.drawing import Drawing, crop
from indexing.parse.likeness.letters import LEAST, NARROW, WIDE, kind_of, letter_network

LIGATURES = "\ufb00\ufb01\ufb02\ufb03\ufb04"
ENCODINGS = (
    dict(enumerate("\u201c\u201d\u201e\u00ab\u00bb\u2013\u2014", 16)) | dict(enumerate(LIGATURES, 27)),
    dict(enumerate("\u0393\u0394\u0398\u039b\u039e\u03a0\u03a3\u03a5\u03a6\u03a8\u03a9" + LIGATURES))
    | {34: "\u201d", 92: "\u201c", 123: "\u2013", 124: "\u2014"},
)
"""Where TeX's encodings T1 and OT1 differ from ASCII, as far as plain text needs it: characters by number."""
SMALLEST = 4.0
"""The least size in points of a font whose ligatures are recognised."""


def name_ligatures(page: pymupdf.Page) -> None:
    """Map the glyphs of bitmap fonts on a `page`, in the open document, to the characters of TeX's encoding that fits.

    A font is unchanged if one of its ligatures looks otherwise, if it has a map, and on a rotated page.
    """
    document = page.parent
    fonts = {
        name: xref
        for xref, _, kind, own, *_ in page.get_fonts()
        if kind == "Type3" and not page.rotation and document.xref_get_key(xref, "ToUnicode")[0] == "null"
        for name in (own, f"Type3 ({xref} 0 R)")
    }
    for name, ligatures in (_ligature_kinds(page, fonts) if fonts else {}).items():
        for encoding in ENCODINGS:
            likely = [kinds[kind_of(encoding[code])] for code, kinds in ligatures.items() if code in encoding]
            if likely and min(likely) >= LEAST:
                lines = " ".join(f"<{code:02X}> <{ord(sign):04X}>" for code, sign in encoding.items())
                head = f"begincmap 1 begincodespacerange <00> <FF> endcodespacerange {len(encoding)} beginbfchar"
                document.update_object(stream := document.get_new_xref(), "<<>>")
                document.update_stream(stream, f"{head} {lines} endbfchar endcmap".encode())
                document.xref_set_key(fonts[name], "ToUnicode", f"{stream} 0 R")
                pymupdf.TOOLS.store_shrink(100)  # MuPDF has read the font before
                break


def _ligature_kinds(page: pymupdf.Page, fonts: dict[str, int]) -> dict[str, dict[int, dict[str, float]]]:
    """Return the probability of each kind of letter, by font and glyph number, for the first glyph of each ligature."""
    numbers = {code for encoding in ENCODINGS for code, sign in encoding.items() if sign in LIGATURES}
    drawing, network = Drawing(page), letter_network()
    by_font: dict[str, dict[int, dict[str, float]]] = {}
    for span in (span for span in page.get_texttrace() if span["font"] in fonts and span["size"] >= SMALLEST):
        name, size = span["font"], span["size"]
        for _, code, (_, y), (x0, _, x1, _) in span["chars"]:
            by_number = by_font.setdefault(name, {})
            if code in numbers and code not in by_number and NARROW * size < x1 - x0 < WIDE * size:
                ink = drawing.ink((x0 - size, y - size, x1 + size, y + size / 3))
                probabilities = network.probabilities(crop(ink, (x0, x1), y, size)[np.newaxis])[0].tolist()
                by_number[code] = dict(zip(network.kinds, probabilities, strict=True))
    return by_font
