"""Images out of files: looked at before they are decoded, and made PNG or JPEG of a size that a page can hold."""

from __future__ import annotations

import io
from dataclasses import dataclass, field

from indexing import IndexingSettings

MOST_SIDE = 2400
"""The longer side, in pixels, of what is drawn."""
FORMATS = ("PNG", "JPEG", "GIF", "WEBP", "BMP", "TIFF")


@dataclass(frozen=True, slots=True)
class DrawablePicture:
    """An image that can be drawn: its size in pixels of the source, its bytes."""

    width: int
    height: int
    content: bytes = field(repr=False)


def drawable(content: bytes, settings: IndexingSettings) -> DrawablePicture | None:
    """Return an image as PNG, or as it is where it is a JPEG; None where it is none, or over the limit on pixels."""
    from PIL import Image

    Image.MAX_IMAGE_PIXELS = None
    try:
        with Image.open(io.BytesIO(content), formats=FORMATS) as image:
            width, height = image.size
            if width * height > settings.max_pixels or min(width, height) < 1:
                return None
            image.draft("RGB", (MOST_SIDE, MOST_SIDE))
            shown = image.convert("RGBA" if image.has_transparency_data else "RGB")
    except (OSError, SyntaxError, ValueError, EOFError, TypeError, MemoryError, OverflowError):
        return None
    shown.thumbnail((MOST_SIDE, MOST_SIDE))
    if shown.mode == "RGBA":
        ground = Image.new("RGBA", shown.size, "white")
        shown = Image.alpha_composite(ground, shown).convert("RGB")
    file = io.BytesIO()
    shown.save(file, "PNG")
    return DrawablePicture(width, height, file.getvalue())
