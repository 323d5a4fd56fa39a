"""Draw the evidence on a page image: pale boxes for elements, strong ones for lines and cells, and numbers.

Dashed boxes are for context (header cells of a table, the caption of a picture), and grey ones for unconfirmed places.
A place that contradicts a sentence is red. A number has the colour of its box, and is placed beside the text and the
other numbers.

The module is pure apart from `save_overlays`: it takes an image and citations, and returns a new image.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from PIL import Image, ImageDraw, ImageFont, ImageStat

from configs import CONTRADICTION, PROOF, UNCONFIRMED
from ui.show.sanitize import safe_name
from ui.show.wording import Numbered, cited_pages

if TYPE_CHECKING:
    from indexing import BBox, Collection
    from rag import Answer, Citation

ROLE_COLOURS = {"proves": PROOF.rgb, "unconfirmed": UNCONFIRMED.rgb, "contradicts": CONTRADICTION.rgb}
WHITE = (255, 255, 255)
Colour = tuple[int, int, int]
Rect = tuple[int, int, int, int]
# Opacity of fill and outline, 0 to 255.
_ELEMENT = (24, 140)
_LINE = (52, 170)
_CONTEXT = 150


@dataclass(frozen=True, slots=True)
class Badge:
    """A citation's number and its rectangle in pixels of the page image: left, top, right, bottom."""

    number: int
    rect: Rect
    colour: Colour


def draw_overlay(page_image: Image.Image, items: Sequence[Numbered]) -> Image.Image:
    """Return a copy of `page_image` (the displayed page, any mode) with the boxes and numbers of `items`.

    Boxes are fractions of the page, so the image can have any width. All citations must be on this page.
    """
    page = page_image.convert("RGBA")
    if not items:
        return page.convert("RGB")
    stroke = max(1, round(page.width / 700))
    proven_boxes = {box for _, c in items if c.role == "proves" for box in (c.bbox, *c.boxes)}
    for role, colour in ROLE_COLOURS.items():
        citations = [citation for _, citation in items if citation.role == role]
        elements = dict.fromkeys(citation.bbox for citation in citations)
        lines = dict.fromkeys(box for citation in citations for box in citation.boxes)
        if role == "unconfirmed":
            uncertain = [box for box in elements | lines if box not in proven_boxes]
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
    """Return a layer of `size` with translucent boxes: `opacity` of fill and outline, 0 to 255; `stroke` in pixels.

    The fill covers the box exactly; the outline is outside it, where it covers no letters. The halo, a faint light line
    around the outline, keeps it visible on dark slides.
    """
    layer = Image.new("RGBA", size, (*colour, 0))
    pen = ImageDraw.Draw(layer)
    for box in boxes:
        left, top, right, bottom = pixels(box, size)
        if halo:
            pen.rectangle(_grow((left, top, right, bottom), 2 * stroke), (*WHITE, opacity[1] // 2))
        pen.rectangle(_grow((left, top, right, bottom), stroke), (*colour, opacity[1]))
        pen.rectangle((left, top, right - 1, bottom - 1), (*colour, opacity[0]))
    return layer


def _draw_dashed(
    boxes: Iterable[BBox], size: tuple[int, int], stroke: int, colour: Colour, halo: bool = False
) -> Image.Image:
    """Return a layer of `size` with dashed outlines around boxes, without fill; `stroke` in pixels.

    With the halo the gaps are faintly light, which keeps the dashes visible on dark slides.
    """
    layer = Image.new("RGBA", size, (*colour, 0))
    pen = ImageDraw.Draw(layer)
    dash = 4 * stroke
    for box in boxes:
        left, top, right, bottom = _grow(pixels(box, size), stroke)
        if halo:
            pen.rectangle((left, top, right, bottom), outline=(*WHITE, _CONTEXT), width=stroke)
        for at in range(left, right + 1, 2 * dash):
            for y in (top, bottom):
                pen.line((at, y, min(at + dash, right), y), (*colour, _CONTEXT), stroke)
        for at in range(top, bottom + 1, 2 * dash):
            for x in (left, right):
                pen.line((x, at, x, min(at + dash, bottom)), (*colour, _CONTEXT), stroke)
    return layer


def _grow(box: Rect, by: int) -> Rect:
    """Return a box grown by `by` pixels on every side, with inclusive ends, as Pillow draws rectangles."""
    return (box[0] - by, box[1] - by, box[2] - 1 + by, box[3] - 1 + by)


def overlay_pages(answer: Answer, collection: Collection, width: int = 1400) -> Iterator[tuple[str, int, Image.Image]]:
    """Yield (document name, page, image with boxes) of each page that the answer cites; `width` in pixels."""
    for (doc_id, page), items in cited_pages(answer, others=False).items():
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


def badge_height(page_width: int) -> int:
    """Return the height of a badge in pixels: 1.7% of the page's width, at least 13."""
    return max(13, round(page_width * 0.017))


def place_badges(page: Image.Image, items: Sequence[tuple[int, Citation]], height: int) -> tuple[Badge, ...]:
    """Return a badge for each (number, citation): beside its first line (or its element), inside the page.

    The emptiest of the candidate positions is chosen; a badge covers an earlier one only if no position is free.
    """
    grey = page.convert("L")
    badges: list[Badge] = []
    for number, citation in items:
        box = pixels(citation.boxes[0] if citation.boxes else citation.bbox, grey.size)
        width = max(height, round(height * (0.62 + 0.5 * len(str(number)))))
        candidates: list[tuple[float, Rect]] = []
        for order, (left, top) in enumerate(_badge_positions(box, width, height)):
            rect = _moved_inside((left, top, left + width, top + height), grey.size)
            distance = abs(rect[0] - left) + abs(rect[1] - top)
            crowd = sum(_overlap(rect, badge.rect) for badge in badges)
            candidates.append((crowd * 100.0 + _ink(grey, rect) + distance * 4.0 + order * 2.0, rect))
        _, best = min(candidates, key=lambda candidate: candidate[0])
        badges.append(Badge(number, best, ROLE_COLOURS[citation.role]))
    return tuple(badges)


def pixels(box: BBox, size: tuple[int, int]) -> Rect:
    """Return the pixels that a box covers in an image of `size`, at least one each way; the ends are exclusive."""
    x0, y0, x1, y1 = (round(v) for v in box.to_page(*size))
    left, top = min(x0, size[0] - 1), min(y0, size[1] - 1)
    return (left, top, max(left + 1, x1), max(top + 1, y1))


def _badge_positions(box: Rect, width: int, height: int) -> Iterator[tuple[int, int]]:
    """Yield (left, top) of candidate positions of a badge of `width` x `height` around `box`, preferred ones first."""
    x0, y0, x1, y1 = box
    gap = max(2, height // 5)
    left, right, above = x0 - width - gap, x1 + gap, y0 - height - gap
    yield left, y0 + min(0, (y1 - y0 - height) // 2)
    yield x0, above
    yield left, above
    yield right, y0 + min(0, (y1 - y0 - height) // 2)
    yield x1 - width, above
    yield x0, y1 + gap
    for step in range(1, 4):
        yield x0 + step * (width + gap), above
        yield left, y0 + step * (height + gap)
        yield right, y0 + step * (height + gap)


def _moved_inside(rect: Rect, size: tuple[int, int]) -> Rect:
    """Return `rect` moved, not cut, into an image of `size`."""
    dx = max(0, -rect[0]) or min(0, size[0] - rect[2])
    dy = max(0, -rect[1]) or min(0, size[1] - rect[3])
    return (rect[0] + dx, rect[1] + dy, rect[2] + dx, rect[3] + dy)


def _overlap(a: Rect, b: Rect) -> int:
    """Return the area that two rectangles share, in pixels."""
    return max(0, min(a[2], b[2]) - max(a[0], b[0])) * max(0, min(a[3], b[3]) - max(a[1], b[1]))


def _ink(grey: Image.Image, rect: Rect) -> float:
    """Return how much is printed in `rect`: the standard deviation of its grey values, 0 on empty paper."""
    region = grey.crop(rect)
    return float(ImageStat.Stat(region).stddev[0]) if region.width and region.height else 0.0


@lru_cache(maxsize=8)
def _font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """Return Pillow's built-in font in a size in pixels."""
    return ImageFont.load_default(size)


def draw_badge(page: Image.Image, badge: Badge) -> None:
    """Draw a badge onto `page` (RGBA, changed in place); drawn in four times the size for smooth edges."""
    left, top, right, bottom = badge.rect
    size = (right - left, bottom - top)
    big = (size[0] * 4, size[1] * 4)
    sprite = Image.new("RGBA", big, (*WHITE, 0))
    pen = ImageDraw.Draw(sprite)
    rim = max(2, big[1] // 18)
    pen.rounded_rectangle((0, 0, big[0] - 1, big[1] - 1), big[1] // 4, fill=(*WHITE, 255))
    pen.rounded_rectangle((rim, rim, big[0] - 1 - rim, big[1] - 1 - rim), big[1] // 4 - rim, fill=(*badge.colour, 255))
    pen.text((big[0] / 2, big[1] / 2), str(badge.number), font=_font(round(big[1] * 0.72)), fill=WHITE, anchor="mm")
    page.alpha_composite(sprite.resize(size, Image.Resampling.LANCZOS), dest=(max(0, left), max(0, top)))
