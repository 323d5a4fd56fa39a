"""The number beside a box, its place and its drawing: in the margin, off the text, off the other numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from PIL import Image, ImageDraw, ImageFont, ImageStat

from configs import CONTRADICTION, PROOF, UNCONFIRMED

if TYPE_CHECKING:
    from indexing import BBox
    from rag import Citation

ROLE_COLOURS = {"proves": PROOF.rgb, "unconfirmed": UNCONFIRMED.rgb, "contradicts": CONTRADICTION.rgb}
WHITE = (255, 255, 255)
Colour = tuple[int, int, int]
Rect = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class Badge:
    """A number and the pixels of the page it covers: left, top, right, bottom."""

    number: int
    rect: Rect
    colour: Colour


def badge_height(page_width: int) -> int:
    """Return the height in pixels: 1.7% of the page's width, and never too small to read."""
    return max(13, round(page_width * 0.017))


def place_badges(page: Image.Image, items: Sequence[tuple[int, Citation]], height: int) -> tuple[Badge, ...]:
    """Place each number at a corner of its first line (or of its element), inside the page.

    The emptiest place around the corner is chosen; a number covers an earlier one only if no other place is free.
    """
    grey = page.convert("L")
    badges: list[Badge] = []
    for number, citation in items:
        anchor = citation.boxes[0] if citation.boxes else citation.bbox
        box = pixels(anchor, grey.size)
        width = _badge_width(number, height)
        rects = [badge.rect for badge in badges]
        best: tuple[float, Rect] | None = None
        for order, (left, top) in enumerate(_around(box, width, height)):
            rect = _inside((left, top, left + width, top + height), grey.size)
            distance = abs(rect[0] - left) + abs(rect[1] - top)
            crowd = sum(_overlap(rect, other) for other in rects)
            cost = crowd * 100.0 + _ink(grey, rect) + distance * 4.0 + order * 2.0
            if best is None or cost < best[0]:
                best = (cost, rect)
        assert best is not None  # noqa: S101 - _around always yields
        badges.append(Badge(number, best[1], ROLE_COLOURS[citation.role]))
    return tuple(badges)


def pixels(box: BBox, size: tuple[int, int]) -> Rect:
    """Return the pixels that a box covers in an image of `size`, at least one each way; the ends are exclusive."""
    x0, y0, x1, y1 = (round(v) for v in box.to_page(*size))
    left, top = min(x0, size[0] - 1), min(y0, size[1] - 1)
    return (left, top, max(left + 1, x1), max(top + 1, y1))


def _around(box: Rect, width: int, height: int) -> Iterator[tuple[int, int]]:
    """Yield left-top corners for a badge of `width` x `height` about `box`, the most natural first."""
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


def _inside(rect: Rect, size: tuple[int, int]) -> Rect:
    """Return `rect` moved, not cut, to lie within an image of `size` (as far as it fits)."""
    dx = max(0, -rect[0]) or min(0, size[0] - rect[2])
    dy = max(0, -rect[1]) or min(0, size[1] - rect[3])
    return (rect[0] + dx, rect[1] + dy, rect[2] + dx, rect[3] + dy)


def _overlap(a: Rect, b: Rect) -> int:
    """Return the pixels that two rectangles share."""
    return max(0, min(a[2], b[2]) - max(a[0], b[0])) * max(0, min(a[3], b[3]) - max(a[1], b[1]))


def _ink(grey: Image.Image, rect: Rect) -> float:
    """Return how much print lies under `rect`: the deviation of its grey values, 0 on empty paper."""
    region = grey.crop(rect)
    return float(ImageStat.Stat(region).stddev[0]) if region.width and region.height else 0.0


def _badge_width(number: int, height: int) -> int:
    """Return a width for the digits, never less than the height."""
    return max(height, round(height * (0.62 + 0.5 * len(str(number)))))


@lru_cache(maxsize=8)
def _font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """Load Pillow's own font: no file of the system is needed."""
    return ImageFont.load_default(size)


def draw_badge(page: Image.Image, badge: Badge) -> None:
    """Paint the number onto `page` (RGBA, changed in place), drawn four times as large for smooth edges."""
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
