"""Page pixels -> the boxes of pictures, charts and framed panels: areas that stand out and are not text."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pymupdf
from numpy.typing import NDArray

from indexing.parse.scan.frames import Grid, has_drawing, text_frames

CELLS = 110
"""The number of cells along the longer side of the grid that is laid over a page."""
PIXELS = 8
"""The number of pixels along the side of a cell."""
CONTRAST = 40
"""The difference between brightest and darkest pixel (of 255) from which a cell holds something."""
LEAST_SIDE, MOST = 0.05, 0.85
"""The least side of a picture and the most area it covers, as shares of the page."""

Box4 = tuple[float, float, float, float]
Cells = NDArray[np.int64]
"""Row and column (n, 2) of marked cells that touch."""
Pixels = NDArray[np.int64]


def visual_regions(page: pymupdf.Page, text: Sequence[Box4], least: float, *, frames: bool = True) -> list[Box4]:
    """Return boxes in points of connected marks that cover `least` of the page and are not mostly `text` boxes.

    Without `frames`, those are left out that hold text alone, as of a note, beside a small sign.
    """
    zoom = CELLS * PIXELS / max(page.rect.width, page.rect.height)
    pixels = page.get_pixmap(matrix=pymupdf.Matrix(zoom, zoom), colorspace=pymupdf.csGRAY, alpha=False)
    rows, cols = pixels.height // PIXELS, pixels.width // PIXELS
    image = np.frombuffer(pixels.samples, np.uint8).reshape(pixels.height, pixels.width).astype(int)
    between = image.copy(), image.copy()
    wordy = np.zeros((rows, cols), bool)
    unit = PIXELS / zoom
    for x0, y0, x1, y1 in text:
        wordy[int(max(y0, 0) / unit) : int(y1 / unit) + 1, int(max(x0, 0) / unit) : int(x1 / unit) + 1] = True
        place = slice(int(max(y0, 0) * zoom), int(y1 * zoom) + 1), slice(int(max(x0, 0) * zoom), int(x1 * zoom) + 1)
        between[0][place], between[1][place] = 255, 0
    marked, ruled = _contrasts(image, image), _contrasts(*between)
    boxes: list[Box4] = []
    parts: list[Cells] = []
    for frame in text_frames(marked, wordy, ruled):
        held = np.zeros_like(marked)
        held[frame] = marked[frame]
        if held.any() and (frames or has_drawing(held & ~wordy, frame)):
            parts.append(np.argwhere(held))
        marked[frame] = False
    for part in parts + _components(marked):
        (top, left), (bottom, right) = part.min(axis=0), part.max(axis=0) + 1
        width, height = (right - left) / cols, (bottom - top) / rows
        drawn = np.count_nonzero(~wordy[part[:, 0], part[:, 1]])
        around = 2 * (right - left + bottom - top)
        if min(width, height) < LEAST_SIDE or not least <= width * height <= MOST:
            continue
        if drawn < min(0.15 * (right - left) * (bottom - top), 0.6 * around):
            continue
        boxes.append((float(left * unit), float(top * unit), float(right * unit), float(bottom * unit)))
    boxes.sort(key=lambda b: (b[0] - b[2]) * (b[3] - b[1]))
    regions: list[Box4] = []
    for box in boxes:
        if not any(share(box, other) > 0.8 for other in regions):
            regions.append(box)
    return regions


def _contrasts(darkest: Pixels, brightest: Pixels) -> Grid:
    """Return in which cells the brightest pixel differs from the darkest, of two images (rows, columns)."""
    rows, cols = (size // PIXELS for size in darkest.shape)
    low, high = (
        image[: rows * PIXELS, : cols * PIXELS].reshape(rows, PIXELS, cols, PIXELS) for image in (darkest, brightest)
    )
    return np.asarray(high.max(axis=(1, 3)) - low.min(axis=(1, 3)) > CONTRAST)


def share(inner: Box4, outer: Box4) -> float:
    """Return the share of `inner` that `outer` covers, 0 to 1."""
    w = min(inner[2], outer[2]) - max(inner[0], outer[0])
    h = min(inner[3], outer[3]) - max(inner[1], outer[1])
    return max(w, 0.0) * max(h, 0.0) / ((inner[2] - inner[0]) * (inner[3] - inner[1]))


def _components(marked: Grid) -> list[Cells]:
    """Return the (n, 2) cells, row and column, of each set of marked cells that touch (corners count)."""
    left = {(int(r), int(c)) for r, c in np.argwhere(marked)}
    parts = []
    while left:
        stack, part = [left.pop()], []
        while stack:
            row, col = stack.pop()
            part.append((row, col))
            near = {(row + r, col + c) for r in (-1, 0, 1) for c in (-1, 0, 1)} & left
            left -= near
            stack += near
        parts.append(np.array(part))
    return parts
