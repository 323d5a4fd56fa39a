"""A scanned sheet: turned upright, and cut apart where it shows two facing pages.

The recognised lines show whether they run across the page or along it; the longest of them, read in both directions,
show which end is up: OCR is surer of upright text, and reads more of it (docs/experiments/scans.md).

A gutter is a strip near the middle that no print crosses, in shadow from top to bottom. A strip without a shadow is as
likely the space between the columns of a slide or a table, so such a page is left whole (docs/experiments/scans.md).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pymupdf
from numpy.typing import NDArray
from PIL import Image

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
from indexing.types import BBox

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


PIXELS = 800
"""The longer side, in pixels, of the image in which a gutter is looked for."""
ASPECT = (1.15, 1.75)
"""The least and the most width of a spread, as a multiple of its height: two pages of a book, of A4, of a notebook."""
MIDDLE = (0.42, 0.58)
"""The part of the width in which the middle of a gutter lies."""
NARROWEST = 0.018
"""The least width of the strip that no print crosses, as a share of the spread's."""
PRINTED = 0.12
"""The difference from the paper of its column, as a share of the paper's light, from which a pixel is print."""
SPECKS = 0.004
"""The share of a column's pixels up to which print is specks."""
BANDS = 8
"""The number of bands, one below the other, in which the light of the paper is measured column by column."""
DARKER = 0.9
"""The light of a shadow's darkest column, as a share of the paper's beside it, at most, in every band."""
SIDE = 0.12
"""The width of the paper beside a strip that its shadow is compared with, as a share of the spread's."""


def facing_pages(page: pymupdf.Page, longer_side: int, turns: int = 0) -> list[tuple[pymupdf.Page, BBox]]:
    """Return the left and the right page of a spread as pages, each with its box on the displayed page.

    `turns` are the clockwise quarters that lead from the upright spread to the displayed page. The longer side of the
    image of each page has about `longer_side` pixels, as of a single page. Empty for a page that is no spread.
    """
    wide, high = (page.rect.height, page.rect.width) if turns % 2 else (page.rect.width, page.rect.height)
    if not ASPECT[0] * high <= wide <= ASPECT[1] * high:
        return []
    middle = gutter(np.rot90(pixels_of(page, PIXELS)[0], turns))
    if middle is None:
        return []
    image, zoom = pixels_of(page, round(longer_side / max(middle, 1 - middle, high / wide)))
    image = np.rot90(image, turns)
    width = image.shape[1]
    column = round(middle * width)
    return [
        (
            image_page(np.ascontiguousarray(image[:, start:end]), zoom),
            BBox(start / width, 0.0, end / width, 1.0).rotate(turns),
        )
        for start, end in ((0, column), (column, width))
    ]


def gutter(image: NDArray[np.uint8]) -> float | None:
    """Return the x at which two facing pages meet, as a share of the width of an image (h, w, 3); None for one page."""
    grey = np.asarray(Image.fromarray(image).convert("L"), float)
    width = grey.shape[1]
    bands = np.array_split(grey, BANDS)
    paper = np.array([np.percentile(band, 75, axis=0) for band in bands])
    prints = [abs(band / np.maximum(light, 1) - 1) > PRINTED for band, light in zip(bands, paper, strict=True)]
    bare = np.concatenate(prints).mean(axis=0) <= SPECKS
    strips = np.flatnonzero(np.diff(np.concatenate([[False], bare, [False]]))).reshape(-1, 2)
    widths, middles = np.diff(strips)[:, 0], strips.mean(axis=1)
    fitting = (widths >= NARROWEST * width) & (MIDDLE[0] * width <= middles) & (middles <= MIDDLE[1] * width)
    if not fitting.any():
        return None
    left, right = (int(edge) for edge in strips[fitting][widths[fitting].argmax()])
    if left == 0 or right == width:  # a blank page
        return None
    return _shadow(paper, left, right)


def _shadow(paper: NDArray[np.float64], left: int, right: int) -> float | None:
    """Return the x of the darkest column of a strip, as a share of the width; None if a band of it is not in shadow.

    `paper` (bands, w) is the light of the paper in each band, which is compared with that on both sides of the strip.
    """
    width = paper.shape[1]
    beside = SIDE * width
    sides = paper[:, max(0, int(left - beside)) : left], paper[:, right : int(right + beside)]
    light = np.minimum(*(np.median(side, axis=1) for side in sides))
    darkest = left + int(np.argmin(paper[:, left:right].mean(axis=0)))
    return (darkest + 0.5) / width if (paper[:, darkest] <= DARKER * light).all() else None
