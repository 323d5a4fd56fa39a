"""Evidence -> its views for a model: text, elements cut out of their pages, pages with their labels drawn in, or the
knowledge that was extracted beforehand.

A label that code writes before a cut-out cannot be forged by the content of a page. One that is drawn into a page could
have been painted there by the document's author, so cutting out is the default; checking follows either way.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from indexing import Element, IndexingError, Mode
from rag.crops import Crops, shrunk
from rag.settings import WritingSettings
from rag.types import Evidence, EvidenceView

if TYPE_CHECKING:
    from PIL import Image, ImageDraw, ImageFont

PLAIN = ("text", "heading", "list", "caption", "footnote", "header", "footer")
FRAME = 3
"""The gap, in pixels, between an element and its frame, which strikes no letter through."""
INK, PAPER = (20, 60, 200), (255, 255, 255)


def evidence_views(
    crops: Crops, evidence: Sequence[Evidence], mode: Mode, settings: WritingSettings
) -> tuple[tuple[EvidenceView, ...], tuple[str, ...]]:
    """Return the views, best first, and notes on pages that could not be drawn: their text is shown instead.

    Mode text shows text, image pictures, multi both. In multi plain text, whose picture adds nothing, is shown as text
    alone, unless the settings want all of it cut out or pages whole. A whole image is shown once, with the pieces of it
    that were found cut out beside it. Of what has knowledge that alone is shown, in any mode (MAVIS, 3.1), once where
    pieces of a page share it, as those of a figure do.
    """
    if known := _known(evidence):
        others, told = evidence_views(crops, [item for item in evidence if not item.knowledge], mode, settings)
        rank = {item.label: n for n, item in enumerate(evidence)}
        return tuple(sorted((*known, *others), key=lambda view: rank[view.evidence[0].label])), told
    if mode == "text":
        return tuple(EvidenceView((item,), None, text=True) for item in evidence), ()
    together: dict[object, list[Evidence]] = {}
    for item in evidence:
        place = (item.element.doc_id, item.element.page) if settings.pictures == "pages" else item.label
        together.setdefault(place, []).append(item)
    whole = {(item.element.doc_id, item.element.page) for item in evidence if item.element.whole_image}
    shown, notes = [], dict[str, None]()
    for items in together.values():
        image = None
        try:
            image = _picture(crops, items, mode, settings)
        except IndexingError as error:
            notes[f"page {items[0].element.page} of {items[0].document} was shown as text only: {error}"] = None
        first = items[0].element
        beside = settings.pictures == "crops" and (first.doc_id, first.page) in whole and not first.whole_image
        shown.append(EvidenceView(tuple(items), image, text=mode == "multi" or image is None, beside=beside))
    return tuple(shown), tuple(notes)


def _known(evidence: Sequence[Evidence]) -> list[EvidenceView]:
    """Return a view, without text and image, of each knowledge that there is."""
    together: dict[tuple[str, int, str], list[Evidence]] = {}
    for item in evidence:
        if item.knowledge:
            together.setdefault((item.element.doc_id, item.element.page, item.knowledge), []).append(item)
    return [EvidenceView(tuple(items), None, text=False) for items in together.values()]


def _picture(crops: Crops, items: Sequence[Evidence], mode: Mode, settings: WritingSettings) -> Image.Image | None:
    """Return the picture of pieces of evidence on one page; None where their text says it all. Raises IndexingError."""
    element = items[0].element
    if settings.pictures == "pages":
        return labelled(crops.page(element.doc_id, element.page), items, settings.picture_side)
    if mode == "multi" and settings.pictured == "drawn" and _plain(element):
        return None
    return crops(element)


def labelled(page: Image.Image, evidence: Sequence[Evidence], side: int) -> Image.Image:
    """Return a drawn page, its longer side `side` pixels at most, with a frame and a label for each element."""
    from PIL import ImageDraw, ImageFont

    image = shrunk(page, side).copy()
    pen = ImageDraw.Draw(image)
    font = ImageFont.load_default(max(12, image.width // 55))
    taken: list[tuple[float, float, float, float]] = []
    for item in evidence:
        x0, y0, x1, y1 = item.element.bbox.to_page(image.width, image.height)
        frame = (x0 - FRAME, y0 - FRAME, x1 + FRAME, y1 + FRAME)
        pen.rectangle(frame, outline=INK, width=max(1, image.width // 600))
        taken.append(_tag(pen, font, item.label, frame, taken, image.size))
    return image


def _plain(element: Element) -> bool:
    """Return True if an element is running text out of the file's own text layer."""
    return element.kind in PLAIN and element.source == "layer" and bool(element.text.strip())


def _tag(
    pen: ImageDraw.ImageDraw,
    font: ImageFont.FreeTypeFont | ImageFont.ImageFont,
    label: str,
    frame: tuple[float, float, float, float],
    taken: Sequence[tuple[float, float, float, float]],
    size: tuple[int, int],
) -> tuple[float, float, float, float]:
    """Draw a label left of its frame if there is room, else in its corner, below other tags; return its place."""
    x0, y0, x1, y1 = pen.textbbox((0, 0), label, font=font)
    width, height = x1 - x0 + 6, y1 - y0 + 6
    left = frame[0] - width - 2 if frame[0] - width - 2 >= 0 else frame[0]
    top = frame[1]
    while any(left < r and left + width > a and top < b and top + height > t for a, t, r, b in taken):
        top += height + 3
    top = min(top, size[1] - height)
    place = (left, top, left + width, top + height)
    pen.rectangle(place, fill=INK)
    pen.text((left + 3 - x0, top + 3 - y0), label, fill=PAPER, font=font)
    return place
