"""Tables on pages: as many rows as fit on a page, under the header rows, which are repeated on each page.

A page grows as wide as its table; one of very many columns is cut into groups of columns, the first column in each.
Repeated cells are shortened where they are long: otherwise a file of few bytes would fill very many pages.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from lxml import etree

from indexing import Element
from plugins.formats.typesetting import markup
from plugins.formats.typesetting.elements import CellText, ElementFrame, table_element
from plugins.formats.typesetting.pieces import PIECE_CHARS, PieceText, SourceBlock, piece_text
from plugins.formats.typesetting.sheets import MARGIN, WIDTH, PlacedPiece, Sheets, Trial

MAX_COLUMNS = 24
"""The most columns that stand beside each other."""
NARROW = 12
"""The most columns of a table whose short cells are not broken over lines."""
ROWS_AT_ONCE = 50
CELL_PIECES = 300
"""The most words of a cell in one row; what is longer goes on in a row below."""
MAX_HEADS = 4
HEADS_CHARS, HEAD_CHARS = 1500, 24
"""The most characters of all repeated header cells together; each can have at least the second number."""
FIRST_CHARS = 150
"""The most characters of a cell of the first column that are drawn again beside further groups of columns."""
LEAST_SPACE = 70.0
COLUMN_WIDTH = 64.0
"""The points of a page's width that a column has on average at least."""


@dataclass(frozen=True, slots=True)
class DrawnRow:
    """A row to draw: its number in the block, True for a header, its cells (column, text, numbers of its pieces)."""

    number: int
    header: bool
    cells: tuple[tuple[int, PieceText, range], ...]

    @property
    def longest(self) -> int:
        """The pieces of its longest cell."""
        return max((len(pieces) for _, _, pieces in self.cells), default=0)

    def halves(self) -> tuple[DrawnRow, DrawnRow]:
        """Cut the row in two, each with half of the pieces of every cell that has more than one."""
        upper = tuple((col, content, pieces[: (len(pieces) + 1) // 2]) for col, content, pieces in self.cells)
        lower = tuple((col, content, pieces[(len(pieces) + 1) // 2 :]) for col, content, pieces in self.cells)
        return replace(self, cells=upper), replace(self, cells=lower)


class TableSetter:
    """Draws one table: `elements` draws it and yields its elements; `width` is that of its pages, in points."""

    def __init__(self, sheets: Sheets, block: SourceBlock, frame: ElementFrame) -> None:
        """Keep the pages to draw on, the table, and the frame of its elements."""
        self._sheets, self._block, self._frame = sheets, block, frame
        self._columns = max((len(row) for row in block.rows), default=0)
        self.width = max(WIDTH, 2 * MARGIN + COLUMN_WIDTH * min(self._columns, MAX_COLUMNS))
        self._heads = block.header_rows if block.header_rows <= MAX_HEADS else 0

    def elements(self) -> Iterator[Element]:
        """Draw the table and yield its elements, each on one page."""
        if self._columns <= MAX_COLUMNS:
            yield from self._draw_columns(range(self._columns))
            return
        step = MAX_COLUMNS - 1
        for first in range(1, self._columns, step):
            yield from self._draw_columns((0, *range(first, min(first + step, self._columns))))

    def _draw_columns(self, columns: Sequence[int]) -> Iterator[Element]:
        """Draw a group of columns over as many pages as it needs; yield an element for each page."""
        heads = [self._row(number, columns) for number in range(self._heads)]
        waiting: deque[DrawnRow] = deque()
        numbers = iter(range(self._heads, len(self._block.rows)))
        first = True
        while True:
            while len(waiting) < ROWS_AT_ONCE and (number := next(numbers, None)) is not None:
                waiting.extend(_split_row(self._row(number, columns)))
            if not waiting and not (first and heads):
                return
            n_drawn, element = self._draw_page(heads, waiting, first)
            for _ in range(n_drawn):
                waiting.popleft()
            if element is not None:
                yield element
            if first:
                most = max(HEADS_CHARS // max(len(heads) * len(columns), 1), HEAD_CHARS)
                heads = [self._row(number, columns, most) for number in range(self._heads)]
            first = False

    def _row(self, number: int, columns: Sequence[int], longest: int | None = None) -> DrawnRow:
        """Return a row of these columns, with cells cut to `longest` characters if given."""
        texts = self._block.rows[number]
        again = len(columns) > 1 and columns[1] > 1
        most = PIECE_CHARS if len(columns) <= NARROW else PIECE_CHARS // 2

        def cell_text(col: int) -> str:
            return shorten_cell(texts[col], FIRST_CHARS if col == 0 and again else longest)

        cells = ((col, piece_text(cell_text(col), most=most)) for col in columns if col < len(texts))
        header = number < self._block.header_rows
        return DrawnRow(number, header, tuple((col, text, range(len(text.pieces))) for col, text in cells))

    def _draw_page(self, heads: list[DrawnRow], waiting: deque[DrawnRow], first: bool) -> tuple[int, Element | None]:
        """Draw as many rows as fit on the page. Returns how many of `waiting` are done, and their element."""
        count = len(waiting)
        while True:
            self._sheets.ready(self.width, LEAST_SPACE)
            rows = heads + [waiting[at] for at in range(count)]
            trial, owners = self._attempt(rows)
            if trial.right > self.width - MARGIN + 1.0 and self.width < trial.right + MARGIN:
                self.width = trial.right + MARGIN + 1.0
                continue
            if trial.complete:
                self._sheets.keep(trial)
                return count, self._element(rows, trial, owners, len(heads), first)
            fitting = _complete_rows(trial, owners, rows) - len(heads)
            if fitting > 0:
                count = min(fitting, count - 1) or 1
            elif not self._sheets.fresh:
                self._sheets.ready(self.width, math.inf)
                count = len(waiting)
            elif count > 1:
                count = 1
            elif heads and waiting and waiting[0].longest <= 1:
                heads = []
            elif waiting and waiting[0].longest > 1:
                waiting.extendleft(reversed(waiting.popleft().halves()))
            else:
                self._sheets.n_lost += 1
                return count, None

    def _attempt(self, rows: Sequence[DrawnRow]) -> tuple[Trial, list[tuple[int, int, int]]]:
        """Place rows on the rest of the page; return the trial, and (row, cell, piece) for the id of each piece."""
        root = etree.Element("body")
        table = etree.SubElement(root, "table")
        owners: list[tuple[int, int, int]] = []
        narrow = self._columns <= NARROW
        for at, row in enumerate(rows):
            line = etree.SubElement(table, "tr")
            for n, (_, content, pieces) in enumerate(row.cells):
                name = "n" if narrow and len(content.text) <= PIECE_CHARS else ""
                markup.add_text(line, "th" if row.header else "td", name, content, pieces, len(owners))
                owners += [(at, n, piece) for piece in pieces]
        return self._sheets.attempt(markup.html_of(root)), owners

    def _element(
        self, rows: Sequence[DrawnRow], trial: Trial, owners: Sequence[tuple[int, int, int]], heads: int, first: bool
    ) -> Element | None:
        """Return the element of placed rows, whose first `heads` are header rows; None without a box."""
        pieces_by_cell: dict[tuple[int, int], list[tuple[int, PlacedPiece]]] = {}
        for piece in trial.pieces:
            at, n, number = owners[piece.id]
            pieces_by_cell.setdefault((at, n), []).append((number, piece))
        cells = [
            CellText(at, col, row.header, content, pieces_by_cell.get((at, n), ()))
            for at, row in enumerate(rows)
            for n, (col, content, _) in enumerate(row.cells)
        ]
        body = rows[heads:]
        start = rows[0].number if first or not body else body[0].number
        place = self._block.rows_place(start, (body[-1] if body else rows[-1]).number - start + 1)
        size = self._sheets.sizes[self._sheets.page]
        return table_element(cells, self._sheets.page, size, replace(self._frame, place=place))


def shorten_cell(text: str, most: int | None) -> str:
    """Return a text that is longer than `most` with an ellipsis in the place of the rest."""
    return text if most is None or len(text) <= most else f"{text[: most - 1].rstrip()}\u2026"


def _split_row(row: DrawnRow) -> Iterator[DrawnRow]:
    """Split a row with a very long cell into several rows, one below the other."""
    for first in range(0, max(row.longest, 1), CELL_PIECES):
        cells = tuple((col, content, pieces[first : first + CELL_PIECES]) for col, content, pieces in row.cells)
        yield replace(row, cells=cells)


def _complete_rows(trial: Trial, owners: Sequence[tuple[int, int, int]], rows: Sequence[DrawnRow]) -> int:
    """Return how many rows, from the first, are on the page with all their pieces."""
    pieces = [0] * len(rows)
    for piece in {piece.id for piece in trial.pieces}:
        pieces[owners[piece][0]] += 1
    for at, row in enumerate(rows):
        if pieces[at] < sum(1 for _, _, own in row.cells for _ in own):
            return at
    return len(rows)
