"""Characters that no font draws: MuPDF puts the first glyph of the font in their place, an empty box."""

from __future__ import annotations

import pymupdf


def count_undrawn(pdf: bytes) -> tuple[int, ...]:
    """Return the number of characters without a glyph on each page of a PDF."""
    with pymupdf.open(stream=pdf, filetype="pdf") as document:
        return tuple(
            sum(glyph == 0 for span in page.get_texttrace() for _, glyph, *_ in span["chars"]) for page in document
        )
