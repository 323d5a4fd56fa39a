"""A page, as displayed, of which lines are drawn: their ink, and crops of it with one glyph each.

Crops always have the same scale and position, so that a letter looks alike in any of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pymupdf
from numpy.typing import NDArray
from PIL import Image

from indexing.parse.scan import Box4
from indexing.types import BBox

HEIGHT = 48
"""The height of a drawn line in pixels."""
ROOM = 0.15
"""The share of its height that is left around a line whose ink is measured."""
MAX_PIXELS = 8_000_000
"""The most pixels of a drawing."""
SIDE = 28
"""The side of a crop in pixels."""
ABOVE, BELOW = 0.92, 0.28
"""The shares of the font's size that a crop shows above and below the baseline."""
SLACK = 0.04
"""The share of the size that it shows beside the glyph's own width: the rest belongs to its neighbours."""
MARKED, FEW = 40.0, 0.03
"""The least difference from the paper, of 255, that is ink; the share of a line's pixels that are its blackest."""


@dataclass(frozen=True, slots=True)
class Ink:
    """The ink of a drawn line of a page: `pixels` (h, w) from 0, the paper, to 1.

    A point (x, y) of the page is at column x * zoom - left and row y * zoom - top of them.
    """

    pixels: NDArray[np.float32]
    zoom: float
    left: float
    top: float

    def at(self, x: Any, y: Any) -> tuple[Any, Any]:
        """Return the column and row of the pixel at a point of the page; arrays (n,) for arrays (n,) of points."""
        return x * self.zoom - self.left, y * self.zoom - self.top


def ink_of(image: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Return how far each pixel of a line (h, w, 3) is from the background, 0 to 1; all 0 where nothing differs.

    The background is the median of each colour channel; 1 is the difference of the few pixels that differ most.
    """
    if not image.size:
        return np.zeros(image.shape[:2], np.float32)
    far = np.zeros(image.shape[:2], np.uint8)
    for plane in np.ascontiguousarray(image.transpose(2, 0, 1)):
        paper = np.uint8(_quantile(plane, 0.5))
        far = np.maximum(far, np.where(plane > paper, plane - paper, paper - plane))
    most = _quantile(far, 1 - FEW)
    if most < MARKED:
        most = int(far.max())
    return np.minimum(far / np.float32(most), 1) if most >= MARKED else np.zeros(far.shape, np.float32)


def _quantile(values: NDArray[np.uint8], share: float) -> int:
    """Return the least value that at least this `share` of `values` does not exceed."""
    counts = Image.fromarray(values).histogram()
    return int(np.searchsorted(np.cumsum(counts), share * values.size))


def crop(ink: Ink, edges: tuple[float, float], baseline: float, size: float) -> NDArray[np.float32]:
    """Return the crop (SIDE, SIDE) of a glyph by its left and right edge, baseline and font size, all in points."""
    glyph: NDArray[np.float32] = glyph_crops(ink, np.array([(*edges, baseline, size)]))[0]
    return glyph


def glyph_crops(ink: Ink, places: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return the crops (n, SIDE, SIDE) of glyphs of a line.

    `places` (n, 4) has the left and the right edge, the baseline and the font size of each, in points. A pixel of a
    crop is the mean of the ink's pixels whose middles are in it.
    """
    crops = np.zeros((len(places), SIDE, SIDE), np.float32)
    if not len(places):
        return crops
    x0, x1, baselines, sizes = places[:, :4].T
    widths = (ABOVE + BELOW) * sizes
    left, top = ink.at((x0 + x1) / 2 - widths / 2, baselines - ABOVE * sizes)
    scale = np.maximum(widths * ink.zoom, 1e-6) / SIDE
    first, last = _sample_ranges(left, scale)
    above, below = _sample_ranges(top, scale)
    height, width = ink.pixels.shape
    totals = np.concatenate([np.zeros((1, width)), ink.pixels.cumsum(axis=0, dtype=np.float64)])
    of_one_font: dict[tuple[float, float], list[int]] = {}
    for n, key in enumerate(zip(baselines.tolist(), sizes.tolist(), strict=True)):
        of_one_font.setdefault(key, []).append(n)
    for rows in of_one_font.values():  # they have their rows in common
        from_row, to_row = above[rows[0]], below[rows[0]]
        across_rows = totals[to_row.clip(0, height)] - totals[from_row.clip(0, height)]
        sums = np.concatenate([np.zeros((SIDE, 1)), across_rows.cumsum(axis=1)], axis=1)
        boxes = sums[:, last[rows].clip(0, width)] - sums[:, first[rows].clip(0, width)]
        areas = (to_row - from_row)[:, None, None] * (last[rows] - first[rows])
        crops[rows] = (boxes / areas).transpose(1, 0, 2)
    half = ((x1 - x0) / 2 + SLACK * sizes) / widths * SIDE
    columns = np.arange(SIDE)
    weights = np.minimum(columns + 1, SIDE / 2 + half[:, None]) - np.maximum(columns, SIDE / 2 - half[:, None])
    crops *= np.clip(weights, 0, 1).astype(np.float32)[:, None, :]
    return crops


def _sample_ranges(start: NDArray[np.float64], scale: NDArray[np.float64]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the ranges [first, last) of pixels that the SIDE samples of n crops average: (n, SIDE) each."""
    middles = start[:, None] + (np.arange(SIDE) + 0.5) * scale[:, None]
    reach = np.maximum(scale, 1.0)[:, None] / 2  # at least the pixel at the middle
    first, last = np.floor(middles - reach + 0.5), np.floor(middles + reach + 0.5)
    return first.astype(np.intp), last.astype(np.intp)


class Drawing:
    """A page, as displayed, of which boxes are drawn."""

    def __init__(self, page: pymupdf.Page) -> None:
        self.page = page
        self._width, self._height = page.rect.width, page.rect.height
        self._list = page.get_displaylist()

    def points(self, box: BBox) -> Box4:
        """Convert a box from fractions of the displayed page to points."""
        return box.to_page(self._width, self._height)

    def of(self, box: BBox, turns: int, pad: float = 0.0, height: int = HEIGHT) -> NDArray[np.uint8]:
        """Draw the line in a box: (h, w, 3) in BGR, turned by `turns` quarters counterclockwise, `height` pixels high.

        A margin of `pad` times the height of the line is left around it.
        """
        x0, y0, x1, y1 = self.points(box)
        height_of_line = max(min(x1 - x0, y1 - y0) if turns else y1 - y0, 0.1)
        pixmap, _ = self._draw_box((x0, y0, x1, y1), height_of_line, pad, height)
        return np.ascontiguousarray(np.rot90(_pixels(pixmap)[:, :, ::-1], turns))

    def ink(self, box: Box4) -> Ink:
        """Return the ink of a line in a box (points), which is drawn `HEIGHT` pixels high with `ROOM` around it."""
        line_height = max(box[3] - box[1], 0.1)
        pixmap, zoom = self._draw_box(box, line_height, ROOM, HEIGHT)
        return Ink(ink_of(_pixels(pixmap)), zoom, pixmap.x, pixmap.y)

    def _draw_box(self, box: Box4, side: float, pad: float, height: int) -> tuple[pymupdf.Pixmap, float]:
        """Draw a box and `pad` times `side` around it, `side` points as `height` pixels; return its zoom too."""
        x0, y0, x1, y1 = box
        clip = pymupdf.Rect(x0 - pad * side, y0 - pad * side, x1 + pad * side, y1 + pad * side)
        zoom = min(height / side, (MAX_PIXELS / (clip.width * clip.height)) ** 0.5)
        matrix = pymupdf.Matrix(zoom, zoom)
        return self._list.get_pixmap(matrix=matrix, colorspace=pymupdf.csRGB, clip=clip, alpha=False), zoom


def _pixels(pixmap: pymupdf.Pixmap) -> NDArray[np.uint8]:
    return np.frombuffer(pixmap.samples, np.uint8).reshape(pixmap.height, pixmap.width, 3)
