"""A page -> a copy for the layout model: an image of the page with words written invisibly on top.

The model groups words. A page image has none until they are recognised, and a page of a hundred thousand lines (a map)
takes it minutes; the copy of either is quick to lay out, in the same coordinates.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pymupdf

from indexing.parse.orientation import Frame
from indexing.parse.scan.ocr import Word, bounding_box, by_line
from indexing.parse.text import clean

MAX_PIXELS = 4096
"""The longer side, at most, of the image in pixels: pages can be 14,400 points."""


def ocr_layer_of(page: pymupdf.Page, words: Sequence[Word], turns: int = 0) -> Frame:
    """Return a copy of a page: its image with invisible `words` (points); `turns` lead from it to the displayed one."""
    copy = pymupdf.open()
    zoom = min(100 / 72, MAX_PIXELS / max(page.rect.width, page.rect.height))
    image = page.get_pixmap(matrix=pymupdf.Matrix(zoom, zoom), colorspace=pymupdf.csRGB, alpha=False)
    shadow = copy.new_page(width=page.rect.width, height=page.rect.height)
    shadow.insert_image(shadow.rect, pixmap=image)
    _write_invisible(shadow, words)
    return Frame(shadow, turns)


def is_blank(page: pymupdf.Page) -> bool:
    """Return True if the page shows a single colour."""
    samples = np.frombuffer(page.get_pixmap(dpi=36, colorspace=pymupdf.csGRAY, alpha=False).samples, np.uint8)
    return bool(samples.min() == samples.max())


def _write_invisible(page: pymupdf.Page, words: Sequence[Word]) -> None:
    """Write each line of words in its place, at the size that fills its width, in render mode 3 (invisible)."""
    font = pymupdf.Font("cjk")
    writer = pymupdf.TextWriter(page.rect)
    for line in by_line(words):
        text = " ".join(clean(w.text) for w in line).strip()
        x0, y0, x1, y1 = bounding_box(line)
        size = 0.8 * (y1 - y0)
        width = font.text_length(text, size)
        if not text or size < 1 or width <= 0:
            continue
        font_size = max(1.0, min(1.4 * size, size * (x1 - x0) / width))
        writer.append((x0, y1 - 0.2 * (y1 - y0)), text, font=font, fontsize=font_size)
    writer.write_text(page, render_mode=3)
