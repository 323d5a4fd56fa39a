"""Pages with ink beside figures that their text does not have, and honest pages with as much ink, drawn by PyMuPDF."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pymupdf

FONTS = ("helv", "tiro", "cour", "hebo", "tiit")
SIZES = (7.0, 9.0, 11.0, 14.0, 20.0)
COLOURS = ((0, 0, 0), (0.1, 0.2, 0.6), (0.5, 0.1, 0.1), (0.3, 0.3, 0.3))
HONEST = ("The accounts of the harbour were read at the meeting.", "They were approved by all who had come.")
"""Lines above and below."""


@dataclass(frozen=True)
class Inked:
    """A line of a new page, whose figures stand from `left` to `right` (points); `size` and `colour` are its font's."""

    page: pymupdf.Page
    left: float
    right: float
    baseline: float
    size: float
    colour: tuple[float, ...]

    @classmethod
    def of(cls, before: str, number: str, after: str, n: int, gap: float = 0.0) -> Inked:
        """Write a line whose number has `gap` sizes more room on both sides; `n` chooses how it looks."""
        font, size, colour = FONTS[n % 5], SIZES[n // 5 % 5 if n > 4 else n], COLOURS[n % 4]
        page = pymupdf.open().new_page(width=640, height=200)
        for above, text in zip((40, 160), HONEST, strict=True):
            page.insert_text((40, above), text, fontsize=11)
        x, y = 40.0, 100.0
        places = []
        for text in (before, number, after):
            page.insert_text((x, y), text, fontsize=size, fontname=font, color=colour)
            end = x + pymupdf.get_text_length(text, fontname=font, fontsize=size)
            places.append((x, end))
            x = end + (0.3 + gap) * size
        return cls(page, *places[1], y, size, colour)

    def line(self, x: float, y: float, to_x: float, to_y: float, width: float = 0.07) -> Inked:
        """Draw a stroke between two points, in sizes from the left edge and the baseline of the figures, up."""
        self.page.draw_line(self.point(x, y), self.point(to_x, to_y), color=self.colour, width=width * self.size)
        return self

    def box(self, x: float, y: float, width: float, height: float) -> Inked:
        """Fill a box, whose lower left corner is given."""
        corners = (*self.point(x, y + height), *self.point(x + width, y))
        self.page.draw_rect(corners, color=None, fill=self.colour)
        return self

    def dot(self, x: float, y: float, radius: float) -> Inked:
        """Fill a circle."""
        self.page.draw_circle(self.point(x, y), radius * self.size, color=None, fill=self.colour)
        return self

    def letters(self, text: str, x: float, font: str = "helv") -> Inked:
        """Draw letters by their outlines, beginning at `x` sizes from the left edge of the figures."""
        width = pymupdf.get_text_length(text, fontname=font, fontsize=self.size)
        drawn = pymupdf.open().new_page(width=width + 2, height=2 * self.size)
        drawn.insert_text((0, self.size), text, fontname=font, fontsize=self.size, color=self.colour)
        outlined = pymupdf.open("svg", drawn.get_svg_image(text_as_path=True).encode()).convert_to_pdf()
        at = self.point(x, 1)
        place = pymupdf.Rect(at.x, at.y, at.x + drawn.rect.width, at.y + drawn.rect.height)
        self.page.show_pdf_page(place, pymupdf.open("pdf", outlined), 0)
        return self

    @property
    def long(self) -> float:
        """The width of the figures in sizes."""
        return (self.right - self.left) / self.size

    def frame(self, x: float, y: float, to_x: float, to_y: float, radius: float | None = None) -> Inked:
        """Draw the outline of a box, between two corners."""
        self.page.draw_rect((*self.point(x, to_y), *self.point(to_x, y)), width=0.7, radius=radius)
        return self

    def ground(self, x: float, y: float, to_x: float, to_y: float) -> Inked:
        """Fill a box behind the text."""
        corners = (*self.point(x, to_y), *self.point(to_x, y))
        self.page.draw_rect(corners, color=None, fill=(1, 0.95, 0.7), overlay=False)
        return self

    def point(self, x: float, y: float) -> pymupdf.Point:
        """Return a place on the page, given in sizes from the left edge and the baseline of the figures, up."""
        return pymupdf.Point(self.left + x * self.size, self.baseline - y * self.size)


Draw = Callable[[Inked], object]
NUMBER = ("The harbour lost", "21", "crowns a year to the tide.")
PARTED = ("The depth was", "9 12", "metres at the quay.")
WHOLE = ("The depth was", "912", "metres at the quay.")
SHORT = ("The way round is", "91", "m by the road.")

# Each: the parts of the line, the room around the number in sizes, and what is drawn.
SIGNS: tuple[tuple[tuple[str, str, str], float, Draw], ...] = (
    (NUMBER, 0.6, lambda at: at.line(-0.55, 0.3, -0.08, 0.3)),
    (NUMBER, 0.9, lambda at: at.line(-0.7, 0.28, -0.2, 0.28)),
    (NUMBER, 1.1, lambda at: at.line(-0.95, 0.3, -0.45, 0.3, 0.05)),
    (NUMBER, 0.7, lambda at: at.box(-0.55, 0.25, 0.5, 0.08)),
    (NUMBER, 0.8, lambda at: at.box(-0.6, 0.3, 0.35, 0.06)),
    (NUMBER, 0.5, lambda at: at.line(-0.32, 0.25, -0.05, 0.25, 0.1)),
    (NUMBER, 0.9, lambda at: (at.line(-0.65, 0.3, -0.15, 0.3), at.line(-0.4, 0.05, -0.4, 0.55))),
    (NUMBER, 0.9, lambda at: (at.line(-0.65, 0.4, -0.15, 0.4), at.line(-0.65, 0.2, -0.15, 0.2))),
    (NUMBER, 0.9, lambda at: (at.line(-0.15, 0.55, -0.6, 0.3), at.line(-0.6, 0.3, -0.15, 0.05))),
    (NUMBER, 0.9, lambda at: at.letters("\u00b1", -0.7)),
    (NUMBER, 0.9, lambda at: at.letters("-", -0.45)),
    (NUMBER, 0.9, lambda at: at.letters("~", -0.7)),
    (NUMBER, 1.0, lambda at: at.letters("%", at.long + 0.05)),
    (("It is", "40", "degrees, or so."), 0.8, lambda at: at.box(-0.6, 0.28, 0.45, 0.07)),
    (("It froze at", "7", "degrees."), 0.9, lambda at: at.line(-0.6, 0.3, -0.1, 0.3, 0.09)),
)
POINTS: tuple[tuple[tuple[str, str, str], float, Draw], ...] = (
    (PARTED, 0, lambda at: at.dot(at.long * 0.3, 0.05, 0.06)),
    (PARTED, 0, lambda at: at.dot(at.long * 0.35, 0.06, 0.08)),
    (PARTED, 0, lambda at: at.dot(at.long * 0.38, 0.05, 0.05)),
    (PARTED, 0, lambda at: at.box(at.long * 0.35, 0.0, 0.1, 0.1)),
    (PARTED, 0, lambda at: at.box(at.long * 0.33, -0.01, 0.08, 0.12)),
    (PARTED, 0, lambda at: at.letters(".", at.long * 0.33)),
    (PARTED, 0, lambda at: at.letters(",", at.long * 0.33)),
    (PARTED, 0, lambda at: at.dot(at.long * 0.36, 0.3, 0.07)),
    (WHOLE, 0, lambda at: at.dot(at.long / 3, 0.04, 0.05)),
    (WHOLE, 0, lambda at: at.dot(at.long * 2 / 3, 0.05, 0.06)),
    (WHOLE, 0, lambda at: at.box(at.long / 3 - 0.04, 0.0, 0.08, 0.08)),
    (WHOLE, 0, lambda at: at.line(at.long / 3, 0.05, at.long / 3 - 0.05, -0.12)),
    (WHOLE, 0.4, lambda at: at.dot(-0.15, 0.05, 0.06)),
    (WHOLE, 0.5, lambda at: at.dot(-0.3, 0.06, 0.07)),
    (WHOLE, 0.5, lambda at: at.box(-0.2, 0.0, 0.1, 0.1)),
)
STROKES: tuple[tuple[tuple[str, str, str], float, Draw], ...] = (
    (NUMBER, 0, lambda at: at.line(-0.05, 0.3, at.long + 0.05, 0.3)),
    (NUMBER, 0, lambda at: at.line(-0.3, 0.35, at.long + 0.3, 0.35, 0.05)),
    (NUMBER, 0, lambda at: at.line(0.0, 0.0, at.long, 0.7)),
    (NUMBER, 0, lambda at: at.line(0.0, 0.7, at.long, 0.0, 0.1)),
    (NUMBER, 0, lambda at: (at.line(0.0, 0.7, at.long, 0.0), at.line(0.0, 0.0, at.long, 0.7))),
    (NUMBER, 0, lambda at: at.box(0.0, 0.3, at.long, 0.07)),
    (NUMBER, 0, lambda at: at.line(0.05, 0.3, 0.5, 0.3)),
    (NUMBER, 0, lambda at: at.line(at.long / 2, 0.68, at.long, 0.68)),
    (NUMBER, 0, lambda at: at.line(0.0, 0.82, at.long, 0.82, 0.05)),
    (NUMBER, 0, lambda at: at.line(0.0, 0.85, at.long / 2, 0.85, 0.05)),
    (NUMBER, 0, lambda at: at.line(at.long / 2, -0.08, at.long, -0.08, 0.06)),
    (WHOLE, 0, lambda at: at.line(0.0, -0.1, at.long / 3, -0.1, 0.05)),
    (WHOLE, 0, lambda at: at.line(at.long / 3 + 0.1, 0.7, at.long / 3 + 0.5, 0.7, 0.08)),
    (WHOLE, 0, lambda at: at.line(at.long / 3 + 0.05, 0.33, at.long * 2 / 3, 0.33, 0.08)),
    (("It cost", "100", "crowns in all."), 0, lambda at: at.line(at.long * 0.4, 0.05, at.long * 0.6, 0.65, 0.06)),
)
LETTERS: tuple[tuple[tuple[str, str, str], float, Draw], ...] = (
    (SHORT, 0.6, lambda at: at.letters("k", at.long + 0.35)),
    (SHORT, 0.4, lambda at: at.letters("k", at.long + 0.15)),
    (SHORT, 0.5, lambda at: at.letters("c", at.long + 0.25)),
    (SHORT, 0.5, lambda at: at.letters("m", at.long + 0.05, "tiro")),
    (("It cost", "21", "crowns."), 0.8, lambda at: at.letters("M", at.long + 0.1)),
    (("It cost", "21", "crowns."), 0.7, lambda at: at.letters("k", at.long + 0.05, "cour")),
    (("It weighs", "40", "g when dry."), 0.6, lambda at: at.letters("k", at.long + 0.3, "tiro")),
    (NUMBER, 0.8, lambda at: at.letters("5", -0.6)),
    (NUMBER, 0.9, lambda at: at.letters("3", -0.7, "tiro")),
    (NUMBER, 0.8, lambda at: at.letters("0", at.long + 0.05)),
    (NUMBER, 0.9, lambda at: at.letters("8", at.long + 0.1, "cour")),
    (NUMBER, 0.6, lambda at: at.letters("1", -0.58)),
    (NUMBER, 0.6, lambda at: at.line(-0.15, 0, -0.15, 0.7, 0.08)),
    (PARTED, 0, lambda at: at.letters("1", at.long * 0.26)),
    (NUMBER, 1.2, lambda at: at.letters("70", at.long + 0.05)),
)
INKED = {"signs": SIGNS, "points": POINTS, "strokes": STROKES, "letters": LETTERS}

PLAIN = ("The harbour took", "1,236", "crowns in 2024.")
FIRST = ("", "12", "eggs, 500 g of flour")
BOATS = ("Of boats", "24", "")
STEP = ("Step", "3", "of the work")
CALL = ("", "040 1236", "by day")
INNOCENT: tuple[tuple[tuple[str, str, str], float, Draw], ...] = (
    (PLAIN, 0, lambda at: at.line(-6, -0.15, at.long + 8, -0.15, 0.06)),  # an underlined line
    (PLAIN, 0, lambda at: at.line(0, -0.15, at.long, -0.15, 0.05)),  # an underlined number
    (PLAIN, 0, lambda at: at.line(-3, 1.15, 20, 1.15, 0.03)),  # rules of a table
    (PLAIN, 0, lambda at: (at.line(-0.4, 1.1, at.long + 0.4, 1.1), at.line(-0.4, -0.4, at.long + 0.4, -0.4))),
    (PLAIN, 0.5, lambda at: (at.line(-0.3, -0.5, -0.3, 1.2), at.line(at.long + 0.3, -0.5, at.long + 0.3, 1.2))),
    (PLAIN, 0.3, lambda at: at.frame(-0.4, -0.4, at.long + 0.4, 1.0)),
    (PLAIN, 0, lambda at: at.page.draw_rect((30, 10, 630, 190), width=1)),
    (PLAIN, 0, lambda at: at.ground(-9, -0.4, 20, 1.2)),
    (PLAIN, 0, lambda at: at.ground(0, -0.2, at.long, 0.9)),
    (PLAIN, 0, lambda at: at.ground(-9, -0.3, 0.6, 1.0)),  # a bar that ends behind the number
    (FIRST, 0, lambda at: at.dot(-0.8, 0.3, 0.15)),  # bullets
    (FIRST, 0, lambda at: at.dot(-0.6, 0.3, 0.12)),
    (FIRST, 0, lambda at: at.box(-0.9, 0.15, 0.3, 0.3)),
    (FIRST, 0, lambda at: at.line(-1.3, 0.3, -0.8, 0.3)),
    (FIRST, 0, lambda at: at.frame(-1.3, 0, -0.6, 0.7)),  # a box to tick
    (BOATS, 0.5, lambda at: [at.dot(-0.4 - 0.4 * n, 0.04, 0.04) for n in range(8)]),  # leaders
    (BOATS, 0.9, lambda at: [at.dot(-0.3 - 0.3 * n, 0.04, 0.05) for n in range(3)]),
    (BOATS, 0, lambda at: at.line(-5, 0.0, -0.1, 0.0, 0.03)),
    (BOATS, 3, lambda at: [at.line(-0.4 - 0.5 * n, 0.3, -0.15 - 0.5 * n, 0.3) for n in range(6)]),
    (STEP, 0.5, lambda at: at.page.draw_circle(at.point(at.long / 2, 0.35), 0.65 * at.size, width=0.8)),
    (STEP, 0.6, lambda at: at.page.draw_circle(
        at.point(at.long / 2, 0.35), 0.7 * at.size, color=None, fill=(1, 0.8, 0.6), overlay=False)),
    (CALL, 0, lambda at: (at.dot(-0.9, 0.3, 0.4), at.line(-1.2, -0.2, -0.6, 0.8))),  # icons
    (CALL, 0, lambda at: (
        at.frame(-1.6, 0, -0.5, 0.7), at.line(-1.6, 0.7, -1.05, 0.3, 0.05), at.line(-1.05, 0.3, -0.5, 0.7, 0.05))),
    (("Up by", "24", "since May"), 1.2, lambda at: at.page.draw_polyline(
        [at.point(-1.1, 0.1), at.point(-0.75, 0.7), at.point(-0.4, 0.1), at.point(-1.1, 0.1)],
        color=None, fill=(0, 0.5, 0))),
    (PLAIN, 0, lambda at: at.line(-8, -1.2, 20, -1.2)),  # the rule of a footnote
    (PLAIN, 0, lambda at: at.line(-9, -6, -9, 8, 0.2)),  # the bar beside a quotation
    (("The ships", "2024", "in figures"), 0.8, lambda at: at.line(at.long + 0.5, -0.3, at.long + 0.5, 1.0)),
    (PLAIN, 0, lambda at: at.page.draw_bezier((20, 190), (200, 20), (400, 180), (630, 10), color=(0.9, 0.9, 0.9))),
    (PLAIN, 0, lambda at: at.page.draw_line((0, 0), (640, 200), color=(0.9, 0.9, 0.9))),
    (PLAIN, 0, lambda at: at.frame(-0.2, -0.4, at.long + 0.2, 1.1, radius=0.3)),
)  # fmt: skip
