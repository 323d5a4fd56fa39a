"""Pictures of elements, cut out of their drawn pages: what judging and extracting look at."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING

from indexing import Collection, Element
from rag.exhibits import cut_out

if TYPE_CHECKING:
    from PIL import Image

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
