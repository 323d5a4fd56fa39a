"""Struck-out words of a text layer: a line is drawn through their middle, or an annotation strikes them out.

Such a line begins and ends with the words that it strikes out, unlike rules of tables and lines of charts. Office
files, which LibreOffice draws, have such lines too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pymupdf
from numpy.typing import NDArray

from indexing.parse.scan import Box4, Word
from indexing.strikethrough import STRUCK_BEGIN, STRUCK_END

THICK = 0.2
"""The height of a line, at most, as a share of the size of the letters."""
LEAST_RISE, MOST_RISE = 0.12, 0.5
"""The height of a line over the base line of the words that it strikes out, as shares of the size of the letters."""
OVERHANG, SHORT = 0.25, 0.6
"""How far a line may go beyond the words, and how far it may end before them, as a sign behind a word is not struck."""
LEAST_COVERED = 0.5
"""The least share of a word that is struck out."""
_UNSEEN = pymupdf.mupdf.PDF_ANNOT_IS_HIDDEN | pymupdf.mupdf.PDF_ANNOT_IS_NO_VIEW


def with_struck_marked(page: pymupdf.Page, words: Sequence[Word]) -> list[Word]:
    """Return the words of a page (not rotated), each run of struck-out ones in a line between signs that mark it."""
    struck_indices = _annotated_words(page, words) | _crossed_words(page, words)
    marked_words = list(words)
    for at in struck_indices:
        line = words[at].line
        text = words[at].text
        text = text if at - 1 in struck_indices and words[at - 1].line == line else STRUCK_BEGIN + text
        text = text if at + 1 in struck_indices and words[at + 1].line == line else text + STRUCK_END
        marked_words[at] = replace(words[at], text=text)
    return marked_words


def _annotated_words(page: pymupdf.Page, words: Sequence[Word]) -> set[int]:
    """Return the indices of the words under annotations that strike out."""
    numbers: set[int] = set()
    for annotation in page.annots(types=[pymupdf.PDF_ANNOT_STRIKE_OUT]):
        corners = annotation.vertices or []
        if annotation.flags & _UNSEEN:
            continue
        for first in range(0, len(corners) - 3, 4):
            box = pymupdf.Quad(corners[first : first + 4]).rect
            numbers |= {n for n, w in enumerate(words) if box.contains(((w.x0 + w.x1) / 2, (w.y0 + w.y1) / 2))}
    return numbers


def _crossed_words(page: pymupdf.Page, words: Sequence[Word]) -> set[int]:
    """Return the indices of the words through whose middle a line is drawn."""
    numbers: set[int] = set()
    lines = _lines(page, words)
    if not lines:
        return numbers
    x0, y0, x1, y1 = _edges(words)
    base, size = _base_lines(page, words)
    for left, top, right, bottom in lines:
        middle = (top + bottom) / 2
        rise, over = (base - middle) / size, np.minimum(x1, right) - np.maximum(x0, left)
        through = (y0 < middle) & (middle < y1) & (rise > LEAST_RISE) & (rise < MOST_RISE)
        indices = np.flatnonzero(through & (over >= LEAST_COVERED * (x1 - x0)))
        if not len(indices):
            continue
        height = size[indices].max()
        begins, ends = (left - x0[indices].min()) / height, (right - x1[indices].max()) / height
        has_letters = any(c.isalnum() for n in indices.tolist() for c in words[n].text)
        if has_letters and bottom - top <= THICK * height and abs(begins) <= OVERHANG and -SHORT <= ends <= OVERHANG:
            numbers |= set(indices.tolist())
    return numbers


def _lines(page: pymupdf.Page, words: Sequence[Word]) -> list[Box4]:
    """Return the boxes of drawn lines: paths as flat as a line through one of the words would be."""
    if not words:
        return []
    highest = THICK * max(word.y1 - word.y0 for word in words)
    boxes = [box for kind, box in page.get_bboxlog() if kind in ("fill-path", "stroke-path")]
    return [(x0, y0, x1, y1) for x0, y0, x1, y1 in boxes if y1 - y0 <= highest and x1 - x0 > y1 - y0]


def _edges(words: Sequence[Word]) -> NDArray[np.float64]:
    return np.array([(w.x0, w.y0, w.x1, w.y1) for w in words], float).T


def _base_lines(page: pymupdf.Page, words: Sequence[Word]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the y of the base line of each word, NaN for a rotated one, and the size of its letters, in points."""
    x0, y0, x1, y1 = _edges(words)
    base, size = np.full(len(words), np.nan), np.ones(len(words))
    x, y = (x0 + x1) / 2, (y0 + y1) / 2
    for block in page.get_text("dict", flags=pymupdf.TEXT_MEDIABOX_CLIP)["blocks"]:
        for line in block.get("lines", ()):
            for span in line["spans"] if line["dir"] == (1.0, 0.0) else ():
                left, top, right, bottom = span["bbox"]
                inside = (x >= left) & (x <= right) & (y >= top) & (y <= bottom)
                base[inside], size[inside] = span["origin"][1], max(span["size"], 0.1)
    return base, size
