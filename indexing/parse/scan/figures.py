"""Figures: one box for each picture of a page, out of what the layout model, the raster images and the pixels show.

The three see parts of one chart, the ground under a title, and the image of a scanned page behind its own text.
"""

from __future__ import annotations

from collections.abc import Sequence

import pymupdf

from indexing.parse.scan.pictures import Box4, share

WITHIN, HALF = 0.8, 0.5
"""The share of a picture from which it lies in another, and from which it is no second one beside it."""
FILLED = 0.7
"""The share of a picture that pictures in it cover from which they are pieces of it."""
GROUND, PANEL = 0.25, 0.5
"""The share of a raster image, and of what is drawn, that text elements cover from which it is the ground of text."""
THIN, LONG = 0.05, 0.5
"""The short and the long side of a border or rule, as shares of the page."""
LINE = 0.015
"""The short side of what holds no more than a line, as a share of the page."""


def raster_images(page: pymupdf.Page, least: float, most: float) -> list[Box4]:
    """Return raster images (points) that cover `least` to `most` of the page, shares of it, none inside another."""
    rects = [pymupdf.Rect(image["bbox"]) & page.rect for image in page.get_image_info()]
    area = abs(page.rect)
    rects = [r for r in rects if not r.is_empty and least * area <= abs(r) <= most * area]
    boxes: list[pymupdf.Rect] = []
    for rect in sorted(rects, key=abs, reverse=True):
        if not any(abs(rect & other) > WITHIN * abs(rect) for other in boxes):
            boxes.append(rect)
    return [tuple(rect) for rect in boxes]


def merged_figures(
    found: Sequence[Box4], rasters: Sequence[Box4], drawn: Sequence[Box4], text: Sequence[Box4]
) -> tuple[list[Box4 | None], list[Box4]]:
    """Return the boxes (points) of the model's pictures, as large as they are, and those of the pictures it left out.

    None stands for a picture of the model that is a piece of another. What `text` boxes cover is its ground, and no
    picture.
    """
    figures: list[Box4 | None] = list(found)
    for n, box in enumerate(figures):
        if box is not None and any(m != n and other and _larger(other, box) for m, other in enumerate(figures)):
            figures[n] = None
    for box, most in [*((b, GROUND) for b in rasters), *((b, PANEL) for b in drawn)]:
        inside = [n for n, other in enumerate(figures) if other and share(other, box) > WITHIN]
        least = WITHIN if inside else HALF
        if _covered_share(box, text) >= most or any(share(box, other) > least for other in figures if other):
            continue
        if len(inside) > 1 and _covered_share(box, [other for n in inside if (other := figures[n])]) < FILLED:
            continue  # a panel of several, or a page of them
        for n in inside:
            figures[n] = None
        if inside:
            figures[inside[0]] = box
        else:
            figures.append(box)
    return figures[: len(found)], [box for box in figures[len(found) :] if box]


def is_decoration(page: pymupdf.Page, box: Box4) -> bool:
    """Return True for a picture without words that is a border, a rule, or of one colour."""
    wide, high = (box[2] - box[0]) / page.rect.width, (box[3] - box[1]) / page.rect.height
    if min(wide, high) < LINE or (min(wide, high) < THIN and max(wide, high) > LONG):
        return True
    return bool(page.get_pixmap(dpi=30, clip=pymupdf.Rect(box), alpha=False).is_unicolor)


def _larger(other: Box4, box: Box4) -> bool:
    """Return True if `box` lies in `other`; of two that lie in each other the later one does."""
    return share(box, other) > WITHIN and share(other, box) <= share(box, other) and other != box


def _covered_share(box: Box4, others: Sequence[Box4]) -> float:
    """Return the share of a box that others cover, which do not overlap much."""
    area = (box[2] - box[0]) * (box[3] - box[1])
    return sum(share(other, box) * (other[2] - other[0]) * (other[3] - other[1]) for other in others) / area
