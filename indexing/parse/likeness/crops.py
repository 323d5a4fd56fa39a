"""Crops: the ink of a drawn line, and the piece of it in which one glyph stands, always in the same scale and place."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image

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
    """The ink of a drawn piece of a page: `pixels` (h, w) from 0, the paper, to 1.

    A point (x, y) of the page is at (x * zoom - left, y * zoom - top) of them.
    """

    pixels: NDArray[np.float32]
    zoom: float
    left: float
    top: float

    def at(self, x: float, y: float) -> tuple[float, float]:
        """Return where a point of the page is, in pixels."""
        return x * self.zoom - self.left, y * self.zoom - self.top


def ink_of(image: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Return how far each pixel of a line (h, w, 3) is from its paper, 0 to 1; all 0 where nothing differs from it.

    The paper is the median of its pixels, its ink the few that differ most, in any colours.
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
    """Return the least value that so large a share of `values` does not exceed."""
    counts = np.bincount(values.ravel(), minlength=256)
    return int(np.searchsorted(np.cumsum(counts), share * values.size))


def crop(ink: Ink, edges: tuple[float, float], baseline: float, size: float) -> NDArray[np.float32]:
    """Return the crop (SIDE, SIDE) of a glyph between two `edges` on a `baseline`, its font of `size`: points."""
    across = (ABOVE + BELOW) * size
    middle = (edges[0] + edges[1]) / 2
    left, top = ink.at(middle - across / 2, baseline - ABOVE * size)
    side = across * ink.zoom
    height, width = ink.pixels.shape
    x0, y0 = math.floor(left), math.floor(top)
    x1, y1 = math.ceil(left + side), math.ceil(top + side)
    pixels = np.zeros((y1 - y0, x1 - x0), np.float32)
    rows, columns = slice(max(y0, 0), min(y1, height)), slice(max(x0, 0), min(x1, width))
    if rows.start < rows.stop and columns.start < columns.stop:
        pixels[rows.start - y0 : rows.stop - y0, columns.start - x0 : columns.stop - x0] = ink.pixels[rows, columns]
    box = (left - x0, top - y0, left - x0 + side, top - y0 + side)
    drawn = np.asarray(Image.fromarray(pixels).resize((SIDE, SIDE), Image.Resampling.BOX, box=box))
    half = ((edges[1] - edges[0]) / 2 + SLACK * size) / across * SIDE
    at = np.arange(SIDE)
    own = np.minimum(at + 1, SIDE / 2 + half) - np.maximum(at, SIDE / 2 - half)
    return np.asarray(drawn * np.clip(own, 0, 1), np.float32)
