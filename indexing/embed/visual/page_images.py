"""The image of a parsed page, and crops of it, as input for models."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING

from indexing.crops import crop
from indexing.types import BBox, ParsedPage

if TYPE_CHECKING:
    from PIL import Image

LONGEST = 50
"""The longest ratio of a page's sides; longer pages are squeezed to it: models refuse them, at 200."""
LEAST_PIXELS = 28
"""The least side of a crop in pixels: smaller ones show nothing; models take none below a patch."""


def image_of(page: ParsedPage) -> Image.Image:
    """Return the displayed page in RGB, its shorter side stretched if the longer is over LONGEST times as long."""
    from PIL import Image

    image = Image.open(BytesIO(page.image)).convert("RGB")
    width, height = image.size
    least = -(-max(width, height) // LONGEST)
    return image if min(width, height) >= least else image.resize((max(width, least), max(height, least)))


def crop_of(image: Image.Image, box: BBox) -> Image.Image | None:
    """Return the crop of a box of the page; None if a side is shorter than LEAST_PIXELS."""
    region = crop(image, box)
    return region if min(region.size) >= LEAST_PIXELS else None
