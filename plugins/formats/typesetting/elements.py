"""Placed pieces -> elements: the part of a text that is on a page, with boxes; a table with its cells."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from indexing import BBox, Cell, Element, Kind, Words
from plugins.formats.typesetting.pieces import PieceText
from plugins.formats.typesetting.sheets import PlacedPiece

CELL_GAP = " | "
Rect = tuple[float, float, float, float]
Size = tuple[float, float]
Placed = Sequence[tuple[int, PlacedPiece]]
"""The pieces of a text that are on a page: the number of each, and its place."""


@dataclass(frozen=True, slots=True)
class ElementFrame:
    """The frame of an element: its kind, the headings above it, its caption, its place in the source."""

    kind: Kind
    section: tuple[str, ...] = ()
    caption: str = ""
    place: str = ""


@dataclass(frozen=True, slots=True)
class CellText:
    """A cell: its row and column in the element, True for a header, its text, its pieces on the page with places."""

    row: int
    col: int
    header: bool
    content: PieceText
    places: Placed


class WordList:
    """The words of an element as they are added; boxes become fractions of a page of `size` points."""

    def __init__(self, size: Size) -> None:
        """Begin without a word."""
        self._size = size
        self._spans: list[tuple[int, int]] = []
        self._rects: list[Rect] = []
        self._lines: list[int] = []
        self._line = -1

    def add(self, content: PieceText, places: Placed, shift: int) -> int:
        """Add pieces of a text, in order; `shift` is added to their offsets. Returns the index of the first word."""
        first = len(self._rects)
        middle: float | None = None
        for at, rects in _by_piece(places):
            start, end = content.pieces[at].start + shift, content.pieces[at].end + shift
            for span, rect in _split_over_lines(start, end, rects):
                if middle is None or not rect[1] <= middle <= rect[3]:
                    self._line += 1
                    middle = (rect[1] + rect[3]) / 2
                self._spans.append(span)
                self._rects.append(rect)
                self._lines.append(self._line)
        return first

    def box(self, first: int = 0) -> BBox | None:
        """Return the box around the words from `first` on; None without any."""
        if first >= len(self._rects):
            return None
        left, top, right, bottom = zip(*self._rects[first:], strict=True)
        return BBox.from_page(min(left), min(top), max(right), max(bottom), *self._size)

    def words(self) -> Words:
        """Return the words with a box on the page."""
        shares = np.array(self._rects, np.float64) / np.array(self._size * 2, np.float64)
        boxes = np.asarray(shares.clip(0.0, 1.0), np.float32)
        real = (boxes[:, 0] < boxes[:, 2]) & (boxes[:, 1] < boxes[:, 3])
        return Words(np.array(self._spans, np.int32)[real], boxes[real], np.array(self._lines, np.int32)[real])

    def element(self, frame: ElementFrame, page: int, text: str, cells: Sequence[Cell] = ()) -> Element | None:
        """Return the element of the words, on a page (from 0); None without a box."""
        box = self.box()
        if box is None:
            return None
        return Element(
            "", "", page + 1, frame.kind, text, box, "layer", frame.section, frame.caption, self.words(), tuple(cells),
            place=frame.place,
        )  # fmt: skip


def text_element(content: PieceText, places: Placed, page: int, size: Size, frame: ElementFrame) -> Element | None:
    """Return the element of the pieces of a text that are on a page (from 0); None without a box."""
    start, end = _span(content, places)
    words = WordList(size)
    words.add(content, places, -start)
    return words.element(frame, page, content.text[start:end])


def table_element(cells: Sequence[CellText], page: int, size: Size, frame: ElementFrame) -> Element | None:
    """Return the element of the cells of a table on a page (from 0), row by row; empty cells are left out."""
    words = WordList(size)
    text, row = "", -1
    table_cells: list[Cell] = []
    for cell in cells:
        if cell.places:
            text += "" if not text else CELL_GAP if cell.row == row else "\n"
            row = cell.row
            start, end = _span(cell.content, cell.places)
            first, at = words.add(cell.content, cell.places, len(text) - start), len(text)
            text += cell.content.text[start:end]
            if (box := words.box(first)) is not None:
                table_cells.append(Cell(cell.row, cell.col, 1, 1, at, len(text), box, cell.header))
    return words.element(frame, page, text, table_cells)


def picture_element(page: int, rect: Rect, size: Size, frame: ElementFrame) -> Element | None:
    """Return the element of an image at `rect`, in points; None without a box."""
    box = BBox.from_page(*rect, *size)
    if box is None:
        return None
    return Element("", "", page + 1, "picture", "", box, "layer", frame.section, frame.caption, place=frame.place)


def _span(content: PieceText, places: Placed) -> tuple[int, int]:
    """Return the characters that some pieces of a text take, as (start, end)."""
    return min(content.pieces[at].start for at, _ in places), max(content.pieces[at].end for at, _ in places)


def _by_piece(places: Placed) -> Iterable[tuple[int, list[Rect]]]:
    """Yield each piece with its rectangles, one for each line that it is on."""
    for number, group in groupby(places, key=lambda one: one[0]):
        rects: list[Rect] = []
        for _, piece in group:
            rect = (piece.x0, piece.y0, piece.x1, piece.y1)
            if rects and rects[-1][1] <= (rect[1] + rect[3]) / 2 <= rects[-1][3]:
                x0, y0, x1, y1 = rects.pop()
                rect = (min(x0, rect[0]), min(y0, rect[1]), max(x1, rect[2]), max(y1, rect[3]))
            rects.append(rect)
        yield number, rects


def _split_over_lines(start: int, end: int, rects: Sequence[Rect]) -> Iterable[tuple[tuple[int, int], Rect]]:
    """Split the characters of a piece that is broken over lines among its rectangles, by their widths."""
    width, done, at = sum(x1 - x0 for x0, _, x1, _ in rects), 0.0, start
    for rect in rects:
        done += rect[2] - rect[0]
        to = end if rect is rects[-1] else min(end, start + round((end - start) * done / width))
        if to > at:
            yield (at, to), rect
        at = to
