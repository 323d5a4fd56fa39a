"""The image of a parsed page, and pieces of it, as models take them."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING

from indexing.types import BBox, ParsedPage

if TYPE_CHECKING:
    from PIL import Image

LONGEST = 50
"""Pages longer than this many times their width (or wider) are squeezed to it: models refuse them, at 200."""
LEAST_PIXELS = 28
"""Smaller crops, in pixels a side, show nothing; models take none below a patch."""


def image_of(page: ParsedPage) -> Image.Image:
    """The displayed page in RGB."""
    from PIL import Image

    drawn = Image.open(BytesIO(page.image)).convert("RGB")
    width, height = drawn.size
    least = -(-max(width, height) // LONGEST)
    return drawn if min(width, height) >= least else drawn.resize((max(width, least), max(height, least)))


def crop_of(image: Image.Image, box: BBox) -> Image.Image | None:
    """What a box of the page shows; None when that is too small to show anything."""
    left, top, right, bottom = box.to_page(*image.size)
    crop = image.crop((int(left), int(top), -int(-right // 1), -int(-bottom // 1)))
    return crop if min(crop.size) >= LEAST_PIXELS else None
