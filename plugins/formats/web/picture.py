"""The PDF of a web page: each slice a page with its picture, the words written invisibly over it, and its links."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from urllib.parse import urljoin

import numpy as np
import pymupdf

from indexing import Element, ParsedPage
from plugins.formats.web.elements import POINTS
from plugins.formats.web.pixels import PageSlice
from plugins.formats.web.told import Place, WebPage, around

MOST_LINKS = 2000
"""The most links of a page of the PDF."""
_SPACES = {0: ("/DeviceGray", 1), 2: ("/DeviceRGB", 3)}
"""The colours of a PNG, and the colour space and the channels that they are in a PDF."""


def picture_pdf(page: WebPage, slices: Sequence[PageSlice], parsed: Sequence[ParsedPage], base: str) -> bytes:
    """Return the PDF of the slices of a page, `base` being its address; `parsed` are the same slices as elements."""
    document = pymupdf.open()
    try:
        font = pymupdf.Font("cjk")
        for drawn, read in zip(slices, parsed, strict=True):
            sheet = document.new_page(width=read.page.width, height=read.page.height)
            _insert(sheet, drawn.png)
            _write(sheet, read.elements, font)
            for place, target in _links(page, drawn, base):
                sheet.insert_link({"kind": pymupdf.LINK_URI, "from": pymupdf.Rect(place), "uri": target})
        document.set_metadata({"title": page.said.get("title", "")[:300]})
        document.subset_fonts()
        made: bytes = document.tobytes(garbage=3, deflate=True)
        return made
    finally:
        document.close()


def _insert(sheet: pymupdf.Page, png: bytes) -> None:
    """Put the picture of a slice onto its page. Its compressed pixels are taken as they are: PDF has PNG's filters."""
    width, height, depth, colour = struct.unpack(">IIBB", png[16:26])
    if depth != 8 or colour not in _SPACES or png[28]:
        sheet.insert_image(sheet.rect, stream=png)
        return
    document = sheet.parent
    xref = document.get_new_xref()
    space, channels = _SPACES[colour]
    size = f"/Width {width} /Height {height} /ColorSpace {space} /BitsPerComponent 8"
    document.update_object(xref, f"<</Type /XObject /Subtype /Image {size}>>")
    document.update_stream(xref, b"".join(_pixels(png)), new=True, compress=False)
    document.xref_set_key(xref, "Filter", "/FlateDecode")
    document.xref_set_key(
        xref, "DecodeParms", f"<</Predictor 15 /Colors {channels} /BitsPerComponent 8 /Columns {width}>>"
    )
    sheet.insert_image(sheet.rect, xref=xref)


def _pixels(png: bytes) -> Iterator[bytes]:
    """Yield the compressed pixels of a PNG, chunk by chunk."""
    at = 8
    while at + 8 <= len(png):
        length, kind = struct.unpack(">I4s", png[at : at + 8])
        if kind == b"IDAT":
            yield png[at + 8 : at + 8 + length]
        at += 12 + length


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
    found: list[tuple[Place, str]] = []
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
    try:
        target = urljoin(base, link.strip())
    except ValueError:
        return ""
    if not target.isascii() or link.startswith("#") or len(target) > MOST_LINKS:
        return ""
    return target if target.startswith(("https://", "http://", "mailto:")) else ""
