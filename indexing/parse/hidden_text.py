"""The words of a page's text layer that a reader can see: text that leaves no mark on the rendered page is no evidence.

Words in the colour of the paper, under a drawing, outside the page, or too small to read are seen by programs alone: a
place for instructions to a model. The words of the invisible layer over a scan are visible: they have ink under them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pymupdf
from numpy.typing import NDArray

from indexing.parse.scan import LEGIBLE, SURE, Box4, Word, distance, pixels_in

COARSE, FINE = 1.0, 4.0
"""The pixels a point: first in gray; then in colour, for the words that left no mark there."""
MAX_PIXELS = 4096
"""The longer side, at most, of the picture in pixels: pages can be 14,400 points."""
TINY, TINY_SHARE = 2.0, 0.003
"""The height in points, and as a share of the page's longer side, below which words are too small to read."""
MOST_WORDS = 2000
"""The most words of a page that are compared with one another: on a fuller one the ink of any word counts."""
OWN, FEW = 0.4, 2
"""The least share of a word's box that no other overlaps, for the ink there alone to count, and the most others that
overlap it: where more do, the box is not that of the word's ink."""
INSET = 0.2
"""The share of the height of a word with letters or digits, above and below, that is left out: the mark is between."""
_PAINTED = pymupdf.mupdf.FZ_STEXT_FILLED | pymupdf.mupdf.FZ_STEXT_STROKED


def visible(page: pymupdf.Page, words: Sequence[Word]) -> tuple[list[Word], int]:
    """Return those of `words`, the text layer of a `page` (not rotated), that its pixels show, and how many are hidden.

    Bare signs are not counted. A word over ink counts as visible, whatever its own colour, since it could be of the
    layer over a scan. Ink where another word's box overlaps its own counts for that word: a label that was painted
    over, and printed again a little beside, is visible once.
    """
    least = min(TINY, TINY_SHARE * max(page.rect.width, page.rect.height))
    tiny = {word for word in words if _height(word) < least}
    boxes = dict(zip(words, _own_boxes(words), strict=True))
    faint = _invisible_words(page, list(boxes.items()), COARSE) if words else []
    if not (tiny or faint):
        return list(words), 0
    layer = unpainted_boxes(page)
    scanned = {word for word in tiny.union(faint) if any(map(word.within, layer))}  # their own size says nothing
    faint = _invisible_words(page, [(word, _enlarge(word) if word in scanned else boxes[word]) for word in faint], FINE)
    unseen = (tiny - scanned).union(faint)
    return [word for word in words if word not in unseen], sum(map(_has_letters, unseen))


def _height(word: Word) -> float:
    """Return the height of a word's letters in points, also of a rotated word; a short word can be wider than high."""
    width, height = word.x1 - word.x0, word.y1 - word.y0
    return min(width, height) if len(word.text) > 2 else max(width, height)


def _invisible_words(page: pymupdf.Page, boxes: Sequence[tuple[Word, Box4]], zoom: float) -> list[Word]:
    """Return the words whose boxes have too little contrast to be read, in a drawing with `zoom` pixels a point.

    The first drawing is in grey, and only words with too much contrast for their colours to matter pass it.
    """
    colours = pymupdf.csRGB if zoom == FINE else pymupdf.csGRAY
    readable = _legible if zoom == FINE else _surely_legible
    zoom = min(zoom, MAX_PIXELS / max(page.rect.width, page.rect.height))
    pixmap = page.get_pixmap(matrix=pymupdf.Matrix(zoom, zoom), colorspace=colours, alpha=False)
    image = np.frombuffer(pixmap.samples, np.uint8).reshape(pixmap.height, pixmap.width, pixmap.n)
    return [word for word, box in boxes if not readable(pixels_in(image, [zoom * v for v in box]))]


def _surely_legible(pixels: NDArray[np.uint8]) -> bool:
    return pixels.size > 0 and bool(np.ptp(pixels) >= SURE)


def _legible(pixels: NDArray[np.uint8]) -> bool:
    return distance(pixels) >= LEGIBLE


def unpainted_boxes(page: pymupdf.Page) -> list[Box4]:
    """Return the boxes of text with neither colour nor outline, as OCR programs write it over a scan."""
    blocks = page.get_text("dict", flags=pymupdf.TEXT_MEDIABOX_CLIP)["blocks"]
    spans = [span for block in blocks for line in block.get("lines", ()) for span in line["spans"]]
    return [span["bbox"] for span in spans if not (span["alpha"] and span["char_flags"] & _PAINTED)]


def _inner_box(word: Word) -> Box4:
    """Return the box of a word without the margins that the lines above and below overlap; all of it for bare signs."""
    inset = INSET * (word.y1 - word.y0) if _has_letters(word) else 0.0
    return (word.x0, word.y0 + inset, word.x1, word.y1 - inset)


def _own_boxes(words: Sequence[Word]) -> list[Box4]:
    """Return the boxes of words, each without its overlap with one or two others that do not contain its middle."""
    complete = [_inner_box(word) for word in words]
    boxes = list(complete)
    if not 1 < len(words) <= MOST_WORDS:
        return boxes
    x0, y0, x1, y1 = np.array(boxes, np.float32).T
    x, y = (x0 + x1) / 2, (y0 + y1) / 2
    over = (x0 < x1[:, None]) & (x1 > x0[:, None]) & (y0 < y1[:, None]) & (y1 > y0[:, None])
    over &= ~((x0 <= x[:, None]) & (x1 >= x[:, None]) & (y0 <= y[:, None]) & (y1 >= y[:, None]))
    counts = over.sum(axis=1)
    for n in np.flatnonzero((counts > 0) & (counts <= FEW)).tolist():
        boxes[n] = _without_overlaps(boxes[n], [complete[at] for at in np.flatnonzero(over[n]).tolist()])
    return boxes


def _without_overlaps(box: Box4, others: Sequence[Box4]) -> Box4:
    """Return the rectangle around the middle of a box that no other overlaps; all of the box if that is too small."""
    x0, y0, x1, y1 = box
    x, y = (x0 + x1) / 2, (y0 + y1) / 2
    for a, b, c, d in others:
        cuts = [
            (c, y0, x1, y1) if c < x else None,
            (x0, y0, a, y1) if a > x else None,
            (x0, d, x1, y1) if d < y else None,
            (x0, y0, x1, b) if b > y else None,
        ]
        x0, y0, x1, y1 = max((part for part in cuts if part is not None), key=_area, default=(x0, y0, x1, y1))
    return (x0, y0, x1, y1) if _area((x0, y0, x1, y1)) >= OWN * _area(box) else box


def _area(box: Box4) -> float:
    return max(box[2] - box[0], 0.0) * max(box[3] - box[1], 0.0)


def _has_letters(word: Word) -> bool:
    return any(map(str.isalnum, word.text))


def _enlarge(word: Word) -> Box4:
    """Return the box of a word enlarged by its height above and below: OCR layers are off by about that."""
    height = word.y1 - word.y0
    return (word.x0, word.y0 - height, word.x1, word.y1 + height)
