"""Crops are cut out of pages for embedders, models and exports, each with margins of its own."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from indexing import BBox, crop


def sheet() -> Image.Image:
    """A page no two pixels of which are of one colour: a crop tells where it was taken."""
    numbers = np.arange(200 * 200, dtype=np.uint32).reshape(200, 200)
    return Image.fromarray(np.stack([numbers >> 8, numbers & 255, numbers % 7], axis=2).astype(np.uint8), "RGB")


SHEET = sheet()
Rect = tuple[int, int, int, int]


@pytest.mark.parametrize(
    ("box", "sides"),
    [
        (BBox(0.5, 0.5, 0.75, 0.75), (100, 100, 150, 150)),  # whole pixels
        (BBox(0.501, 0.501, 0.749, 0.749), (100, 100, 150, 150)),  # parts of pixels are taken whole
        (BBox(0.0, 0.0, 1.0, 1.0), (0, 0, 200, 200)),
    ],
)
def test_every_pixel_that_a_box_touches_is_taken(box: BBox, sides: Rect) -> None:
    assert crop(SHEET, box).tobytes() == SHEET.crop(sides).tobytes()
    assert crop(SHEET, box, margin=5).size == (min(200, sides[2] - sides[0] + 10),) * 2
