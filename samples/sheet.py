"""Drawing on one page: labels, shapes, and marks that remember where things stand.

All coordinates are points on the page *as displayed*, origin top left, whatever the file stores.
A mark is a name for an area of a page; the questions of the collection point at marks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import pymupdf

if TYPE_CHECKING:
    from samples.book import Book

Align = Literal["left", "right", "centre"]
Rect = tuple[float, float, float, float]
FACES = {"sans": "helv", "bold": "hebo", "italic": "heit", "serif": "tiro", "serif-italic": "tiit", "type": "cour"}
FONTS = {name: pymupdf.Font(code) for name, code in FACES.items()}


class Mark(NamedTuple):
    """An area of the displayed page: page number from 1, rectangle as fractions, origin top left."""

    page: int
    rect: Rect


def colour(code: str) -> tuple[float, float, float]:
    """'#1d4e6b' as three fractions."""
    return (int(code[1:3], 16) / 255, int(code[3:5], 16) / 255, int(code[5:7], 16) / 255)


@dataclass(frozen=True)
class Sheet:
    """One page of a book, drawn in displayed points."""

    book: Book
    number: int
    width: float
    height: float

    @property
    def page(self) -> Any:
        """The page in the PDF (fetched anew: PyMuPDF pages go stale when the document changes)."""
        return self.book.pdf[self.number - 1]

    def mark(self, name: str, rect: Sequence[float]) -> None:
        """Remember an area under a name; a name given twice means two areas."""
        x0, x1 = (min(1.0, max(0.0, v / self.width)) for v in (rect[0], rect[2]))
        y0, y1 = (min(1.0, max(0.0, v / self.height)) for v in (rect[1], rect[3]))
        self.book.marks.setdefault(name, []).append(Mark(self.number, (x0, y0, x1, y1)))

    def label(
        self, x: float, y: float, text: str, size: float = 8, ink: str = "#1f2933", face: str = "sans",
        align: Align = "left", turn: int = 0,
    ) -> float:  # fmt: skip
        """One line of text on baseline `y`; `turn` 90 reads upwards. Returns its length in points."""
        length = float(FONTS[face].text_length(text, size))
        back = {"left": 0.0, "right": length, "centre": length / 2}[align]
        at = (x, y + back) if turn == 90 else (x - back, y)
        self.page.insert_text(at, text, fontname=face, fontsize=size, color=colour(ink), rotate=turn)
        return length

    def text(self, rect: Rect, html: str) -> float:
        """Running text in one frame; returns the y where it ends."""
        return self.book.flow(html, [(self, rect)])

    def box(
        self, rect: Rect, fill: str | None = None, edge: str | None = None, width: float = 0.6, round_: float = 0
    ) -> None:
        """A rectangle; `round_` is the corner radius in points."""
        radius = round_ / min(rect[2] - rect[0], rect[3] - rect[1]) if round_ else None
        self.page.draw_rect(
            pymupdf.Rect(rect), color=colour(edge) if edge else None, fill=colour(fill) if fill else None,
            width=width if edge else 0, radius=radius,
        )  # fmt: skip

    def line(
        self, points: Sequence[tuple[float, float]], ink: str, width: float = 0.6, dash: str = "", close: bool = False,
        fill: str | None = None, opacity: float = 1,
    ) -> None:  # fmt: skip
        """A polyline, or a filled polygon."""
        shape = self.page.new_shape()
        shape.draw_polyline([pymupdf.Point(p) for p in points])
        shape.finish(
            color=colour(ink) if width else None, width=width, dashes=dash or None, closePath=close, lineJoin=1,
            lineCap=1, fill=colour(fill) if fill else None, fill_opacity=opacity,
        )  # fmt: skip
        shape.commit()

    def dot(
        self, x: float, y: float, radius: float, fill: str | None, edge: str | None = None, width: float = 1
    ) -> None:
        """A disc or a ring."""
        self.page.draw_circle(
            (x, y), radius, color=colour(edge) if edge else None, fill=colour(fill) if fill else None,
            width=width if edge else 0,
        )  # fmt: skip

    def arrow(self, start: tuple[float, float], end: tuple[float, float], ink: str, width: float = 1) -> None:
        """A straight arrow with a small solid head."""
        (x0, y0), (x1, y1) = start, end
        length = ((x1 - x0) ** 2 + (y1 - y0) ** 2) ** 0.5
        ux, uy, head = (x1 - x0) / length, (y1 - y0) / length, 3.0 + 2.2 * width
        bx, by = x1 - ux * head, y1 - uy * head
        self.line([(x0, y0), (bx, by)], ink, width)
        wing = head * 0.45
        self.line([(x1, y1), (bx - uy * wing, by + ux * wing), (bx + uy * wing, by - ux * wing)], ink, 0, "", True, ink)

    def store_sideways(self) -> None:
        """Keep the page lying on its side in the file, with /Rotate 90 to show it upright."""
        _wrap(self.page, f"0 1 -1 0 {self.height} 0")
        self.page.set_mediabox(pymupdf.Rect(0, 0, self.height, self.width))
        self.page.set_rotation(90)

    def store_cropped(self, left: float, top: float, right: float, bottom: float) -> None:
        """Keep the page inside a larger sheet, with a crop box to show it alone; the margins are given in points."""
        _wrap(self.page, f"1 0 0 1 {left} {bottom}")
        outer = pymupdf.Rect(0, 0, left + self.width + right, top + self.height + bottom)
        self.page.set_mediabox(outer)
        self.page.set_cropbox(pymupdf.Rect(left, top, left + self.width, top + self.height))


def _wrap(page: Any, matrix: str) -> None:
    """Move everything drawn so far by a transformation given in PDF's own space (y upwards)."""
    page.clean_contents()
    xref = page.get_contents()[0]
    page.parent.update_stream(xref, f"q {matrix} cm\n".encode() + page.read_contents() + b"\nQ\n")
