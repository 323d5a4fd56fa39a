"""Grids: the filled cells of a workbook's sheets within limits, and the blocks that they become.

Tables are cut so that each fits a page, and every cell keeps its address.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from indexing.conversion.rendition import Block
from indexing.errors import TooLarge

MAX_SHEETS = 2_000
MAX_ROWS, MAX_COLUMNS = 1_048_576, 16_384
"""The most rows and columns of a sheet: those of Excel and LibreOffice."""
MAX_CELLS = 500_000
"""The most filled cells of a file."""
MAX_CHARS = 64_000_000
"""The most characters that the cells of a file may have."""
MAX_CELL_CHARS = 32_767
"""The characters that are read of one cell: no more fit into one in Excel."""
PAGE_ROWS = 40
"""The most rows of a table, its head not counted."""
PAGE_LINES = 46
"""The most lines of text that the rows of a table may take, its head not counted."""
PAGE_CHARS = 92
"""The characters that fit side by side into a table as wide as the page."""
WIDEST, PADDING = 30, 2
"""The most characters by which a column counts, and those that its margins take."""
LONG = 40
"""The length from which a line alone under a table is a remark, not a row."""


@dataclass(frozen=True, slots=True)
class SheetCell:
    """A filled cell: its text as shown, whether that is a number or a date, the rows and columns that it covers."""

    text: str
    number: bool = False
    row_span: int = 1
    col_span: int = 1


@dataclass(slots=True)
class SheetRow:
    """A row with its filled cells by column (from 1).

    `number` (from 1) is that of the file, `position` counts the rows that are not hidden.
    """

    number: int
    position: int
    cells: dict[int, SheetCell] = field(default_factory=dict)


@dataclass(slots=True)
class SheetGrid:
    """A sheet: its name, its rows that are filled and seen, how many filled rows and columns of it are hidden."""

    name: str
    rows: list[SheetRow] = field(default_factory=list)
    hidden_rows: int = 0
    hidden_columns: int = 0


@dataclass(slots=True)
class Workbook:
    """The sheets that are seen, the names of those that are hidden, how many charts and the like stand as sheets.

    `formulas_without_value` counts formulas whose result is not in the file.
    """

    sheets: list[SheetGrid] = field(default_factory=list)
    hidden: list[str] = field(default_factory=list)
    others: int = 0
    formulas_without_value: int = 0


@dataclass(slots=True)
class Budget:
    """The amount that is left of what a file may hold. Its methods raise TooLarge."""

    name: str
    sheets: int = 0
    cells: int = 0
    chars: int = 0
    formulas_without_value: int = 0

    def sheet(self) -> None:
        """Count a sheet."""
        self.sheets += 1
        if self.sheets > MAX_SHEETS:
            raise TooLarge(f"{self.name}: more than {MAX_SHEETS:,} sheets: split it into several files")

    def cell(self) -> None:
        """Count a filled cell."""
        self.cells += 1
        if self.cells > MAX_CELLS:
            raise TooLarge(f"{self.name}: more than {MAX_CELLS:,} filled cells: split it into several files")

    def text(self, text: str) -> str:
        """Count the characters of a text, and return as many as a cell may have."""
        text = text[:MAX_CELL_CHARS]
        self.chars += len(text)
        if self.chars > MAX_CHARS:
            raise TooLarge(f"{self.name}: more than {MAX_CHARS:,} characters in cells: split it into several files")
        return text


def one_line(text: str) -> str:
    """Return a text on one line, without control characters."""
    return " ".join("".join(max(c, " ") for c in text).split())


def column_letters(column: int) -> str:
    """Return the letters of a column, counted from 1: 1 is A, 27 is AA."""
    letters = ""
    while column > 0:
        column, at = divmod(column - 1, 26)
        letters = chr(65 + at) + letters
    return letters


def address(row: int, column: int, cell: SheetCell | None = None) -> str:
    """Return the address of a cell, as B7; of one that covers others, the range: B7:C8."""
    first = f"{column_letters(column)}{row}"
    if cell is None or (cell.row_span == 1 and cell.col_span == 1):
        return first
    return f"{first}:{column_letters(column + cell.col_span - 1)}{row + cell.row_span - 1}"


def sheet_blocks(grid: SheetGrid) -> Iterator[Block]:
    """Yield the blocks of a sheet: its name as a heading, then its tables, and the lines that stand alone."""
    yield Block("heading", grid.name, level=1, place=grid.name)
    for band in _bands(grid.rows):
        yield from _band_blocks(grid.name, band)


def _bands(rows: Sequence[SheetRow]) -> Iterator[list[SheetRow]]:
    """Yield the rows between empty rows."""
    band: list[SheetRow] = []
    for row in rows:
        if band and row.position - band[-1].position > 1:
            yield band
            band = []
        band.append(row)
    if band:
        yield band


def _band_blocks(sheet: str, band: list[SheetRow]) -> Iterator[Block]:
    """Yield the lines that stand alone over a table, the table cut to pages, and the remarks under it."""
    columns = sorted({column for row in band for column in row.cells})
    start, end = 0, len(band)
    while start < end and len(columns) > 1 and len(band[start].cells) == 1 and end - start > 1:
        start += 1
    while end - 1 > start and len(columns) > 1 and _is_remark(band[end - 1], columns[0]):
        end -= 1
    if len(columns) == 1:
        start = end
    for row in band[:start]:
        yield from _lines(sheet, row)
    if start < end:
        yield from _tables(sheet, band[start:end])
    for row in band[end:]:
        yield from _lines(sheet, row)


def _is_remark(row: SheetRow, first: int) -> bool:
    only = next(iter(row.cells.items())) if len(row.cells) == 1 else None
    return only is not None and only[0] == first and not only[1].number and len(only[1].text) >= LONG


def _lines(sheet: str, row: SheetRow) -> Iterator[Block]:
    for column, cell in row.cells.items():
        yield Block("text", cell.text, place=f"{sheet}, {address(row.number, column, cell)}")


def _tables(sheet: str, rows: list[SheetRow]) -> Iterator[Block]:
    """Yield a table, cut by columns where it is too wide and by rows where it is too long, its head repeated."""
    columns = sorted({column for row in rows for column in row.cells})
    head = _head_rows(rows, columns)
    widths = {column: _width(rows, column) for column in columns}
    label = columns[0] if _is_label(rows[head:], columns[0]) else None
    groups = list(_column_groups(columns, widths, label))
    for part in _row_parts(rows[head:], widths):
        for group in groups:
            repeated = group[1:] if label is not None and group[0] == label and group is not groups[0] else group
            yield _table(sheet, rows[:head], part, group, repeated)


def _head_rows(rows: Sequence[SheetRow], columns: Sequence[int]) -> int:
    """Return the number of head rows: rows of words alone over rows that have others, at most two."""

    def wordy(row: SheetRow) -> bool:
        return not any(cell.number for cell in row.cells.values())

    if len(rows) < 2 or len(columns) < 2 or not wordy(rows[0]):
        return 0
    spread = any(cell.col_span > 1 for cell in rows[0].cells.values())
    if spread and len(rows) > 2 and wordy(rows[1]) and not wordy(rows[2]):
        return 2
    covered = sum(cell.col_span for cell in rows[0].cells.values())
    return int(covered >= len(columns) - 1 and covered > 1)


def _is_label(rows: Sequence[SheetRow], column: int) -> bool:
    """Return True where most cells of a column are words, which name their rows."""
    named = sum(column in row.cells and not row.cells[column].number for row in rows)
    return named * 2 > len(rows)


def _width(rows: Sequence[SheetRow], column: int) -> int:
    """Return the characters that a column wants."""
    cells = [row.cells[column] for row in rows if column in row.cells]
    longest = max((-(-len(cell.text) // cell.col_span) for cell in cells), default=1)
    return min(max(longest, 3), WIDEST) + PADDING


def _column_groups(columns: Sequence[int], widths: dict[int, int], label: int | None) -> Iterator[list[int]]:
    """Yield groups of columns that fit side by side; after the first, each begins with the column of labels."""
    group: list[int] = []
    for column in columns:
        if group and sum(widths[c] for c in group) + widths[column] > PAGE_CHARS and group != [label]:
            yield group
            group = [] if label is None else [label]
        group.append(column)
    if group and (group != [label] or len(columns) == 1):
        yield group


def _row_parts(rows: Sequence[SheetRow], widths: dict[int, int]) -> Iterator[list[SheetRow]]:
    """Yield the rows in parts that fit a page by their lines; a row longer than a page is a part by itself."""
    part: list[SheetRow] = []
    filled = 0
    for row in rows:
        lines = max(-(-len(cell.text) // (widths[c] - PADDING)) for c, cell in row.cells.items()) if row.cells else 1
        if part and (len(part) >= PAGE_ROWS or filled + lines > PAGE_LINES):
            yield part
            part, filled = [], 0
        part.append(row)
        filled += lines
    yield part


def _table(
    sheet: str, head: Sequence[SheetRow], part: Sequence[SheetRow], group: Sequence[int], own: Sequence[int]
) -> Block:
    """Return a table of some rows and columns; its place names those of its own, not what is repeated."""
    rows = [*head, *part]
    placed = part or head
    first, last = address(placed[0].number, own[0]), address(placed[-1].number, own[-1])
    if head and placed is not head and part[0].position == head[-1].position + 1:
        first = address(head[0].number, own[0])
    texts = tuple(tuple(row.cells[c].text if c in row.cells else "" for c in group) for row in rows)
    places = tuple(tuple(address(row.number, c, row.cells.get(c)) for c in group) for row in rows)
    return Block(
        "table", rows=texts, header_rows=len(head), places=places,
        place=f"{sheet}, {first if first == last else f'{first}:{last}'}",
    )  # fmt: skip
