"""A page that is read by its pixels -> the first of its text, without elements: what a question needs of its image.

Lines are looked for on the whole page, and read from the top until there is enough: of a dense page, reading them all
takes four times as long as all else. Nothing is laid out.
"""

from __future__ import annotations

import numpy as np
import pymupdf

from indexing.parse.orientation import Frame
from indexing.parse.scan.ocr import Word, as_bgr, bounds, detected_lines, legible, pixels_of, words_of_lines
from indexing.parse.scan.paragraphs import paragraphs
from indexing.parse.scan.spreads import facing_pages
from indexing.parse.scan.turns import quarters_to_upright
from indexing.parse.text import running_text, spellings


def scanned_text(page: pymupdf.Page, longer_side: int, most: int) -> str:
    """Return what is written on a page, a paragraph a line; of more than `most` characters about the first so many.

    The page is drawn so that its longer side has `longer_side` pixels. Of two facing pages the left one is read first.
    """
    sides = facing_pages(page, longer_side)
    frame = Frame(page, 0, page.parent)
    texts: list[str] = []
    for page_shown in [side.page for side in sides] or [page]:
        words = _first_words(page_shown, longer_side, most - sum(map(len, texts)))
        spelled = spellings(words)
        texts += (running_text(own, frame, spelled)[0] for own in paragraphs(words))
        if sum(map(len, texts)) >= most:
            break
    return "\n".join(text for text in texts if text)


def _first_words(page: pymupdf.Page, longer_side: int, most: int) -> list[Word]:
    """Recognise the words of a page from its top, up to the line with the character `most`.

    Boxes are in pixels of the upright page.
    """
    image, _ = pixels_of(page, longer_side)
    lines = detected_lines(bgr := as_bgr(image))
    if quarters := quarters_to_upright(bgr, bounds(lines)):
        image = np.ascontiguousarray(np.rot90(image, -quarters))
        lines = detected_lines(bgr := as_bgr(image))
    return legible(image, words_of_lines(bgr, lines, most))
