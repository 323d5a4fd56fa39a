"""Documents made of a benchmark's bare texts: each a page that says the text, so that it is indexed as any other."""

from __future__ import annotations

import hashlib
from pathlib import Path

from evaluation.rendering import render

WIDTH = 595.0
MARGIN = 40.0
LINE = 14.0
LETTERS = 90
"""The number of letters that fit on a line, about."""


def text_document(folder: Path, text: str) -> Path:
    """Make the PDF that says `text`, on one page of the height it takes, or find it again under the text's hash."""
    path = folder / f"{hashlib.sha256(text.encode()).hexdigest()[:24]}.pdf"
    if path.is_file():
        return path
    import pymupdf

    folder.mkdir(parents=True, exist_ok=True)
    lines = sum(len(paragraph) // LETTERS + 2 for paragraph in text.split("\n"))
    document = pymupdf.open()
    page = document.new_page(width=WIDTH, height=2 * MARGIN + LINE * (lines + 2))
    said = render("tasks/templates/text.html", paragraphs=[p for p in text.split("\n") if p.strip()])
    page.insert_htmlbox(pymupdf.Rect(MARGIN, MARGIN, page.rect.width - MARGIN, page.rect.height - MARGIN), said)
    part = path.with_suffix(".part")
    document.save(part, no_new_id=True, garbage=3, deflate=True)
    document.close()
    part.replace(path)
    return path
