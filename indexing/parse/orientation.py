"""A page in the orientation in which its text reads from left to right.

MuPDF reports text in the frame of the unrotated page, whatever /Rotate says, and the layout model expects upright
text. So a page is parsed in its upright frame, and `Frame.box` turns the results into boxes of the displayed page.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import pymupdf

from indexing.types import BBox

PAGE = BBox(0.0, 0.0, 1.0, 1.0)
"""The box of a whole page."""


@dataclass(frozen=True, slots=True)
class Frame:
    """The upright `page`, its own rotation 0; `turns` are the clockwise quarters that lead to the displayed page.

    `part` is the box on the displayed page that it covers: one of two facing pages, or everything.
    """

    page: pymupdf.Page
    turns: int
    part: BBox = PAGE

    def box(self, x0: float, y0: float, x1: float, y1: float) -> BBox | None:
        """Turn a rectangle in points of the upright page into a box of the displayed page; None when it lies off it."""
        rect = self.page.rect
        bounds = BBox.from_page(x0 - rect.x0, y0 - rect.y0, x1 - rect.x0, y1 - rect.y0, rect.width, rect.height)
        return bounds.rotate(self.turns).scale_to(self.part) if bounds else None


def text_frame(page: pymupdf.Page) -> Frame:
    """Return the frame in which most of the text layer is upright; the rotation of `page` is set to 0."""
    rotation = page.rotation // 90
    text_turns = _turns_to_upright(page)
    if rotation:
        page.set_rotation(0)
    if text_turns == 0:
        return Frame(page, rotation)
    copy = pymupdf.open()
    width, height = page.rect.width, page.rect.height
    upright = copy.new_page(
        width=height if text_turns % 2 else width,
        height=width if text_turns % 2 else height,
    )
    upright.show_pdf_page(upright.rect, page.parent, page.number, rotate=-90 * text_turns)
    return Frame(upright, (rotation - text_turns) % 4)


def _turns_to_upright(page: pymupdf.Page) -> int:
    """Return clockwise quarter turns that make most characters of the unrotated page read from left to right."""
    votes: Counter[int] = Counter()
    for block in page.get_text("dict", flags=0)["blocks"]:
        for line in block.get("lines", ()):
            x, y = line["dir"]
            turns = (0 if x > 0 else 2) if abs(x) >= abs(y) else (1 if y < 0 else 3)
            votes[turns] += sum(len(span["text"].strip()) for span in line["spans"])
    return max(votes, key=lambda t: (votes[t], t == 0)) if votes else 0
