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
PARAGRAPH = 3
"""The least rows of prose that part a frame from what stands above or below it: two lines."""
SIGN = 0.05
"""The most of a frame around text that signs in it cover; a drawing covers more."""
TEXT = 1 / 3
"""The least share of words in what a frame around text holds."""
SIDES = 0.7
"""The least share of each side of a frame that is seen where words of it hide the rest."""
DRAWN_WITHIN = 0.8
"""The least share of what is drawn of a component that a frame holds; the rest are rules between texts, and signs."""

Box4 = tuple[float, float, float, float]
Cells = NDArray[np.int64]
"""Row and column (n, 2) of marked cells that touch."""


def visual_regions(page: pymupdf.Page, text: Sequence[Box4], least: float, *, frames: bool = True) -> list[Box4]:
    """Return boxes in points of connected marks that cover `least` of the page and are not mostly `text` boxes.

    Without `frames`, those are left out that hold text alone, as of a note, beside a small sign.
    """
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
    for part in (_within_frame(part, wordy) for whole in _components(marked) for part in _parted(whole, wordy)):
        (top, left), (bottom, right) = part.min(axis=0), part.max(axis=0) + 1
        width, height = (right - left) / cols, (bottom - top) / rows
        drawn = np.count_nonzero(~wordy[part[:, 0], part[:, 1]])
        around = 2 * (right - left + bottom - top)
        if min(width, height) < LEAST_SIDE or not least <= width * height <= MOST:
            continue
        if drawn < min(0.15 * (right - left) * (bottom - top), 0.6 * around):
            continue
        if not frames and _framed(part, wordy) and _drawn_inside(part, wordy) <= SIGN:
            continue
        found.append((float(left * unit), float(top * unit), float(right * unit), float(bottom * unit)))
    found.sort(key=lambda b: (b[0] - b[2]) * (b[3] - b[1]))
    kept: list[Box4] = []
    for box in found:
        if not any(share(box, other) > 0.8 for other in kept):
            kept.append(box)
    return kept


def _parted(part: Cells, wordy: NDArray[np.bool_]) -> list[Cells]:
    """Return what paragraphs part in a component, without these, if a frame around text is among it; else it whole.

    So a box of a note, narrower than the text around it, is not joined with this where their lines touch.
    """
    rows = part[:, 0] - part[:, 0].min()
    marks = np.bincount(rows)
    drawn = np.bincount(rows[~wordy[part[:, 0], part[:, 1]]], minlength=len(marks)) > 0
    prose = marks >= PROSE * (np.ptp(part[:, 1]) + 1)
    cut = np.zeros(len(marks), bool)
    for run in np.split(np.arange(len(marks)), np.flatnonzero(np.diff(drawn)) + 1):
        cut[run] = not drawn[run[0]] and np.count_nonzero(prose[run]) >= PARAGRAPH
    kept = np.flatnonzero(~cut)
    parts = [part[np.isin(rows, own)] for own in np.split(kept, np.flatnonzero(np.diff(kept) > 1) + 1) if len(own)]
    return parts if cut.any() and any(_framed(each, wordy) for each in parts) else [part]


def _framed(part: Cells, wordy: NDArray[np.bool_]) -> bool:
    """Return whether a component is a frame around text: rows as wide as it at both ends, and both sides drawn."""
    drawn = part[~wordy[part[:, 0], part[:, 1]]]
    (top, left), (bottom, right) = part.min(axis=0), part.max(axis=0)
    rules = min(np.count_nonzero(part[:, 0] == row) for row in (top, bottom)) >= FRAMED * (right - left + 1)
    sides = min(np.count_nonzero(drawn[:, 1] == edge) for edge in (left, right)) >= SIDES * (bottom - top + 1)
    return bool(rules and sides and bottom - top > 2 and len(part) - len(drawn) > TEXT * len(part))


def _drawn_inside(part: Cells, wordy: NDArray[np.bool_]) -> float:
    """Return the share of a component's box that is drawn within its frame."""
    drawn, (first, last) = part[~wordy[part[:, 0], part[:, 1]]], (part.min(axis=0), part.max(axis=0))
    inside = np.count_nonzero(((drawn > first + 1) & (drawn < last - 1)).all(axis=1))
    return float(inside / np.prod(last - first + 1))


def _within_frame(part: Cells, wordy: NDArray[np.bool_]) -> Cells:
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
    return held if prose and alone and said > TEXT * len(held) else part


def share(inner: Box4, outer: Box4) -> float:
    """Return the share of `inner` that `outer` covers, 0 to 1."""
    w = min(inner[2], outer[2]) - max(inner[0], outer[0])
    h = min(inner[3], outer[3]) - max(inner[1], outer[1])
    return max(w, 0.0) * max(h, 0.0) / ((inner[2] - inner[0]) * (inner[3] - inner[1]))


def _components(marked: NDArray[np.bool_]) -> list[Cells]:
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
