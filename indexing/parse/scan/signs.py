"""Minus signs by their pixels: OCR drops thin dashes, so it cannot tell -5 from 5, but a bar has a shape."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FAINT = 30
"""The least difference from the ground, of 255, that is ink."""
INK = 0.35
"""The share of the strongest difference from the ground from which a pixel is ink."""
FLAT = 0.3
"""The most height of a bar, as a share of that of a figure."""
LONG = 0.26
"""The least length of a bar, as a share of the height of a figure."""
MIDDLE = (0.2, 0.85)
"""The part of a figure's height, from its top, in which the middle of a bar stands."""
GAP = 0.4
"""The most space between a minus and its figure, as a share of the figure's: a list's dash stands further off."""
OVERHANG = 0.2
"""The share of the space before a figure into which what slants on either side of it may reach."""
NO_RULE = (0.1, 0.85)
"""The part of the height of a box of words in which no underline is."""


def begins_with_bar(image: NDArray[np.uint8], before: int = 0) -> bool:
    """Return True if the first ink of a drawn number (h, w, 3) is a bar, or what follows `before` other signs is."""
    ink = _ink(image)
    rows = np.flatnonzero(ink.any(1))
    if not len(rows):
        return False
    top, height = rows[0], rows[-1] + 1 - rows[0]
    return any(_is_bar(ink, start, top, height) for start, _ in _runs(ink)[: before + 1])


def bar_alone(image: NDArray[np.uint8], figure: NDArray[np.uint8]) -> bool:
    """Return True if the only ink left of a figure is a bar, near and as high as a minus stands; both (h, w, 3)."""
    ink, rows = _ink(image), np.flatnonzero(_ink(figure).any(1))
    width = ink.shape[1]
    over = OVERHANG * width
    runs = [(a, b) for a, b in _runs(ink) if (a > 0 or b > over) and (b < width or a < width - over)]
    if len(runs) != 1 or not len(rows):
        return False
    (start, end), height = runs[0], rows[-1] + 1 - rows[0]
    inside = start > 0 and width - GAP * height < end < width
    return inside and end - start < height and _is_bar(ink, start, rows[0], height)


def _is_bar(ink: NDArray[np.bool_], start: int, top: int, height: int) -> bool:
    """Return True if the ink from column `start` on is flat, and in the middle of a figure's height, for long enough.

    It may touch the figure behind it.
    """
    length = max(2, round(LONG * height))
    columns = ink[:, start : start + length]
    rows = np.flatnonzero(columns.any(1))
    if columns.shape[1] < length or not columns.any(0).all():
        return False
    middle = ((rows[0] + rows[-1] + 1) / 2 - top) / height
    return bool(rows[-1] + 1 - rows[0] <= FLAT * height and MIDDLE[0] <= middle <= MIDDLE[1])


def _runs(ink: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Return (start, end) of the runs of columns that have ink."""
    edges = np.flatnonzero(np.diff(np.concatenate(([0], ink.any(0).astype(np.int8), [0]))))
    return [(int(a), int(b)) for a, b in edges.reshape(-1, 2)]


def _ink(image: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Return the pixels (h, w) that stand out from the ground, without those where an underline would be."""
    grey = image.mean(2)
    away = np.abs(grey - np.median(grey))
    strongest = away.max(initial=0.0)
    ink: NDArray[np.bool_] = (away > INK * strongest) & (strongest >= FAINT)
    first, last = (round(share * len(ink)) for share in NO_RULE)
    ink[:first], ink[last:] = False, False
    return ink
