"""An image file -> what it is called, and the element that is its picture whole.

A page of an image file is one picture. What OCR reads on it are elements of their own; the picture is one more, which
has no text, so that no quote is boxed by the whole page. It is found by its caption, and by visual embedders as pixels.
"""

from __future__ import annotations

import re
import struct
from pathlib import Path

from indexing.parse.orientation import PAGE
from indexing.parse.text import clean
from indexing.types import IMAGE_SUFFIXES, Element, Page

NAME_CHARS, DESCRIPTION_CHARS = 80, 300
"""The most characters of an image's name, and of the description in its file, that stand in its caption."""
_DESCRIPTION = 0x010E
"""The tag of EXIF and TIFF that describes an image in words; PNG has a text chunk of the name "Description" too."""


def image_caption(path: Path) -> str | None:
    """Return what an image file says of its picture: its name in words, and its description; None for other files.

    Both are somebody's words: bounded, and without control characters.

    >>> image_caption(Path("quarterly-sales_chart.png"))
    'quarterly sales chart'
    """
    if not path.name.lower().endswith(IMAGE_SUFFIXES):
        return None
    name = re.sub(r"[\W_]+", " ", path.stem)[:NAME_CHARS].strip()
    words = (clean(word) for word in _description(path)[: 4 * DESCRIPTION_CHARS].split())
    return ". ".join(filter(None, (name, " ".join(filter(None, words))[:DESCRIPTION_CHARS].strip())))


def whole_image(page: Page, caption: str) -> Element:
    """Return the picture that the page of an image file is."""
    return Element(
        f"{page.doc_id}-{page.number}-image", page.doc_id, page.number, "picture", "", PAGE, "file", caption=caption
    )


def _description(path: Path) -> str:
    """Return the description in an image file; empty without one that can be read."""
    from PIL import Image

    try:
        with Image.open(path) as image:
            text = image.info.get("Description") or image.getexif().get(_DESCRIPTION)
    except (OSError, SyntaxError, ValueError, EOFError, TypeError, KeyError, struct.error):  # all that Pillow raises
        return ""
    return text if isinstance(text, str) else ""
