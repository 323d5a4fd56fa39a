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
    round_end: Callable[[float], int] = math.ceil,
) -> Image.Image:
    """Cut `box` out of a drawn page, with a margin that makes each side at least `least` pixels long.

    The margin has at least `margin` pixels on every side. The left and upper edges are rounded down to whole pixels,
    the others by `round_end`: by default a pixel that the box touches is in the crop. It ends at the page's edges.
    """
    left, top, right, bottom = box.to_page(page.width, page.height)
    x0, x1 = _grow_side(left, right, page.width, margin, least, round_end)
    y0, y1 = _grow_side(top, bottom, page.height, margin, least, round_end)
    return page.crop((x0, y0, x1, y1))


def _grow_side(
    start: float, stop: float, page_length: int, margin: float, least: float, round_end: Callable[[float], int]
) -> tuple[int, int]:
    """Return the first pixel of a crop along one axis and the one after its last; `start`, `stop` are the box's."""
    growth = max(margin, (least - (stop - start)) / 2)
    return max(0, int(start - growth)), min(page_length, round_end(stop + growth))
