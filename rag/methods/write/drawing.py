"""Annotate a page image for a model: a frame around every element, with its label beside it.

A label covers no words: it is at a blank place beside its frame, or in an added margin with a line to its frame.
Neighbours differ in colour.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from rag.crops import shrink
from rag.types import Evidence

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from PIL import Image, ImageDraw, ImageFont

COLOURS = ((20, 60, 200), (190, 30, 45), (0, 110, 70), (130, 40, 150), (165, 85, 0))
PAPER = (255, 255, 255)
FRAME = 3
"""The gap, in pixels, between an element and its frame, which strikes no letter through."""
EVEN = 24
"""The most that the pixels of a blank place differ in brightness, of 255."""

Rectangle = tuple[int, int, int, int]
"""The left, top, right and bottom of an area, in pixels of the picture."""


def labelled_page(page: Image.Image, pieces: Sequence[Evidence], side: int) -> Image.Image:
    """Return a rendered page in RGB with a margin at its left and right; its longer side has at most `side` pixels.

    Each item of evidence has a frame with its label beside it.
    """
    from PIL import Image, ImageDraw, ImageFont

    picture = shrink(page.convert("RGB"), side)
    font = ImageFont.load_default(max(13, round(max(picture.size) / 85)))
    margin = round(font.getlength("E000")) + 10
    image = Image.new("RGB", (picture.width + 2 * margin, picture.height), PAPER)
    image.paste(picture, (margin, 0))
    grey = np.asarray(image.convert("L"), np.int16)
    pen = ImageDraw.Draw(image)
    frames = [_frame(piece, picture.size, margin) for piece in pieces]
    for n, frame in enumerate(frames):
        pen.rectangle(frame, outline=COLOURS[n % len(COLOURS)], width=max(1, picture.width // 700))
    label_boxes: list[Rectangle] = []
    for n, (piece, frame) in enumerate(zip(pieces, frames, strict=True)):
        _label(pen, font, piece.label, frame, COLOURS[n % len(COLOURS)], grey, label_boxes, margin)
    return image


def _frame(piece: Evidence, size: tuple[int, int], margin: int) -> Rectangle:
    x0, y0, x1, y1 = piece.element.bbox.to_page(*size)
    left, top, right, bottom = x0 - FRAME + margin, y0 - FRAME, x1 + FRAME + margin, y1 + FRAME
    return round(left), max(0, round(top)), round(right), min(size[1] - 1, round(bottom))


def _label(
    pen: ImageDraw.ImageDraw,
    font: ImageFont.FreeTypeFont | ImageFont.ImageFont,
    label: str,
    frame: Rectangle,
    colour: tuple[int, int, int],
    grey: NDArray[np.int16],
    label_boxes: list[Rectangle],
    margin: int,
) -> None:
    """Draw a label at the first place beside its frame that is blank and free, else in the nearer margin."""
    x0, y0, x1, y1 = pen.textbbox((0, 0), label, font=font)
    width, height = round(x1 - x0) + 6, round(y1 - y0) + 6
    place = next((p for p in _beside(frame, width, height) if _free(p, grey, label_boxes)), None)
    if place is None:
        place = _in_margin(frame, width, height, margin, grey.shape, label_boxes)
        middle = min((place[1] + place[3]) // 2, place[3] - 1)
        at_left = place[0] < margin
        ends = (place[2], frame[0]) if at_left else (frame[2], place[0])
        pen.line((ends[0], middle if at_left else frame[1], ends[1], frame[1] if at_left else middle), fill=colour)
    label_boxes.append(place)
    pen.rectangle((place[0], place[1], place[2] - 1, place[3] - 1), fill=colour)
    pen.text((place[0] + 3 - x0, place[1] + 3 - y0), label, fill=PAPER, font=font)


def _beside(frame: Rectangle, width: int, height: int) -> Iterator[Rectangle]:
    """Yield possible places for a label: left, above, right and below a frame, and in its corners."""
    left, top, right, bottom = frame
    for x, y in (
        (left - width - 1, top),
        (left, top - height - 1),
        (right + 2, top),
        (right - width, top - height - 1),
        (right - width - 1, bottom - height),
        (right - width - 1, top + 2),
        (left + 2, top + 2),
        (left - width - 1, bottom - height),
    ):
        yield x, y, x + width, y + height


def _free(place: Rectangle, grey: NDArray[np.int16], label_boxes: Sequence[Rectangle]) -> bool:
    """Return True if an area is inside the picture, blank, and without another label."""
    x0, y0, x1, y1 = place
    if x0 < 0 or y0 < 0 or x1 > grey.shape[1] or y1 > grey.shape[0] or _overlaps_any(place, label_boxes):
        return False
    spot = grey[y0:y1, x0:x1]
    return bool(spot.size) and int(spot.max()) - int(spot.min()) <= EVEN


def _in_margin(
    frame: Rectangle, width: int, height: int, margin: int, shape: tuple[int, ...], label_boxes: Sequence[Rectangle]
) -> Rectangle:
    """Return the place for a label in the margin that is nearer to its frame, as near to its top as there is room."""
    at_left = frame[0] - margin <= shape[1] - margin - frame[2]
    x = margin - width - 1 if at_left else shape[1] - margin + 1
    tops = sorted(range(0, max(1, shape[0] - height), max(1, height // 2)), key=lambda y: abs(y - frame[1]))
    free = (y for y in tops if not _overlaps_any((x, y, x + width, y + height), label_boxes))
    top = next(free, min(frame[1], shape[0] - height))
    return x, top, x + width, top + height


def _overlaps_any(place: Rectangle, label_boxes: Sequence[Rectangle]) -> bool:
    x0, y0, x1, y1 = place
    return any(x0 < right and x1 > left and y0 < bottom and y1 > top for left, top, right, bottom in label_boxes)
