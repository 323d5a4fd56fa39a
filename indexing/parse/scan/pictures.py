"""Page pixels -> the boxes of pictures, charts and framed panels; and an image file as one picture.

The layout model, the raster images and the pixels show parts of one chart, the ground under a title, and the image of a
scanned page behind its own text; `merged_figures` makes one box of each picture out of the three.

A page of an image file is one picture. What OCR reads on it becomes elements of its own; the picture is one more, which
has no text, so that no quote is boxed by the whole page. It is found by its caption, and by visual embedders as pixels.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pymupdf
from numpy.typing import NDArray

from indexing.parse.orientation import PAGE
from indexing.parse.scan.ocr import Box4
from indexing.parse.text import clean
from indexing.types import IMAGE_SUFFIXES, Element, Page

CELLS = 110
"""The number of cells along the longer side of the grid that is laid over a page."""
PIXELS = 8
"""The number of pixels along the side of a cell."""
CONTRAST = 40
"""The difference between brightest and darkest pixel (of 255) from which a cell holds something."""
LEAST_SIDE, MOST = 0.05, 0.85
"""The least side of a picture and the most area it covers, as shares of the page."""
DRAWN, OUTLINED = 0.15, 0.6
"""The least part of a picture that is drawn, not text: as a share of its area, or of the length of its outline."""
SIGN, TEXT = 1 / 30, 1 / 3
"""The most of a frame around text that signs in it cover, and the least of its marks that words are."""
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


def visual_regions(page: pymupdf.Page, text: Sequence[Box4], least: float, *, frames: bool = True) -> list[Box4]:
    """Return the boxes (points) of connected marks that cover at least `least` of the page and are not mostly text.

    `text` are the boxes of words. Without `frames`, boxes with only text and a small sign, as of a note, are left out.
    """
    zoom = CELLS * PIXELS / max(page.rect.width, page.rect.height)
    pixels = page.get_pixmap(matrix=pymupdf.Matrix(zoom, zoom), colorspace=pymupdf.csGRAY, alpha=False)
    rows, cols = pixels.height // PIXELS, pixels.width // PIXELS
    image = np.frombuffer(pixels.samples, np.uint8).reshape(pixels.height, pixels.width)
    cells = image[: rows * PIXELS, : cols * PIXELS].reshape(rows, PIXELS, cols, PIXELS)
    wordy = np.zeros((rows, cols), bool)
    unit = PIXELS / zoom
    for x0, y0, x1, y1 in text:
        wordy[int(max(y0, 0) / unit) : int(y1 / unit) + 1, int(max(x0, 0) / unit) : int(x1 / unit) + 1] = True
    boxes: list[Box4] = []
    for part in _components(np.ptp(cells, axis=(1, 3)) > CONTRAST):
        (top, left), (bottom, right) = part.min(axis=0), part.max(axis=0) + 1
        high, wide = bottom - top, right - left
        drawn_mask = ~wordy[part[:, 0], part[:, 1]]
        if min(wide / cols, high / rows) < LEAST_SIDE or not least <= wide * high / (cols * rows) <= MOST:
            continue
        if drawn_mask.sum() < min(DRAWN * wide * high, OUTLINED * 2 * (wide + high)):
            continue
        inner = drawn_mask[((part >= (top + 2, left + 2)) & (part < (bottom - 2, right - 2))).all(axis=1)]
        if not frames and inner.sum() <= SIGN * wide * high and (~inner).sum() > TEXT * len(inner):
            continue
        boxes.append((float(left * unit), float(top * unit), float(right * unit), float(bottom * unit)))
    boxes.sort(key=lambda b: (b[0] - b[2]) * (b[3] - b[1]))
    regions: list[Box4] = []
    for box in boxes:
        if not any(share(box, other) > 0.8 for other in regions):
            regions.append(box)
    return regions


def _components(mask: NDArray[np.bool_]) -> list[NDArray[np.int64]]:
    """Return the (n, 2) cells, row and column, of each set of marked cells that touch (corners count)."""
    remaining = {(int(r), int(c)) for r, c in np.argwhere(mask)}
    components = []
    while remaining:
        stack, part = [remaining.pop()], []
        while stack:
            row, col = stack.pop()
            part.append((row, col))
            near = {(row + r, col + c) for r in (-1, 0, 1) for c in (-1, 0, 1)} & remaining
            remaining -= near
            stack += near
        components.append(np.array(part))
    return components


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
    predictions: Sequence[Box4], rasters: Sequence[Box4], drawings: Sequence[Box4], text: Sequence[Box4]
) -> tuple[list[Box4 | None], list[Box4]]:
    """Return the boxes (points) of the model's pictures, enlarged to complete ones, and of the pictures that it missed.

    None stands for a picture of the model that is a part of another, or has no area. What `text` boxes cover is the
    ground of text, and no picture.
    """
    figures: list[Box4 | None] = [box if box[0] < box[2] and box[1] < box[3] else None for box in predictions]
    for n, box in enumerate(figures):
        if box is not None and any(m != n and other and _contains(other, box) for m, other in enumerate(figures)):
            figures[n] = None
    for box, most in [*((b, GROUND) for b in rasters), *((b, PANEL) for b in drawings)]:
        parts = [n for n, other in enumerate(figures) if other and share(other, box) > WITHIN]
        least = WITHIN if parts else HALF
        if _covered_share(box, text) >= most or any(share(box, other) > least for other in figures if other):
            continue
        if len(parts) > 1 and _covered_share(box, [other for n in parts if (other := figures[n])]) < FILLED:
            continue  # a panel of several, or a page of them
        for n in parts:
            figures[n] = None
        if parts:
            figures[parts[0]] = box
        else:
            figures.append(box)
    return figures[: len(predictions)], [box for box in figures[len(predictions) :] if box]


def is_decoration(page: pymupdf.Page, box: Box4) -> bool:
    """Return True for a picture without words that is a border, a rule, or of one colour."""
    wide, high = (box[2] - box[0]) / page.rect.width, (box[3] - box[1]) / page.rect.height
    if min(wide, high) < LINE or (min(wide, high) < THIN and max(wide, high) > LONG):
        return True
    return bool(page.get_pixmap(dpi=30, clip=pymupdf.Rect(box), alpha=False).is_unicolor)


def _contains(other: Box4, box: Box4) -> bool:
    """Return True if most of `box` is in `other`, which is no smaller, and not the same box."""
    return share(box, other) > WITHIN and share(other, box) <= share(box, other) and other != box


def _covered_share(box: Box4, others: Sequence[Box4]) -> float:
    """Return the share of a box that others cover, if they do not overlap one another much."""
    area = (box[2] - box[0]) * (box[3] - box[1])
    return sum(share(other, box) * (other[2] - other[0]) * (other[3] - other[1]) for other in others) / area


def share(inner: Box4, outer: Box4) -> float:
    """Return the share of `inner` that `outer` covers, 0 to 1."""
    w = min(inner[2], outer[2]) - max(inner[0], outer[0])
    h = min(inner[3], outer[3]) - max(inner[1], outer[1])
    return max(w, 0.0) * max(h, 0.0) / ((inner[2] - inner[0]) * (inner[3] - inner[1]))


NAME_CHARS, DESCRIPTION_CHARS = 80, 300
"""The most characters of an image's name, and of the description in its file, that are in its caption."""
_DESCRIPTION = 0x010E
"""The tag of EXIF and TIFF that describes an image in words; PNG has a text chunk of the name "Description" too."""


def image_caption(path: Path) -> str | None:
    """Return a caption for an image file: its name in words, and the description in it; None for other files.

    Both are untrusted: cut to a length, and without control characters.

    >>> image_caption(Path("quarterly-sales_chart.png"))
    'quarterly sales chart'
    """
    if not path.name.lower().endswith(IMAGE_SUFFIXES):
        return None
    name = re.sub(r"[\W_]+", " ", path.stem)[:NAME_CHARS].strip()
    words = (clean(word) for word in _description(path)[: 4 * DESCRIPTION_CHARS].split())
    return ". ".join(filter(None, (name, " ".join(filter(None, words))[:DESCRIPTION_CHARS].strip())))


def whole_image(page: Page, caption: str) -> Element:
    """Return the element for the picture that fills the page of an image file."""
    return Element(
        f"{page.doc_id}-{page.number}-image", page.doc_id, page.number, "picture", "", PAGE, "file", caption=caption
    )


def _description(path: Path) -> str:
    """Return the description in an image file; "" without one that can be read."""
    from PIL import Image

    try:
        with Image.open(path) as image:
            text = image.info.get("Description") or image.getexif().get(_DESCRIPTION)
    except (OSError, SyntaxError, ValueError, EOFError, TypeError, KeyError, struct.error):  # all that Pillow raises
        return ""
    return text if isinstance(text, str) else ""
