"""An image file -> its caption, and the element for the complete picture.

A page of an image file is one picture. What OCR reads on it becomes elements of its own; the picture is one more, which
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
"""The most characters of an image's name, and of the description in its file, that are in its caption."""
_DESCRIPTION = 0x010E
"""The tag of EXIF and TIFF that describes an image in words; PNG has a text chunk of the name "Description" too."""


def image_caption(path: Path) -> str | None:
    """Return a caption for an image file: its name in words, and the description in it; None for other files.

    Both are untrusted: cut to a length, and without control characters.

    >>> image_caption(Path("quarterly-sales_chart.png"))
    'quarterly sales chart'
    """
    if not path.name.lower().endswith(IMAGE_SUFFIXES):
        return None
    name = re.sub(r"[\W_]+", " ", path.stem)[:NAME_CHARS].strip()
    words = (clean(word) for word in _description(path)[: 4 * DESCRIPTION_CHARS].split())
    return ". ".join(filter(None, (name, " ".join(filter(None, words))[:DESCRIPTION_CHARS].strip())))


def whole_image(page: Page, caption: str) -> Element:
    """Return the element for the picture that fills the page of an image file."""
    return Element(
        f"{page.doc_id}-{page.number}-image", page.doc_id, page.number, "picture", "", PAGE, "file", caption=caption
    )


def _description(path: Path) -> str:
    """Return the description in an image file; "" without one that can be read."""
    from PIL import Image

    try:
        with Image.open(path) as image:
            text = image.info.get("Description") or image.getexif().get(_DESCRIPTION)
    except (OSError, SyntaxError, ValueError, EOFError, TypeError, KeyError, struct.error):  # all that Pillow raises
        return ""
    return text if isinstance(text, str) else ""
