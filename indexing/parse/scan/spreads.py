"""The gutter of a scan of two facing pages, and each of them as a page of its own.

A gutter is a strip near the middle that no print crosses, in shadow from top to bottom. Without the shadow it may as
well be the space between the columns of a slide or a table, which nobody wants cut: such a page is left whole.
"""

from __future__ import annotations

from dataclasses import dataclass

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
"""The part of the width in which a gutter lies."""
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

Grey = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class FacingPage:
    """A copy of one of two facing pages, upright as the spread is, and the `part` of the spread that it shows.

    `owner` keeps the document of the copy alive.
    """

    page: pymupdf.Page
    part: BBox
    owner: pymupdf.Document


def facing_pages(page: pymupdf.Page, longer_side: int) -> tuple[FacingPage, ...]:
    """Return the left and the right page that a spread shows; none where the page is no spread.

    The longer side of the image of each has about `longer_side` pixels: they are read as finely as single pages.
    """
    middle = gutter(page)
    if middle is None:
        return ()
    wide, high = page.rect.width, page.rect.height
    image, zoom = pixels_of(page, round(longer_side * wide / max(middle, wide - middle, high)))
    column = round(middle * zoom)
    sides = []
    for start, end in ((0, column), (column, image.shape[1])):
        copy, owner = image_page(np.ascontiguousarray(image[:, start:end]), zoom)
        sides.append(FacingPage(copy, BBox(start / image.shape[1], 0.0, end / image.shape[1], 1.0), owner))
    return tuple(sides)


def gutter(page: pymupdf.Page) -> float | None:
    """Return where the gutter of a spread is, in points from the left of the displayed page; None where there is none.

    Only the pixels are looked at.
    """
    if not ASPECT[0] * page.rect.height <= page.rect.width <= ASPECT[1] * page.rect.height:
        return None
    image, zoom = pixels_of(page, PIXELS)
    column = gutter_column(image)
    return None if column is None else column / zoom


def gutter_column(image: NDArray[np.uint8]) -> float | None:
    """Return the column of an image (h, w, 3) at which two facing pages meet, None where there is no such column."""
    grey = np.asarray(Image.fromarray(image).convert("L"), float)
    bands = np.array_split(np.arange(len(grey)), BANDS)
    paper = np.array([np.percentile(grey[rows], 75, axis=0) for rows in bands])
    marks = np.concatenate(
        [abs(grey[rows] / np.maximum(light, 1) - 1) for rows, light in zip(bands, paper, strict=True)]
    )
    marked = marks > PRINTED
    width = grey.shape[1]
    strips = [
        s for s in _runs(marked.mean(axis=0) <= SPECKS) if s[1] - s[0] >= NARROWEST * width and _near_middle(s, width)
    ]
    if not strips:
        return None
    left, right = max(strips, key=lambda strip: strip[1] - strip[0])
    if left == 0 or right == width:  # a blank page
        return None
    return _shadow(paper, left, right)


def _shadow(paper: Grey, left: int, right: int) -> float | None:
    """Return the darkest column of a strip, if it is darker than the paper on both sides in each band; else None.

    `paper` (bands, w) is the light of the paper in each band.
    """
    beside = SIDE * paper.shape[1]
    sides = [paper[:, max(0, int(left - beside)) : left], paper[:, right : int(right + beside)]]
    darkest = left + int(np.argmin(paper[:, left:right].mean(axis=0)))
    lit = np.minimum(*(np.median(side, axis=1) for side in sides))
    return darkest + 0.5 if (paper[:, darkest] <= DARKER * lit).all() else None


def _near_middle(strip: tuple[int, int], width: int) -> bool:
    return MIDDLE[0] * width <= sum(strip) / 2 <= MIDDLE[1] * width


def _runs(flags: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Return start and end of each run of True."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], flags, [False]]).astype(int)))
    return [(int(a), int(b)) for a, b in edges.reshape(-1, 2)]
