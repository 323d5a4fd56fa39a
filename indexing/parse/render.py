"""A page -> its pixels, for embedders that look at them."""

from __future__ import annotations

import pymupdf


def page_png(page: pymupdf.Page, longer_side: int) -> bytes:
    """Draw the displayed page as PNG in RGB, its longer side `longer_side` pixels."""
    zoom = longer_side / max(page.rect.width, page.rect.height)
    pixels = page.get_pixmap(matrix=pymupdf.Matrix(zoom, zoom), colorspace=pymupdf.csRGB, alpha=False)
    png: bytes = pixels.tobytes("png")
    return png
