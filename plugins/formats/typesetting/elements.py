"""Placed pieces -> elements: the part of a text that is on a page, with boxes; a table with its cells."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from indexing import BBox, Cell, Element, Kind, Words
from plugins.formats.typesetting.pieces import PieceText
from plugins.formats.typesetting.sheets import PlacedPiece

CELL_GAP = " | "
Rect = tuple[float, float, float, float]
Size = tuple[float, float]


@dataclass(frozen=True, slots=True)
class ElementFrame:
    """The frame of an element: its kind, the headings above it, its caption, its place in the source."""

    kind: Kind
    section: tuple[str, ...] = ()
    caption: str = ""
    place: str = ""


@dataclass(frozen=True, slots=True)
class CellText:
    """A cell to be made: its row and column in the element, True for a head, its text, its pieces with their places."""

    row: int
    col: int
    header: bool
    laid: PieceText
    placed: Sequence[tuple[int, PlacedPiece]]


class WordList:
    """The words of an element as they are added; boxes become fractions of a page of `size` points."""

    def __init__(self, size: Size) -> None:
        """Begin without a word."""
        self._size = size
        self._spans: list[tuple[int, int]] = []
        self._rects: list[Rect] = []
        self._lines: list[int] = []
        self._line = -1

    def add(self, laid: PieceText, placed: Iterable[tuple[int, PlacedPiece]], shift: int) -> int:
        """Add pieces of a text, in order; `shift` is added to their offsets. Returns the index of the first word."""
        first = len(self._rects)
        middle: float | None = None
        for at, rects in _by_piece(placed):
            start, end = laid.pieces[at].start + shift, laid.pieces[at].end + shift
            for span, rect in _shares(start, end, rects):
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
        rects = np.array(self._rects[first:], np.float64)
        (x0, y0), (x1, y1) = rects[:, :2].min(axis=0).tolist(), rects[:, 2:].max(axis=0).tolist()
        return BBox.from_page(x0, y0, x1, y1, *self._size)

    def words(self) -> Words:
        """Return the words with a box on the page."""
        if not self._rects:
            return Words.none()
        shares = np.array(self._rects, np.float64) / np.array(self._size * 2, np.float64)
        boxes = np.asarray(shares.clip(0.0, 1.0), np.float32)
        real = (boxes[:, 0] < boxes[:, 2]) & (boxes[:, 1] < boxes[:, 3])
        return Words(np.array(self._spans, np.int32)[real], boxes[real], np.array(self._lines, np.int32)[real])


def text_element(
    laid: PieceText,
    placed: Sequence[tuple[int, PlacedPiece]],
    page: int,
    size: Size,
    frame: ElementFrame,
) -> Element | None:
    """Make the element of the pieces of a text that are on a page (from 0): (number of the piece, its place)."""
    if not placed:
        return None
    start = min(laid.pieces[at].start for at, _ in placed)
    end = max(laid.pieces[at].end for at, _ in placed)
    words = WordList(size)
    words.add(laid, placed, -start)
    return _element(frame, page, laid.text[start:end], words)


def table_element(cells: Sequence[CellText], page: int, size: Size, frame: ElementFrame) -> Element | None:
    """Make the element of the cells of a table that are on a page (from 0), row by row; empty cells are left out."""
    words = WordList(size)
    parts: list[str] = []
    made: list[Cell] = []
    length, row = 0, -1
    for cell in cells:
        if not cell.placed:
            continue
        gap = "" if not parts else CELL_GAP if cell.row == row else "\n"
        row = cell.row
        start = min(cell.laid.pieces[at].start for at, _ in cell.placed)
        text = cell.laid.text[start : max(cell.laid.pieces[at].end for at, _ in cell.placed)]
        length += len(gap)
        first = words.add(cell.laid, cell.placed, length - start)
        parts += [gap, text]
        box = words.box(first)
        if box is not None:
            made.append(Cell(cell.row, cell.col, 1, 1, length, length + len(text), box, cell.header))
        length += len(text)
    return _element(frame, page, "".join(parts), words, tuple(made))


def picture_element(page: int, rect: Rect, size: Size, frame: ElementFrame) -> Element | None:
    """Make the element of an image at `rect`, in points."""
    box = BBox.from_page(*rect, *size)
    if box is None:
        return None
    return Element("", "", page + 1, "picture", "", box, "layer", frame.section, frame.caption, place=frame.place)


def _element(
    frame: ElementFrame, page: int, text: str, words: WordList, cells: tuple[Cell, ...] = ()
) -> Element | None:
    box = words.box()
    if box is None:
        return None
    return Element(
        "", "", page + 1, frame.kind, text, box, "layer", frame.section, frame.caption, words.words(), cells,
        place=frame.place,
    )  # fmt: skip


def _by_piece(placed: Iterable[tuple[int, PlacedPiece]]) -> Iterable[tuple[int, list[Rect]]]:
    """Join the rectangles of a piece that stand on one line."""
    last = -1
    rects: list[Rect] = []
    for at, piece in placed:
        rect = (piece.x0, piece.y0, piece.x1, piece.y1)
        if at != last:
            if rects:
                yield last, rects
            last, rects = at, [rect]
        elif rects[-1][1] <= (rect[1] + rect[3]) / 2 <= rects[-1][3]:
            x0, y0, x1, y1 = rects[-1]
            rects[-1] = (min(x0, rect[0]), min(y0, rect[1]), max(x1, rect[2]), max(y1, rect[3]))
        else:
            rects.append(rect)
    if rects:
        yield last, rects


def _shares(start: int, end: int, rects: Sequence[Rect]) -> Iterable[tuple[tuple[int, int], Rect]]:
    """Share the characters of a piece that is broken over lines out among its rectangles, by their widths."""
    whole = sum(x1 - x0 for x0, _, x1, _ in rects)
    done = 0.0
    at = start
    for rect in rects:
        done += rect[2] - rect[0]
        to = end if rect is rects[-1] else min(end, start + round((end - start) * done / whole))
        if to > at:
            yield (at, to), rect
        at = to
