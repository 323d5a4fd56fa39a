"""Crops of VISA's page images (Ma et al. 2024, section 4): windows of one size, of which one holds the box.

A window is (x0, y0, x1, y1) in whole pixels of its image. All images of a question are cut to one size, so that no size
tells which of them answers.
"""

from __future__ import annotations

import random

from indexing import BBox

MARGIN = 0.02
"""The share of the page that is left around a box where a page is cropped."""

Window = tuple[int, int, int, int]
Size = tuple[int, int]
"""The width and height in pixels."""


def around(box: BBox, size: Size, dice: random.Random) -> Window:
    """Draw a window on an image of this size that holds the box with a margin."""
    low_x, low_y = dice.uniform(0, max(0.0, box.x0 - MARGIN)), dice.uniform(0, max(0.0, box.y0 - MARGIN))
    high_x, high_y = dice.uniform(min(1.0, box.x1 + MARGIN), 1), dice.uniform(min(1.0, box.y1 + MARGIN), 1)
    width, height = size
    return int(low_x * width), int(low_y * height), -int(-high_x * width // 1), -int(-high_y * height // 1)


def elsewhere(window: Size, size: Size, dice: random.Random) -> Window:
    """Draw the place of a window of one size on an image of another; where it is larger, it begins at the top left."""
    (width, height), (whole_width, whole_height) = window, size
    x, y = dice.randint(0, max(0, whole_width - width)), dice.randint(0, max(0, whole_height - height))
    return x, y, x + width, y + height


def moved(box: BBox, size: Size, window: Window) -> BBox | None:
    """Return a box of an image of this size in fractions of a window on it; None where too little of it is inside."""
    x0, y0, x1, y1 = box.to_page(*size)
    left, top, right, bottom = window
    return BBox.from_page(x0 - left, y0 - top, x1 - left, y1 - top, right - left, bottom - top)
