"""Pictures: reads the image files of a benchmark, which models are shown."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from evaluation.errors import Unshowable

if TYPE_CHECKING:
    from PIL import Image


def picture(path: Path) -> Image.Image:
    """Read the image in a file. Raises Unshowable."""
    from PIL import Image

    try:
        with Image.open(path) as image:
            return image.convert("RGB")
    except (OSError, SyntaxError, Image.DecompressionBombError) as error:
        raise Unshowable(f"{path.name} cannot be read as an image ({error})") from None
