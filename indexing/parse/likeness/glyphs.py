"""The glyphs of a page, with the places at which its text layer says that they stand."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pymupdf
from numpy.typing import NDArray

LEVEL = 0.9999
"""The least cosine between a line and the horizontal."""
NEAR = 20.0
"""How far around a box glyphs are taken, in points: what is cut by its edge is no glyph of its lines."""
_FLAGS = pymupdf.TEXT_MEDIABOX_CLIP | pymupdf.TEXT_PRESERVE_LIGATURES


@dataclass(frozen=True, slots=True)
class PageGlyphs:
    """The characters of a page that stand on level lines, without spaces.

    `places` (n, 6) has, of each, the left and the right edge, the baseline and the size of its font, then the upper and
    the lower edge of its box, in points of the page as displayed.
    """

    chars: tuple[str, ...]
    places: NDArray[np.float64]

    @classmethod
    def of(cls, page: pymupdf.Page, around: tuple[float, float, float, float] | None = None) -> PageGlyphs:
        """Take the glyphs of a page, or those in and near a box (points) of it; none of one that is rotated."""
        chars: list[str] = []
        places: list[tuple[float, ...]] = []
        clip = pymupdf.Rect(*around) if around else None
        clip = clip and pymupdf.Rect(clip.x0 - NEAR, clip.y0 - NEAR, clip.x1 + NEAR, clip.y1 + NEAR)
        blocks = [] if page.rotation else page.get_text("rawdict", flags=_FLAGS, clip=clip)["blocks"]
        for line in (line for block in blocks for line in block.get("lines", ()) if line["dir"][0] > LEVEL):
            for span in line["spans"]:
                for char in span["chars"]:
                    if not char["c"].isspace():
                        x0, y0, x1, y1 = char["bbox"]
                        chars.append(char["c"])
                        places.append((x0, x1, char["origin"][1], span["size"], y0, y1))
        return cls(tuple(chars), np.array(places, np.float64).reshape(-1, 6))

    def within(self, box: tuple[float, float, float, float]) -> list[int]:
        """Return the places, in the order of the text, of the glyphs whose middle is in a box (points)."""
        x0, y0, x1, y1 = box
        x = self.places[:, 0] + self.places[:, 1]
        y = self.places[:, 4] + self.places[:, 5]
        return np.flatnonzero((2 * x0 <= x) & (x <= 2 * x1) & (2 * y0 <= y) & (y <= 2 * y1)).tolist()
