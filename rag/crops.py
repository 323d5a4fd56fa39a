"""Crop elements from their rendered pages, for judges, for extraction and for models that write."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING

from indexing import BBox, Collection, Element, crop

if TYPE_CHECKING:
    from PIL import Image

MARGIN = 6
"""The margin, in pixels, around an element that is cut out: its outermost letters touch its box."""
LEAST_SIDE = 48
"""The least pixels a side to which a cut-out is grown; models refuse slivers."""
_MOST_KEPT = 8
"""The number of drawn pages that are kept: elements of one page come one after another."""


class Crops:
    """The cutter of elements of one collection. Safe to use from several threads, which take turns at drawing."""

    def __init__(self, collection: Collection, page_width: int, side: int) -> None:
        """Keep the sizes: pages are drawn `page_width` pixels wide; the longer side of a picture has at most `side`."""
        self._collection = collection
        self._page_width = page_width
        self._side = side
        self._pages: OrderedDict[tuple[str, int], Image.Image] = OrderedDict()
        self._lock = threading.Lock()

    def __call__(self, element: Element, around: float = 0.0) -> Image.Image:
        """Return the picture of an element, in RGB, with so much `around` it, as a share of the page.

        Raises IndexingError where its page cannot be drawn.
        """
        x0, y0, x1, y1 = element.bbox.as_tuple()
        box = BBox(max(0.0, x0 - around), max(0.0, y0 - around), min(1.0, x1 + around), min(1.0, y1 + around))
        return crop_box(self.page(element.doc_id, element.page), box, self._side)

    def page(self, doc_id: str, number: int) -> Image.Image:
        """Return the whole page, in RGB. Raises IndexingError where it cannot be drawn."""
        place = doc_id, number
        with self._lock:
            if place not in self._pages:
                self._pages[place] = self._collection.draw_page(*place, width=self._page_width)
                if len(self._pages) > _MOST_KEPT:
                    self._pages.popitem(last=False)
            self._pages.move_to_end(place)
            return self._pages[place]


def crop_box(page: Image.Image, box: BBox, side: int) -> Image.Image:
    """Return the part of a rendered page in `box`, with a margin; its longer side has at most `side` pixels."""
    return shrink(crop(page, box, MARGIN, LEAST_SIDE, round), side)


def shrink(image: Image.Image, side: int) -> Image.Image:
    """Return the image, scaled down if its longer side has more than `side` pixels."""
    scale = side / max(image.size)
    if scale >= 1:
        return image
    return image.resize((max(1, round(image.width * scale)), max(1, round(image.height * scale))))
