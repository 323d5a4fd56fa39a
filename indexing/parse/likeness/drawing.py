"""A page, as displayed, of which lines are drawn."""

from __future__ import annotations

import numpy as np
import pymupdf
from numpy.typing import NDArray

from indexing.parse.likeness.crops import Ink, ink_of
from indexing.types import BBox

HEIGHT = 48
"""The height of a drawn line in pixels."""
ROOM = 0.15
"""The share of its height that is left around a line whose ink is looked at."""
MAX_PIXELS = 8_000_000
"""The most pixels of a drawing."""
Box = tuple[float, float, float, float]


class Drawing:
    """A page, as displayed, of which pieces are drawn."""

    def __init__(self, page: pymupdf.Page) -> None:
        self.page = page
        self._width, self._height = page.rect.width, page.rect.height
        self._list = page.get_displaylist()

    def points(self, box: BBox) -> Box:
        """Return a box in points of the page."""
        return box.to_page(self._width, self._height)

    def of(self, box: BBox, turns: int, pad: float = 0.0, height: int = HEIGHT) -> NDArray[np.uint8]:
        """Draw a line in a box (h, w, 3) in BGR, turned by `turns` quarters, so that it is `height` pixels high.

        Around it are left `pad` heights.
        """
        x0, y0, x1, y1 = self.points(box)
        height_of_line = max(min(x1 - x0, y1 - y0) if turns else y1 - y0, 0.1)
        drawn, _ = self._draw_box((x0, y0, x1, y1), height_of_line, pad, height)
        return np.ascontiguousarray(np.rot90(_pixels(drawn)[:, :, ::-1], turns))

    def ink(self, box: Box) -> Ink:
        """Return the ink of a line in a box (points), which is drawn `HEIGHT` pixels high with `ROOM` around it."""
        line_height = max(box[3] - box[1], 0.1)
        drawn, zoom = self._draw_box(box, line_height, ROOM, HEIGHT)
        return Ink(ink_of(_pixels(drawn)), zoom, drawn.x, drawn.y)

    def _draw_box(self, box: Box, own: float, pad: float, height: int) -> tuple[pymupdf.Pixmap, float]:
        """Draw a box and `pad` times `own` around it, `own` points as `height` pixels; return how many a point has."""
        x0, y0, x1, y1 = box
        clip = pymupdf.Rect(x0 - pad * own, y0 - pad * own, x1 + pad * own, y1 + pad * own)
        zoom = min(height / own, (MAX_PIXELS / (clip.width * clip.height)) ** 0.5)
        matrix = pymupdf.Matrix(zoom, zoom)
        return self._list.get_pixmap(matrix=matrix, colorspace=pymupdf.csRGB, clip=clip, alpha=False), zoom


def _pixels(drawn: pymupdf.Pixmap) -> NDArray[np.uint8]:
    return np.frombuffer(drawn.samples, np.uint8).reshape(drawn.height, drawn.width, 3)
