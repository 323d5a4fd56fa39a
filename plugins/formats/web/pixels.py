"""The picture of a slice of a web page: which of its words stand out, where their ink is, and the picture as PNG.

Places are CSS pixels from the top left of the document; a picture has `SCALE` pixels for each.
"""

from __future__ import annotations

import io
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from plugins.formats.web.page_data import WebWord
from plugins.formats.web.slices import Slice

if TYPE_CHECKING:
    from PIL.Image import Image

SCALE = 1.5
"""The pixels of a picture for each CSS pixel."""
CONTRAST = 24
"""The least difference of two pixels in the place of a word, of 255 in one colour, that somebody can read it by."""
INSET = 0.15
"""The share of the height of a word with letters or digits, above and below, that is not looked at."""
BEARING = 0.3
"""The most room beside the ink of a word that is taken off its place, as a share of its height."""
AIR = 1.0
"""The CSS pixels that are left beside the ink of a word, within its place: a line around it strikes no letter."""


@dataclass(frozen=True, slots=True)
class PageSlice:
    """A slice of a drawn page: from `top` to `bottom` in CSS pixels, its picture as PNG, `SCALE` times as large.

    `unseen` are the numbers of its words that something lies over, or that do not stand out; `inked` where the ink of
    the others begins and ends, in CSS pixels from the left, by their numbers.
    """

    top: int
    bottom: int
    png: bytes = field(repr=False)
    unseen: frozenset[int] = field(repr=False)
    inked: Mapping[int, tuple[float, float]] = field(repr=False, default_factory=dict)

    def shown(self, words: Iterable[WebWord]) -> list[WebWord]:
        """Return the words that are on the slice and can be seen, each as wide as its ink."""
        return [
            replace(word, place=(x0, word.place[1], x1, word.place[3]))
            for word in words
            if word.number not in self.unseen and word.on(self.top, self.bottom)
            for x0, x1 in (self.inked.get(word.number, word.place[::2]),)
        ]


def page_slice(at: Slice, shot: Image, words: Iterable[WebWord], covered: Iterable[int]) -> PageSlice:
    """Return a slice with its picture; `covered` are the numbers of words that lie under others."""
    top, bottom = at
    file = io.BytesIO()
    shot.save(file, "PNG", compress_level=1)
    pixels = np.asarray(shot)
    hidden = frozenset(covered)
    seen = [w for w in words if w.number not in hidden]
    faint = {w.number for w in seen if contrast(pixels, w, top) < CONTRAST}
    grey = pixels.max(axis=2) // 2 + pixels.min(axis=2) // 2
    inked = {w.number: ink_of(grey, w, top) for w in seen if w.number not in faint}
    return PageSlice(top, bottom, file.getvalue(), hidden | faint, inked)


def contrast(pixels: NDArray[np.uint8], word: WebWord, top: int) -> int:
    """Return the largest difference, 0 to 255, of two pixels of a word in one colour; the picture begins at `top`."""
    x0, y0, x1, y1 = word.place
    inset = INSET * (y1 - y0) if any(map(str.isalnum, word.text)) else 0.0  # the line of a box is no letter
    rows = slice(_pixel(y0 + inset - top), _pixel(y1 - inset - top) + 1)
    columns = slice(_pixel(x0 + (inset > 0)), max(_pixel(x0) + 1, _pixel(x1 - (inset > 0))))
    inside = pixels[rows, columns].reshape(-1, 3)
    return int(np.ptp(inside, axis=0).max()) if inside.size else 0


def ink_of(grey: NDArray[np.uint8], word: WebWord, top: int) -> tuple[float, float]:
    """Return where the ink of a word begins and ends, in CSS pixels: its place without most of the room beside letters.

    `grey` (height, width) begins at `top`. At most `BEARING` of the height is taken off a side, so that nothing in a
    picture behind the words can move its box far.
    """
    x0, y0, x1, y1 = word.place
    left = _pixel(x0)
    region = grey[_pixel(y0 - top) : _pixel(y1 - top) + 1, left : math.ceil(x1 * SCALE)]
    if not region.size:
        return x0, x1
    ground = int(np.bincount(region.ravel(), minlength=256).argmax())
    lightest, darkest = region.max(axis=0).astype(np.int16), region.min(axis=0).astype(np.int16)
    away = np.maximum(lightest - ground, ground - darkest)
    columns = np.flatnonzero(away >= max(CONTRAST // 2, int(away.max()) // 3))
    if not len(columns):
        return x0, x1
    room = min(BEARING * (y1 - y0), (x1 - x0) / 3)
    first, last = (left + int(columns[0])) / SCALE - AIR, (left + int(columns[-1]) + 1) / SCALE + AIR
    return min(max(x0, first), x0 + room), max(min(x1, last), x1 - room)


def _pixel(length: float) -> int:
    return max(0, int(length * SCALE))
