"""Faint print -> print that OCR reads: what stands out little from its paper is made to stand out as good print does.

Only pages whose darkest ink is faint are touched; a good scan is read as it is (docs/experiments/scans.md).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageFilter

CELL = 8
"""The number of pixels along the side of the cells in which paper and ink are looked for."""
REACH = 9
"""The number of cells, an odd one, around a cell in which the lightest is taken for the paper."""
NOISE = 0.1
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


def strengthen_contrast(image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return an image (h, w, 3) with its paper near white and its print dark, or as it is, where print is not faint."""
    grey = np.asarray(Image.fromarray(image).convert("L"))
    rows, cols = grey.shape[0] // CELL, grey.shape[1] // CELL
    if min(rows, cols) < REACH:
        return image
    cells = grey[: rows * CELL, : cols * CELL].reshape(rows, CELL, cols, CELL).swapaxes(1, 2).reshape(rows, cols, -1)
    dark, middle = np.percentile(cells, (5, 50), axis=2)
    paper = _paper(middle)
    taken = 1 - dark / paper
    printed = taken[(taken > NOISE) & (middle >= MOSTLY_PAPER * paper)]
    if len(printed) < LEAST_PRINT:
        return image
    ink = float(np.percentile(printed, 100 - DARKEST))
    if ink >= FAINT:
        return image
    light = Image.fromarray(paper.astype(np.float32)).resize(grey.shape[::-1], Image.Resampling.BILINEAR)
    share = image / np.asarray(light)[:, :, None]
    return np.asarray(np.clip(255 * (1 - min(MOST, PRINT / ink) * (1 - share)), 0, 255), np.uint8)


def _paper(middle: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the light of the paper (rows, cols), at least 1, by the lightest of the `middle` greys around each."""
    lightest = Image.fromarray(middle.astype(np.uint8)).filter(ImageFilter.MaxFilter(REACH))
    return np.maximum(np.asarray(lightest.filter(ImageFilter.GaussianBlur(REACH / 3)), np.float64), 1.0)
