"""The images of pages for the browser: WebP, at a few widths, small enough to arrive at once; no Gradio."""

from __future__ import annotations

import io
import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING
from urllib.parse import quote

if TYPE_CHECKING:
    from PIL import Image

WIDTHS = (160, 640, 960, 1280, 1920, 2560, 3840)
"""The pixels across that a page may be asked for: the browser takes the one that is sharp at its zoom and density."""
MOST_BYTES = 300_000
"""The most bytes of an image of at most `LIGHT_WIDTH` pixels across: quality gives way, then detail, not the limit."""
LIGHT_WIDTH = 1920
"""The most pixels across that a browser takes at the default zoom: 800 of a wide window, on a screen of density 2."""
MOST_PIXELS = 24_000_000
_EFFORTS = ((1.0, 82), (1.0, 70), (1.0, 55), (1.0, 40), (1.0, 25), (0.5, 40), (0.25, 40), (0.125, 40))
"""The shares of the detail that is kept, with the quality: the first that is light enough is taken."""
_KEPT_BYTES = 96 * 1024 * 1024

Key = tuple[str, str, int, int]


class PageImages:
    """The drawer of pages, which remembers the latest ones. Every method may be called from any thread."""

    def __init__(self, draw: Callable[[str, str, int, int], Image.Image]) -> None:
        """Keep `draw`, which takes collection, document id, page and width; it raises IndexingError for
        missing ones.
        """
        self._draw = draw
        self._kept: OrderedDict[Key, bytes] = OrderedDict()
        self._bytes = 0
        self._lock = threading.Lock()

    def get(self, collection: str, doc_id: str, page: int, width: int) -> bytes:
        """Return the WebP of a page, `width` pixels across (one of WIDTHS; the next one for any other number)."""
        key = (collection, doc_id, page, nearest(width))
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        image = webp(self._draw(*key))
        with self._lock:
            if key not in self._kept:
                self._kept[key] = image
                self._bytes += len(image)
            while self._bytes > _KEPT_BYTES:
                self._bytes -= len(self._kept.popitem(last=False)[1])
        return image

    def forget(self, collection: str) -> None:
        """Let go of the pages of a collection: documents were removed from it, or it is gone."""
        with self._lock:
            for key in [k for k in self._kept if k[0] == collection]:
                self._bytes -= len(self._kept.pop(key))


def nearest(width: int) -> int:
    """Return the smallest of WIDTHS that is no less than `width`; the largest for a greater one."""
    return next((w for w in WIDTHS if w >= width), WIDTHS[-1])


def fitting(width: int, page_width: float, page_height: float) -> int:
    """Return `width`, or less for a page so long that its image would have more than MOST_PIXELS."""
    return max(1, min(width, int((MOST_PIXELS * page_width / page_height) ** 0.5)))


def webp(image: Image.Image) -> bytes:
    """Return the image as WebP; one of LIGHT_WIDTH or less gets as much quality as MOST_BYTES allow."""
    light = image.width <= LIGHT_WIDTH
    content = b""
    for detail, quality in _EFFORTS:
        less = image if detail == 1 else image.reduce(round(1 / detail)).resize(image.size)
        buffer = io.BytesIO()
        less.convert("RGB").save(buffer, format="WEBP", quality=quality, method=2)
        content = buffer.getvalue()
        if not light or len(content) <= MOST_BYTES:
            break
    return content


def address(collection: str, doc_id: str, page: int) -> str:
    """Return the address at which `ui.web.routes` serves a page, relative to Vouch's own page.

    A width is added to it as `?w=`.
    """
    return f"vouch/page/{quote(collection, safe='')}/{quote(doc_id, safe='')}/{page}.webp"


def srcset(src: str) -> str:
    """Return the `address` of a page at every width but that of a thumbnail, for the browser to choose from."""
    return ", ".join(f"{src}?w={width} {width}w" for width in WIDTHS[1:])
