"""The words of a page's text layer that a reader can see: text that leaves no mark in its picture is no evidence.

Words in a colour that nobody tells from the paper, under a drawing, outside the page, or too small for anybody are seen
by programs alone: a place for instructions to a model. The invisible layer over a scan is another thing: its words have
ink under them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pymupdf
from numpy.typing import NDArray

from indexing.parse.scan import LEGIBLE, SURE, Box4, Word, distance, inside

COARSE, FINE = 1.0, 4.0
"""The pixels a point: first in gray; then in colour, for the words that left no mark there."""
MAX_PIXELS = 4096
"""The longer side, at most, of the picture in pixels: pages can be 14,400 points."""
TINY, TINY_SHARE = 2.0, 0.003
"""The height in points, and as a share of the page's longer side, below which words are too small to read."""
MOST_WORDS = 2000
"""The most words of a page that are held against one another: on a fuller one the ink of any word counts."""
OWN, FEW = 0.4, 2
"""The least share of a word's box that no other word's has, for the ink there alone to count, and the most others that
reach into it: where more do, the box is not that of the word's ink."""
INSET = 0.2
"""The share of the height of a word with letters or digits, above and below, that is left out: the mark is between."""
_PAINTED = pymupdf.mupdf.FZ_STEXT_FILLED | pymupdf.mupdf.FZ_STEXT_STROKED


def visible(page: pymupdf.Page, words: Sequence[Word]) -> tuple[list[Word], int]:
    """Return those of `words`, the text layer of a `page`, that its picture shows, and the number it does not show.

    The page is not rotated, and bare signs are not counted. A word over ink counts as shown, whatever its own colour:
    nothing tells it from the layer over a scan. Ink where another word's box reaches into its own is that one's: a
    label that was painted over, and set anew a little beside, is shown once.
    """
    least = min(TINY, TINY_SHARE * max(page.rect.width, page.rect.height))
    small = {word for word in words if _height(word) < least}
    parts = dict(zip(words, _own_parts(words), strict=True))
    faint = _invisible_words(page, list(parts.items()), COARSE) if words else []
    if not (small or faint):
        return list(words), 0
    layer = unpainted_boxes(page)
    scanned = {word for word in small.union(faint) if any(map(word.within, layer))}  # their own size says nothing
    faint = _invisible_words(page, [(word, _enlarge(word) if word in scanned else parts[word]) for word in faint], FINE)
    unseen = (small - scanned).union(faint)
    return [word for word in words if word not in unseen], sum(map(_says, unseen))


def _height(word: Word) -> float:
    """Return the height of a word's letters, in points, however it is turned; a short word can be wider than high."""
    width, height = word.x1 - word.x0, word.y1 - word.y0
    return min(width, height) if len(word.text) > 2 else max(width, height)


def _invisible_words(page: pymupdf.Page, boxed: Sequence[tuple[Word, Box4]], zoom: float) -> list[Word]:
    """Return the words that nobody can read in a drawing of the page at `zoom` pixels a point, by the contrast there.

    At the first, in gray, a word is kept that has so much of it that its colours do not matter.
    """
    colours = pymupdf.csRGB if zoom == FINE else pymupdf.csGRAY
    readable = _legible if zoom == FINE else _surely_legible
    zoom = min(zoom, MAX_PIXELS / max(page.rect.width, page.rect.height))
    drawn = page.get_pixmap(matrix=pymupdf.Matrix(zoom, zoom), colorspace=colours, alpha=False)
    image = np.frombuffer(drawn.samples, np.uint8).reshape(drawn.height, drawn.width, drawn.n)
    return [word for word, box in boxed if not readable(inside(image, [zoom * v for v in box]))]


def _surely_legible(pixels: NDArray[np.uint8]) -> bool:
    return pixels.size > 0 and bool(np.ptp(pixels) >= SURE)


def _legible(pixels: NDArray[np.uint8]) -> bool:
    return distance(pixels) >= LEGIBLE


def unpainted_boxes(page: pymupdf.Page) -> list[Box4]:
    """Return the boxes of text with neither colour nor outline, as OCR programs put it over a scan."""
    blocks = page.get_text("dict", flags=pymupdf.TEXT_MEDIABOX_CLIP)["blocks"]
    spans = [span for block in blocks for line in block.get("lines", ()) for span in line["spans"]]
    return [span["bbox"] for span in spans if not (span["alpha"] and span["char_flags"] & _PAINTED)]


def _box(word: Word) -> Box4:
    """Return the box without the parts that the lines above and below reach into; bare signs keep the whole box."""
    inset = INSET * (word.y1 - word.y0) if _says(word) else 0.0
    return (word.x0, word.y0 + inset, word.x1, word.y1 - inset)


def _own_parts(words: Sequence[Word]) -> list[Box4]:
    """Return the boxes of words, each without what one or two others that do not hold its middle have of it, too."""
    whole = [_box(word) for word in words]
    parts = list(whole)
    if not 1 < len(words) <= MOST_WORDS:
        return parts
    x0, y0, x1, y1 = np.array(parts, np.float32).T
    x, y = (x0 + x1) / 2, (y0 + y1) / 2
    over = (x0 < x1[:, None]) & (x1 > x0[:, None]) & (y0 < y1[:, None]) & (y1 > y0[:, None])
    over &= ~((x0 <= x[:, None]) & (x1 >= x[:, None]) & (y0 <= y[:, None]) & (y1 >= y[:, None]))
    counts = over.sum(axis=1)
    for n in np.flatnonzero((counts > 0) & (counts <= FEW)).tolist():
        parts[n] = _rest_of(parts[n], [whole[at] for at in np.flatnonzero(over[n]).tolist()])
    return parts


def _rest_of(box: Box4, others: Sequence[Box4]) -> Box4:
    """Return the rectangle around the middle of a box that none of the others reaches into, unless it is too small."""
    x0, y0, x1, y1 = box
    x, y = (x0 + x1) / 2, (y0 + y1) / 2
    for a, b, c, d in others:
        cuts = [
            (c, y0, x1, y1) if c < x else None,
            (x0, y0, a, y1) if a > x else None,
            (x0, d, x1, y1) if d < y else None,
            (x0, y0, x1, b) if b > y else None,
        ]
        x0, y0, x1, y1 = max((cut for cut in cuts if cut is not None), key=_area, default=(x0, y0, x1, y1))
    return (x0, y0, x1, y1) if _area((x0, y0, x1, y1)) >= OWN * _area(box) else box


def _area(box: Box4) -> float:
    return max(box[2] - box[0], 0.0) * max(box[3] - box[1], 0.0)


def _says(word: Word) -> bool:
    return any(map(str.isalnum, word.text))


def _enlarge(word: Word) -> Box4:
    """Return the box and as much again above and below: OCR programs are off by about that."""
    height = word.y1 - word.y0
    return (word.x0, word.y0 - height, word.x1, word.y1 + height)
