"""Page pixels -> the boxes of pictures, charts and framed panels: areas that stand out and are not text."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pymupdf
from numpy.typing import NDArray

CELLS = 110
"""The number of cells along the longer side of the grid that is laid over a page."""
PIXELS = 8
"""The number of pixels along the side of a cell."""
CONTRAST = 40
"""The difference between brightest and darkest pixel (of 255) from which a cell holds something."""
LEAST_SIDE, MOST = 0.05, 0.85
"""The least side of a picture and the most area it covers, as shares of the page."""

FRAMED = 0.95
"""The share of each side of a frame that has marks."""
PROSE = 0.85
"""The least share of the width of a frame that a line of prose has; what is shorter may belong to the frame."""
DRAWN_WITHIN = 0.8
"""The least share of what is drawn of a component that a frame holds; the rest are rules between texts, and signs."""

Box4 = tuple[float, float, float, float]


def visual_regions(page: pymupdf.Page, text: Sequence[Box4], least: float) -> list[Box4]:
    """Return boxes in points of connected marks that cover `least` of the page and are not mostly `text` boxes."""
    zoom = CELLS * PIXELS / max(page.rect.width, page.rect.height)
    pixels = page.get_pixmap(matrix=pymupdf.Matrix(zoom, zoom), colorspace=pymupdf.csGRAY, alpha=False)
    rows, cols = pixels.height // PIXELS, pixels.width // PIXELS
    image = np.frombuffer(pixels.samples, np.uint8).reshape(pixels.height, pixels.width)
    cells = image[: rows * PIXELS, : cols * PIXELS].reshape(rows, PIXELS, cols, PIXELS)
    marked = cells.max(axis=(1, 3)).astype(int) - cells.min(axis=(1, 3)) > CONTRAST
    wordy = np.zeros_like(marked)
    unit = PIXELS / zoom
    for x0, y0, x1, y1 in text:
        wordy[int(max(y0, 0) / unit) : int(y1 / unit) + 1, int(max(x0, 0) / unit) : int(x1 / unit) + 1] = True
    found: list[Box4] = []
    for part in (_within_frame(part, wordy) for part in _components(marked)):
        (top, left), (bottom, right) = part.min(axis=0), part.max(axis=0) + 1
        width, height = (right - left) / cols, (bottom - top) / rows
        drawn = np.count_nonzero(~wordy[part[:, 0], part[:, 1]])
        around = 2 * (right - left + bottom - top)
        if min(width, height) < LEAST_SIDE or not least <= width * height <= MOST:
            continue
        if drawn < min(0.15 * (right - left) * (bottom - top), 0.6 * around):
            continue
        found.append((float(left * unit), float(top * unit), float(right * unit), float(bottom * unit)))
    found.sort(key=lambda b: (b[0] - b[2]) * (b[3] - b[1]))
    kept: list[Box4] = []
    for box in found:
        if not any(share(box, other) > 0.8 for other in kept):
            kept.append(box)
    return kept


def _within_frame(part: NDArray[np.int64], wordy: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return those cells of a component that a frame around text holds, without prose above or below that touches it.

    A frame is as wide as the component, and nearly all that is drawn of this is in it. One around a chart is left
    alone, whose labels stand outside of it.
    """
    (_, left), (_, right) = part.min(axis=0), part.max(axis=0)
    drawn = part[~wordy[part[:, 0], part[:, 1]]]
    sides = np.intersect1d(*(drawn[drawn[:, 1] == edge, 0] for edge in (left, right)))
    if len(sides) < 3:
        return part
    marks, full = np.bincount(part[:, 0], minlength=sides[-1] + 2), FRAMED * (right - left + 1)
    # Text over a corner hides the side there.
    top = next((row for row in (sides[0], sides[0] - 1) if marks[row] >= full), None)
    bottom = next((row for row in (sides[-1], sides[-1] + 1) if marks[row] >= full), None)
    if top is None or bottom is None or len(sides) < FRAMED * (sides[-1] - sides[0] + 1):
        return part
    held = part[(part[:, 0] >= top) & (part[:, 0] <= bottom)]
    said = np.count_nonzero(wordy[held[:, 0], held[:, 1]])
    prose = max((count for row, count in enumerate(marks) if not top <= row <= bottom), default=0) >= PROSE * full
    alone = np.count_nonzero((drawn[:, 0] >= top) & (drawn[:, 0] <= bottom)) >= DRAWN_WITHIN * len(drawn)
    return held if prose and alone and said > len(held) / 3 else part


def share(inner: Box4, outer: Box4) -> float:
    """Return the share of `inner` that `outer` covers, 0 to 1."""
    w = min(inner[2], outer[2]) - max(inner[0], outer[0])
    h = min(inner[3], outer[3]) - max(inner[1], outer[1])
    return max(w, 0.0) * max(h, 0.0) / ((inner[2] - inner[0]) * (inner[3] - inner[1]))


def _components(marked: NDArray[np.bool_]) -> list[NDArray[np.int64]]:
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
