"""Cut the part in a box out of a drawn page; the only place that converts a box to whole pixels."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from indexing.types import BBox

if TYPE_CHECKING:
    from PIL import Image


def crop(
    page: Image.Image,
    box: BBox,
    margin: float = 0.0,
    least: float = 0.0,
    end: Callable[[float], int] = math.ceil,
) -> Image.Image:
    """Cut `box` out of a drawn page, with `margin` pixels on every side, and more where a side would not reach `least`.

    A crop begins in the pixel that holds the box's edge; `end` says before which pixel it stops, given the other edge
    in pixels: the default takes every pixel that the box touches. Nothing beyond the page is taken.
    """
    left, top, right, bottom = box.to_page(page.width, page.height)
    x0, x1 = _grow_side(left, right, page.width, margin, least, end)
    y0, y1 = _grow_side(top, bottom, page.height, margin, least, end)
    return page.crop((x0, y0, x1, y1))


def _grow_side(
    low: float, high: float, most: int, margin: float, least: float, end: Callable[[float], int]
) -> tuple[int, int]:
    """Return the first pixel of a side of a box, and the one after its last, on a page of `most` pixels."""
    by = max(margin, (least - (high - low)) / 2)
    return max(0, int(low - by)), min(most, end(high + by))
