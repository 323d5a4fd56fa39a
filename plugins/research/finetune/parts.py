"""The parts of a conversation that is trained on: its texts, and the images of its pages."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plugins.research.errors import CannotTrain

if TYPE_CHECKING:
    from PIL import Image


def single_text(content: Any) -> str:
    """Return the one text of a message. Raises ValueError."""
    if isinstance(content, list) and len(content) == 1 and isinstance(content[0], Mapping):
        content = content[0].get("text")
    if not isinstance(content, str):
        raise ValueError("its reply is not a single text")  # noqa: TRY004
    return content


def opened(file: Path) -> Image.Image:
    """Open an image, decoded, in RGB. Raises CannotTrain."""
    from PIL import Image

    try:
        with Image.open(file) as image:
            return image.convert("RGB")
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        raise CannotTrain(f"the image {file} cannot be read ({error}): export it again") from None
