"""Contrast: how far the colours of pixels are apart for an eye, whatever their brightness and hue.

The measure is the distance in CIE L*a*b*, where 1 is the least that anybody notices side by side. 9 is a ratio of
luminance of about 1.25 between greys, near white as near black; a text below it nobody reads.

Print that stands out little from its paper is strengthened for OCR: only on pages whose darkest ink is faint, as a good
scan is read best as it is (docs/experiments/scans.md).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageFilter

LEGIBLE = 9.0
"""The distance between ink and paper from which a text can be read."""
SURE = 40
"""The difference in grey levels, of 255, that is more than `LEGIBLE` wherever it lies."""
CELL = 8
"""The number of pixels along the side of the cells in which paper and ink are looked for."""
REACH = 9
"""The number of cells, an odd one, around a cell in which the lightest is taken for the paper."""
SPECK = 0.1
"""The share of the paper's light that something in a cell takes away at least, to be print and not noise."""
MOSTLY_PAPER = 0.75
"""The share of the paper's light that a cell of print has in its middle: a picture or the edge of a scan has less."""
DARKEST = 10
"""The percentage of the cells with print that is the darkest ink of a page."""
LEAST_PRINT = 10
"""The fewest cells with print that say how dark it is."""
FAINT = 0.45
"""The share of the paper's light that the darkest ink takes away, below which print is faint; black takes nearly 1."""
PRINT = 0.8
"""The share that it takes away once it is strengthened."""
MOST = 6.0
"""The factor, at most, by which it is strengthened: beyond it noise becomes print."""
_TO_XYZ = np.array([[0.4339, 0.3762, 0.1899], [0.2126, 0.7152, 0.0722], [0.0178, 0.1095, 0.8728]])
"""The matrix from linear sRGB to CIE XYZ in units of the white point D65."""


def distance(pixels: NDArray[np.uint8], outliers: float = 0.0) -> float:
    """Return how far apart the colours of pixels (..., 3) in RGB are, in CIE L*a*b*; 0 for none.

    `outliers` is the percentage of pixels at either end that do not count: noise.
    """
    flat = pixels.reshape(-1, 3)
    if not len(flat):
        return 0.0
    colours = np.unique(flat, axis=0) if not outliers else flat
    low, high = np.percentile(lab(colours), (outliers, 100 - outliers), axis=0)
    return float(np.linalg.norm(high - low))


def lab(rgb: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Convert colours (n, 3) of sRGB, 0 to 255, to CIE L* (0 to 100), a* and b*."""
    part = rgb / 255
    linear = np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)
    xyz = linear @ _TO_XYZ.T
    root = np.where(xyz > (6 / 29) ** 3, np.cbrt(xyz), xyz / (3 * (6 / 29) ** 2) + 4 / 29)
    x, y, z = root.T
    return np.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], axis=1)


def pixels_in(image: NDArray[np.uint8], box: Sequence[float]) -> NDArray[np.uint8]:
    """Return the pixels of an image (h, w, c) that a box, in pixels, touches."""
    left, top = (max(0, int(np.floor(edge))) for edge in box[:2])
    right, bottom = (max(0, int(np.ceil(edge))) for edge in box[2:])
    return image[top:bottom, left:right]


def strengthen_contrast(image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return an image (h, w, 3) with its paper near white and its print dark, or as it is, where print is not faint."""
    grey = np.asarray(Image.fromarray(image).convert("L"))
    rows, cols = grey.shape[0] // CELL, grey.shape[1] // CELL
    if min(rows, cols) < REACH:
        return image
    cells = grey[: rows * CELL, : cols * CELL].reshape(rows, CELL, cols, CELL).swapaxes(1, 2).reshape(rows, cols, -1)
    dark, middle = np.percentile(cells, (5, 50), axis=2)
    paper = _paper_light(middle)
    absorption = 1 - dark / paper
    ink_values = absorption[(absorption > SPECK) & (middle >= MOSTLY_PAPER * paper)]
    if len(ink_values) < LEAST_PRINT:
        return image
    ink = float(np.percentile(ink_values, 100 - DARKEST))
    if ink >= FAINT:
        return image
    light = Image.fromarray(paper.astype(np.float32)).resize(grey.shape[::-1], Image.Resampling.BILINEAR)
    share = image / np.asarray(light)[:, :, None]
    return np.asarray(np.clip(255 * (1 - min(MOST, PRINT / ink) * (1 - share)), 0, 255), np.uint8)


def _paper_light(middle: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the grey of the paper around each cell (rows, cols), at least 1, by the lightest `middle` grey near it."""
    lightest = Image.fromarray(middle.astype(np.uint8)).filter(ImageFilter.MaxFilter(REACH))
    return np.maximum(np.asarray(lightest.filter(ImageFilter.GaussianBlur(REACH / 3)), np.float64), 1.0)
