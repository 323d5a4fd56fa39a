"""The PDF of a web page: each slice a page with its picture, the words written invisibly over it, and its links."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urljoin

import numpy as np
import pymupdf

from indexing import Element, ParsedPage
from plugins.formats.web.elements import POINTS
from plugins.formats.web.page_data import Place, WebPage, around
from plugins.formats.web.pixels import PageSlice

MOST_LINKS = 2000
"""The most links of a page of the PDF."""
MOST_ADDRESS = 2000
"""The most characters of the address of a link."""


def picture_pdf(page: WebPage, slices: Sequence[PageSlice], parsed: Sequence[ParsedPage], base: str) -> bytes:
    """Return the PDF of the slices of a page, `base` being its address; `parsed` are the same slices as elements."""
    with pymupdf.open() as document:
        font = pymupdf.Font("cjk")
        for drawn, read in zip(slices, parsed, strict=True):
            sheet = document.new_page(width=read.page.width, height=read.page.height)
            sheet.insert_image(sheet.rect, stream=drawn.png)
            _write(sheet, read.elements, font)
            for place, target in _links(page, drawn, base):
                sheet.insert_link({"kind": pymupdf.LINK_URI, "from": pymupdf.Rect(place), "uri": target})
        document.set_metadata({"title": page.about["title"][:300]})
        document.subset_fonts()
        content: bytes = document.tobytes(garbage=3, deflate=True)
        return content


def _write(sheet: pymupdf.Page, elements: Sequence[Element], font: pymupdf.Font) -> None:
    """Write each line of the elements in its place, as wide as it is there, in render mode 3 (invisible)."""
    writer = pymupdf.TextWriter(sheet.rect)
    page = np.array([sheet.rect.width, sheet.rect.height] * 2)
    for element in elements:
        words = element.words
        for line in dict.fromkeys(words.lines.tolist()):
            own = words.lines == line
            left, top = (words.boxes[own] * page)[:, :2].min(axis=0).tolist()
            right, bottom = (words.boxes[own] * page)[:, 2:].max(axis=0).tolist()
            spans = words.spans[own]
            text = " ".join(element.text[int(spans.min()) : int(spans.max())].split())
            width = font.text_length(text, 1.0)
            if text and width > 0 and right > left and bottom > top:
                size = max(1.0, min(1.2 * (bottom - top), (right - left) / width))
                writer.append((left, bottom - 0.2 * (bottom - top)), text, font=font, fontsize=size)
    if writer.text_rect:
        writer.write_text(sheet, render_mode=3)


def _links(page: WebPage, drawn: PageSlice, base: str) -> list[tuple[Place, str]]:
    """Return the links of a slice, as places in points of its page and addresses; those in the page itself are none."""
    lines: list[tuple[int, list[Place]]] = []
    for block in page.blocks:
        on_slice = block.place[1] < drawn.bottom and block.place[3] > drawn.top
        for word in block.all_words if on_slice else ():
            if word.link < 0 or not drawn.top <= word.place[1] < drawn.bottom:
                continue
            if lines and lines[-1][0] == word.link and abs(lines[-1][1][-1][1] - word.place[1]) <= 2:
                lines[-1][1].append(word.place)
            else:
                lines.append((word.link, [word.place]))
    links: list[tuple[Place, str]] = []
    for link, places in lines[:MOST_LINKS]:
        target = resolved(page.links[link], base) if link < len(page.links) else ""
        place = around(places)
        if target and place:
            x0, y0, x1, y1 = (value * POINTS for value in place)
            links.append(((x0, y0 - drawn.top * POINTS, x1, y1 - drawn.top * POINTS), target))
    return links


def resolved(link: str, base: str) -> str:
    """Return the address that a link leads to; "" for one that is none of the web or a mail, or leads into the page."""
    try:
        target = urljoin(base, link.strip())
    except ValueError:
        return ""
    if not target.isascii() or link.startswith("#") or len(target) > MOST_ADDRESS:
        return ""
    return target if target.startswith(("https://", "http://", "mailto:")) else ""
