"""Pictures of elements, cut out of their drawn pages: what judging and extracting look at, and writing is shown."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING

from indexing import BBox, Collection, Element

if TYPE_CHECKING:
    from PIL import Image

MARGIN = 6
"""Pixels around an element that is cut out: its outermost letters touch its box."""
LEAST_SIDE = 48
"""A cut-out is grown to this many pixels a side at least; models refuse slivers."""
_KEPT = 8
"""Drawn pages that are kept: elements of one page come one after another."""


class Crops:
    """Cuts elements of one collection out. Safe to use from several threads, which take turns at drawing."""

    def __init__(self, collection: Collection, page_width: int, side: int) -> None:
        """Pages are drawn `page_width` pixels wide; the longer side of a picture has `side` pixels at most."""
        self._collection = collection
        self._page_width = page_width
        self._side = side
        self._pages: OrderedDict[tuple[str, int], Image.Image] = OrderedDict()
        self._lock = threading.Lock()

    def __call__(self, element: Element) -> Image.Image:
        """The picture of an element, in RGB. Raises IndexingError where its page cannot be drawn."""
        return cut_out(self.page(element.doc_id, element.page), element.bbox, self._side)

    def page(self, doc_id: str, number: int) -> Image.Image:
        """The whole page, in RGB. Raises IndexingError where it cannot be drawn."""
        place = doc_id, number
        with self._lock:
            if place not in self._pages:
                self._pages[place] = self._collection.draw_page(*place, width=self._page_width)
                if len(self._pages) > _KEPT:
                    self._pages.popitem(last=False)
            self._pages.move_to_end(place)
            return self._pages[place]


def cut_out(page: Image.Image, box: BBox, side: int) -> Image.Image:
    """The part of a drawn page in `box`, with a margin, its longer side `side` pixels at most."""
    left, top, right, bottom = box.to_page(page.width, page.height)
    x0, x1 = _grown(left, right, page.width)
    y0, y1 = _grown(top, bottom, page.height)
    return shrunk(page.crop((x0, y0, x1, y1)), side)


def shrunk(image: Image.Image, side: int) -> Image.Image:
    """The image, made smaller where its longer side has more than `side` pixels."""
    scale = side / max(image.size)
    if scale >= 1:
        return image
    return image.resize((max(1, round(image.width * scale)), max(1, round(image.height * scale))))


def _grown(low: float, high: float, most: int) -> tuple[int, int]:
    """A side of a box in pixels with its margin, LEAST_SIDE long at least, inside a page of `most` pixels."""
    missing = max(0.0, LEAST_SIDE - (high - low)) / 2
    by = max(MARGIN, missing)
    return max(0, int(low - by)), min(most, round(high + by))
