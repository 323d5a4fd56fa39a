"""Draw the evidence on a page image: pale boxes for elements, strong ones for lines and cells, and numbers.

Dashed boxes are for what explains these (header cells of a table, the caption of a picture), and grey ones for places
that nobody could confirm. A place that contradicts a sentence is red. A number has the colour of its box.

The module is pure apart from `save_overlays`: an image and citations in, a new image out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PIL import Image, ImageDraw

from ui.show.badges import ROLE_COLOURS, WHITE, Colour, Rect, badge_height, draw_badge, pixels, place_badges
from ui.show.citations import Numbered, cited_pages
from ui.show.sanitize import safe_name

if TYPE_CHECKING:
    from indexing import BBox, Collection
    from rag import Answer

# Opacity of fill and outline, 0 to 255.
_ELEMENT = (24, 140)
_LINE = (52, 170)
_CONTEXT = 150


def draw_overlay(page_image: Image.Image, items: Sequence[Numbered]) -> Image.Image:
    """Draw each (number, citation) on a copy of `page_image` (the displayed page, any mode).

    Boxes are fractions of the page, so the image can have any width. All citations must be on this page.
    """
    page = page_image.convert("RGBA")
    if not items:
        return page.convert("RGB")
    stroke = max(1, round(page.width / 700))
    proven = {box for _, c in items if c.role == "proves" for box in (c.bbox, *c.boxes)}
    for role, colour in ROLE_COLOURS.items():
        citations = [citation for _, citation in items if citation.role == role]
        elements = dict.fromkeys(citation.bbox for citation in citations)
        lines = dict.fromkeys(box for citation in citations for box in citation.boxes)
        if role == "unconfirmed":
            uncertain = [box for box in elements | lines if box not in proven]
            page.alpha_composite(_draw_dashed(uncertain, page.size, 2 * stroke, colour, halo=True))
            continue
        page.alpha_composite(_boxes(elements, page.size, _ELEMENT, stroke, colour, halo=True))
        page.alpha_composite(_boxes(lines, page.size, _LINE, stroke, colour))
        context = dict.fromkeys(box for citation in citations for box in citation.context if box not in lines)
        page.alpha_composite(_draw_dashed(context, page.size, stroke, colour))
    for badge in place_badges(page_image, items, badge_height(page.width)):
        draw_badge(page, badge)
    return page.convert("RGB")


def _boxes(
    boxes: Iterable[BBox],
    size: tuple[int, int],
    opacity: tuple[int, int],
    stroke: int,
    colour: Colour,
    halo: bool = False,
) -> Image.Image:
    """Draw a layer of `size` with translucent boxes: `opacity` of fill and outline, 0 to 255; `stroke` in pixels.

    The fill covers the box exactly; the outline is outside it, where it covers no letters. The halo, a faint light line
    around the outline, keeps it visible on dark slides.
    """
    layer = Image.new("RGBA", size, (*colour, 0))
    pen = ImageDraw.Draw(layer)
    for box in boxes:
        left, top, right, bottom = pixels(box, size)
        if halo:
            pen.rectangle(_grown((left, top, right, bottom), 2 * stroke), (*WHITE, opacity[1] // 2))
        pen.rectangle(_grown((left, top, right, bottom), stroke), (*colour, opacity[1]))
        pen.rectangle((left, top, right - 1, bottom - 1), (*colour, opacity[0]))
    return layer


def _draw_dashed(
    boxes: Iterable[BBox], size: tuple[int, int], stroke: int, colour: Colour, halo: bool = False
) -> Image.Image:
    """Draw a layer of `size` with dashed outlines around boxes that are no proof themselves, without fill.

    With the halo the gaps are faintly light, which keeps the dashes visible on dark slides.
    """
    layer = Image.new("RGBA", size, (*colour, 0))
    pen = ImageDraw.Draw(layer)
    dash = 4 * stroke
    for box in boxes:
        left, top, right, bottom = _grown(pixels(box, size), stroke)
        if halo:
            pen.rectangle((left, top, right, bottom), outline=(*WHITE, _CONTEXT), width=stroke)
        for at in range(left, right + 1, 2 * dash):
            for y in (top, bottom):
                pen.line((at, y, min(at + dash, right), y), (*colour, _CONTEXT), stroke)
        for at in range(top, bottom + 1, 2 * dash):
            for x in (left, right):
                pen.line((x, at, x, min(at + dash, bottom)), (*colour, _CONTEXT), stroke)
    return layer


def _grown(box: Rect, by: int) -> Rect:
    """Return the corners that Pillow draws (the last pixel included) for a box grown `by` pixels on every side."""
    return (box[0] - by, box[1] - by, box[2] - 1 + by, box[3] - 1 + by)


def overlay_pages(answer: Answer, collection: Collection, width: int = 1400) -> Iterator[tuple[str, int, Image.Image]]:
    """Yield (document name, page, marked page) for each page that the answer cites."""
    for (doc_id, page), items in cited_pages(answer).items():
        image = collection.draw_page(doc_id, page, width=width)
        yield items[0][1].document, page, draw_overlay(image, items)


def save_overlays(answer: Answer, collection: Collection, directory: str | Path) -> tuple[Path, ...]:
    """Write a PNG of each cited page to `directory`, `<n>-<document>-p<page>.png`; return the paths.

    The folder is created if it does not exist. Raises OSError if it cannot be written.
    """
    folder = Path(directory)
    folder.mkdir(parents=True, exist_ok=True)
    paths: list[Path] = []
    for number, (document, page, image) in enumerate(overlay_pages(answer, collection), 1):
        path = folder / f"{number}-{safe_name(document)}-p{page}.png"
        image.save(path, format="PNG", optimize=False)
        paths.append(path)
    return tuple(paths)
