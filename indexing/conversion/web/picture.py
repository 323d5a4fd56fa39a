"""The PDF of a web page: each slice a page with its picture, the words written invisibly over it, and its links."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pymupdf

from indexing.conversion.web.browser import PageSlice
from indexing.conversion.web.elements import POINTS
from indexing.conversion.web.told import Place, WebPage, around
from indexing.types import Element, ParsedPage

MOST_LINKS = 2000
"""The most links of a page of the PDF."""


def picture_pdf(page: WebPage, slices: Sequence[PageSlice], parsed: Sequence[ParsedPage], base: str) -> bytes:
    """Return the PDF of the slices of a page, `base` being its address; `parsed` are the same slices as elements."""
    document = pymupdf.open()
    try:
        font = pymupdf.Font("cjk")
        for drawn, read in zip(slices, parsed, strict=True):
            sheet = document.new_page(width=read.page.width, height=read.page.height)
            sheet.insert_image(sheet.rect, pixmap=_pixmap(drawn))
            _write(sheet, read.elements, font)
            for place, target in _links(page, drawn, base):
                sheet.insert_link({"kind": pymupdf.LINK_URI, "from": pymupdf.Rect(place), "uri": target})
        document.set_metadata({"title": page.said.get("title", "")[:300]})
        document.subset_fonts()
        made: bytes = document.tobytes(garbage=3, deflate=True)
        return made
    finally:
        document.close()


def _pixmap(drawn: PageSlice) -> pymupdf.Pixmap:
    image = np.ascontiguousarray(drawn.image)
    return pymupdf.Pixmap(pymupdf.csRGB, image.shape[1], image.shape[0], image.tobytes(), False)


def _write(sheet: pymupdf.Page, elements: Sequence[Element], font: pymupdf.Font) -> None:
    """Write each line of the elements in its place, as wide as it is there, in render mode 3 (invisible)."""
    writer = pymupdf.TextWriter(sheet.rect)
    written = False
    for element in elements:
        words = element.words
        for line in dict.fromkeys(words.lines.tolist()):
            own = np.flatnonzero(words.lines == line)
            start, end = int(words.spans[own, 0].min()), int(words.spans[own, 1].max())
            (x0, y0), (x1, y1) = words.boxes[own, :2].min(axis=0), words.boxes[own, 2:].max(axis=0)
            left, right = float(x0) * sheet.rect.width, float(x1) * sheet.rect.width
            high, bottom = float(y1 - y0) * sheet.rect.height, float(y1) * sheet.rect.height
            text = " ".join(element.text[start:end].split())
            wide = font.text_length(text, 1.0)
            if text and wide > 0 and right > left and high > 0:
                size = max(1.0, min(1.2 * high, (right - left) / wide))
                writer.append((left, bottom - 0.2 * high), text, font=font, fontsize=size)
                written = True
    if written:
        writer.write_text(sheet, render_mode=3)


def _links(page: WebPage, drawn: PageSlice, base: str) -> list[tuple[Place, str]]:
    """Return the links of a slice, as places in points of its page and addresses; those in the page itself are none."""
    words: dict[tuple[int, int], list[Place]] = {}
    line = 0
    for block in page.blocks:
        if block.place[3] > drawn.top and block.place[1] < drawn.bottom:
            for word in block.all_words:
                if word.link >= 0 and drawn.top <= word.place[1] < drawn.bottom:
                    known = words.get((word.link, line))
                    if known and abs(known[-1][1] - word.place[1]) > 2:
                        line += 1
                    words.setdefault((word.link, line), []).append(word.place)
    found = []
    for (link, _), places in words.items():
        target = resolved(page.links[link], base) if link < len(page.links) else ""
        place = around(places)
        if target and place and len(found) < MOST_LINKS:
            x0, y0, x1, y1 = place
            moved = (x0 * POINTS, (y0 - drawn.top) * POINTS, x1 * POINTS, (y1 - drawn.top) * POINTS)
            found.append((moved, target))
    return found


def resolved(link: str, base: str) -> str:
    """Return the address that a link leads to; "" for one that is none of the web or a mail, or leads into the page."""
    from urllib.parse import urljoin

    try:
        target = urljoin(base, link.strip())
    except ValueError:
        return ""
    if not target.isascii() or link.startswith("#") or len(target) > MOST_LINKS:
        return ""
    return target if target.startswith(("https://", "http://", "mailto:")) else ""
