"""A scan of two facing pages -> each of them as a page of its own, cut apart at the gutter.

A gutter is a strip near the middle that no print crosses, in shadow from top to bottom. A strip without a shadow is as
likely the space between the columns of a slide or a table, so such a page is left whole (docs/experiments/scans.md).
"""

from __future__ import annotations

import numpy as np
import pymupdf
from numpy.typing import NDArray
from PIL import Image

from indexing.parse.scan.ocr import pixels_of
from indexing.parse.scan.turns import image_page
from indexing.types import BBox

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
