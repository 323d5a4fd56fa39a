"""The turn of a scanned page: a sheet that lay on its side, or upside down, is read upright.

The recognised lines show whether they run across the page or along it; the longest of them, read in both directions,
show which end is up: OCR is surer of upright text, and reads more of it (docs/experiments/scans.md).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pymupdf
from numpy.typing import NDArray

from indexing.parse.scan.ocr import (
    Word,
    as_bgr,
    bounding_box,
    bounds,
    by_line,
    detected_lines,
    pixels_of,
    read_page,
    read_scored,
)

LINES = 8
"""The number of lines that are read in both directions: the longest, which say most."""
LEAST_LINES = 2
"""The fewest lines that decide anything."""
SURE_LINES = 12
"""The number of recognised lines below which all lines are looked for: on its side, a line is often not read."""
ALONG = 1.5
"""The ratio of its sides above which a line runs across the page, or along it."""
SURER = 1.15
"""The ratio of what is read, by which another direction has to be better than the one the page is shown in."""
LONGEST = 12
"""The length of a line that is read, in times its height: the middle of a longer one says enough, in less time."""
MARGIN = 2
"""The pixels around a line that are read with it."""


def read_upright(page: pymupdf.Page, words: list[Word], longer_side: int) -> tuple[pymupdf.Page, list[Word], int]:
    """Return a page and its words, both upright, and the clockwise quarter turns by which the page was turned for that.

    `words` were read on the page as it is, in points. If its turn is clear, they are read again on an image of it whose
    longer side has `longer_side` pixels.
    """
    image, zoom = pixels_of(page, longer_side)
    bgr = as_bgr(image)
    boxes = np.array([bounding_box(line) for line in by_line(words)], float).reshape(-1, 4) * zoom
    quarters = quarters_to_upright(bgr, boxes if len(boxes) >= SURE_LINES else bounds(detected_lines(bgr)))
    if quarters:
        page = image_page(np.ascontiguousarray(np.rot90(image, -quarters)), zoom)
        words = read_page(page, longer_side)
    return page, words, quarters


def quarters_to_upright(image: NDArray[np.uint8], boxes: NDArray[np.float64]) -> int:
    """Return the clockwise quarter turns that make the text of an image upright, 0 where that is not clear.

    `image` (h, w, 3) is in BGR; `boxes` (n, 4) are those of its lines, in pixels.
    """
    if len(boxes) < LEAST_LINES:
        return 0
    wide, tall = boxes[:, 2] - boxes[:, 0], boxes[:, 3] - boxes[:, 1]
    along = float(tall[tall > ALONG * wide].sum()) > float(wide[wide > ALONG * tall].sum())
    order = np.argsort(-np.maximum(wide, tall), kind="stable")[:LINES]
    crops = [_crop(image, boxes[n]) for n in order]
    across = [_middle(np.rot90(crop, -1) if along else crop) for crop in crops]
    first, reverse = _reading_score(across), _reading_score([np.ascontiguousarray(crop[::-1, ::-1]) for crop in across])
    if along:
        return 1 if first >= reverse else 3
    return 2 if reverse > SURER * first else 0


def image_page(image: NDArray[np.uint8], zoom: float) -> pymupdf.Page:
    """Return a page that shows an image (h, w, 3) in RGB, of `zoom` pixels a point."""
    height, width = image.shape[:2]
    document = pymupdf.open()
    sheet = document.new_page(width=width / zoom, height=height / zoom)
    sheet.insert_image(sheet.rect, pixmap=pymupdf.Pixmap(pymupdf.csRGB, width, height, image.tobytes(), False))
    return sheet


def _crop(image: NDArray[np.uint8], box: NDArray[np.float64]) -> NDArray[np.uint8]:
    x0, y0 = np.maximum(np.floor(box[:2]).astype(int) - MARGIN, 0)
    x1, y1 = np.ceil(box[2:]).astype(int) + MARGIN
    return image[y0:y1, x0:x1]


def _middle(line: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the middle of the image of a line, at most `LONGEST` times its height wide."""
    height, width = line.shape[:2]
    left = max(0, (width - LONGEST * height) // 2)
    return np.ascontiguousarray(line[:, left : width - left])


def _reading_score(crops: Sequence[NDArray[np.uint8]]) -> float:
    """Return a score of how much OCR reads in images of lines: their characters, weighted by its confidence."""
    return sum(score * len(text) for text, score in read_scored(crops))
