"""What a benchmark gives as bare text becomes a document: a page that says it, so that it is indexed as any other."""

from __future__ import annotations

import hashlib
from pathlib import Path

WIDTH = 595.0
MARGIN = 40.0
LINE = 14.0
LETTERS = 90
"""About as many letters fit on a line."""


def text_document(folder: Path, text: str) -> Path:
    """The PDF that says `text`, one page as high as that takes; made once, and found again under the text's hash."""
    path = folder / f"{hashlib.sha256(text.encode()).hexdigest()[:24]}.pdf"
    if path.is_file():
        return path
    import pymupdf

    folder.mkdir(parents=True, exist_ok=True)
    lines = sum(len(paragraph) // LETTERS + 2 for paragraph in text.split("\n"))
    document = pymupdf.open()
    page = document.new_page(width=WIDTH, height=2 * MARGIN + LINE * (lines + 2))
    page.insert_htmlbox(pymupdf.Rect(MARGIN, MARGIN, page.rect.width - MARGIN, page.rect.height - MARGIN), _html(text))
    part = path.with_suffix(".part")
    document.save(part, no_new_id=True, garbage=3, deflate=True)
    document.close()
    part.replace(path)
    return path


def _html(text: str) -> str:
    import html

    return "".join(f"<p>{html.escape(p)}</p>" for p in text.split("\n") if p.strip())
