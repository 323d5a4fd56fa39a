"""Grids: the filled cells of a workbook's sheets within limits, and the blocks that they become.

Every cell keeps its address.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from indexing import TooLarge
from plugins.formats.typesetting import SourceBlock

MAX_SHEETS = 2_000
MAX_ROWS, MAX_COLUMNS = 1_048_576, 16_384
"""The most rows and columns of a sheet: those of Excel and LibreOffice."""
MAX_CELLS = 200_000
"""The most filled cells of a file."""
MAX_CHARS = 64_000_000
"""The most characters that the cells of a file may have."""
MAX_CELL_CHARS = 32_767
"""The characters that are read of one cell: no more fit into one in Excel."""
PAGE_ROWS = 40
"""The most rows of a block of a table with hidden rows or columns: its place covers all of it."""
BLOCK_ROWS = 2_000
"""The most rows of any other table: it is cut to pages when it is laid out."""
MAX_RANGES = 4
"""The most ranges that a place names."""
LONG = 40
"""The least characters of a single line under a table that is a remark, not a row."""


@dataclass(frozen=True, slots=True)
class SheetCell:
    """A filled cell: its text as shown, whether that is a number or a date, the rows and columns that it covers."""

    text: str
    number: bool = False
    row_span: int = 1
    col_span: int = 1


@dataclass(slots=True)
class SheetRow:
    """A row: `number` (from 1) in the file, `position` among rows not hidden, its filled cells by column (from 1)."""

    number: int
    position: int
    cells: dict[int, SheetCell] = field(default_factory=dict)


@dataclass(slots=True)
class SheetGrid:
    """A sheet: its name, its filled rows that are not hidden, how many filled rows and which columns are left out.

    `unseen_columns` are those that are hidden, `hidden_columns` those among them that have a filled cell.
    """

    name: str
    rows: list[SheetRow] = field(default_factory=list)
    hidden_rows: int = 0
    hidden_columns: set[int] = field(default_factory=set)
    unseen_columns: set[int] = field(default_factory=set)
    _n_passed: int = 0

    def add_rows(self, number: int, times: int, cells: dict[int, SheetCell], budget: Budget, *, hidden: bool) -> None:
        """Add `times` equal rows from `number` on, without their cells in hidden columns; hidden rows are counted."""
        if hidden:
            self.hidden_rows += times if cells else 0
            self._n_passed += times
            return
        visible = {column: cell for column, cell in cells.items() if column not in self.unseen_columns}
        self.hidden_columns |= cells.keys() - visible.keys()
        for row in range(number, number + times) if visible else ():
            budget.spend("filled cells", len(visible))
            self.rows.append(SheetRow(row, row - self._n_passed, dict(visible)))


@dataclass(slots=True)
class Workbook:
    """The visible sheets of a workbook, the names of its hidden sheets, and the number of other sheets, such as charts.

    `formulas_without_value` counts formulas whose result is not in the file.
    """

    sheets: list[SheetGrid] = field(default_factory=list)
    hidden_sheets: list[str] = field(default_factory=list)
    others: int = 0
    formulas_without_value: int = 0


class Budget:
    """Counts sheets, filled cells and characters of a file against their limits."""

    def __init__(self, name: str) -> None:
        """Keep the name of the file, for errors."""
        self._name = name
        self._limits = {"sheets": MAX_SHEETS, "filled cells": MAX_CELLS, "characters in cells": MAX_CHARS}
        self._spent = dict.fromkeys(self._limits, 0)

    def spend(self, what: str, amount: int = 1) -> None:
        """Count sheets, cells or characters. Raises TooLarge over their limit."""
        self._spent[what] += amount
        if self._spent[what] > self._limits[what]:
            raise TooLarge(f"{self._name}: more than {self._limits[what]:,} {what}: split it into several files")

    def text(self, text: str) -> str:
        """Return a cell's text on one line, cut to the limit of a cell, and count it. Raises TooLarge."""
        text = one_line(text)[:MAX_CELL_CHARS]
        self.spend("characters in cells", len(text))
        return text


def one_line(text: str) -> str:
    """Return a text on one line, without control characters."""
    return " ".join("".join(max(c, " ") for c in text).split())


def column_letters(column: int) -> str:
    """Return the letters of a column, counted from 1: 1 is A, 27 is AA."""
    letters = ""
    while column > 0:
        column, digit = divmod(column - 1, 26)
        letters = chr(65 + digit) + letters
    return letters


def address(row: int, column: int, cell: SheetCell | None = None) -> str:
    """Return the address of a cell, as B7; of one that covers others, the range: B7:C8."""
    first = f"{column_letters(column)}{row}"
    if cell is None or (cell.row_span == 1 and cell.col_span == 1):
        return first
    return f"{first}:{column_letters(column + cell.col_span - 1)}{row + cell.row_span - 1}"


def sheet_blocks(grid: SheetGrid) -> Iterator[SourceBlock]:
    """Yield the blocks of a sheet: its name as a heading, then its tables and single lines."""
    yield SourceBlock("heading", grid.name, level=1, place=grid.name)
    for band in _bands(grid.rows):
        yield from _band_blocks(grid, band)


def _bands(rows: Sequence[SheetRow]) -> Iterator[list[SheetRow]]:
    """Yield runs of rows without an empty row between them."""
    band: list[SheetRow] = []
    for row in rows:
        if band and row.position - band[-1].position > 1:
            yield band
            band = []
        band.append(row)
    if band:
        yield band


def _band_blocks(grid: SheetGrid, band: list[SheetRow]) -> Iterator[SourceBlock]:
    """Yield the single lines above a table, the table in blocks of limited size, and the remarks below it."""
    columns = sorted({column for row in band for column in row.cells})
    start, end = 0, len(band)
    if len(columns) == 1:
        start = end
    while start < end - 1 and len(band[start].cells) == 1:
        start += 1
    while end - 1 > start and _is_remark(band[end - 1], columns[0]):
        end -= 1
    yield from _line_blocks(grid.name, band[:start])
    if start < end:
        yield from _tables(grid, band[start:end])
    yield from _line_blocks(grid.name, band[end:])


def _is_remark(row: SheetRow, first: int) -> bool:
    only = row.cells.get(first) if len(row.cells) == 1 else None
    return only is not None and not only.number and len(only.text) >= LONG


def _line_blocks(sheet: str, rows: Sequence[SheetRow]) -> Iterator[SourceBlock]:
    for row in rows:
        for column, cell in row.cells.items():
            yield SourceBlock("text", cell.text, place=f"{sheet}, {address(row.number, column, cell)}")


def _tables(grid: SheetGrid, rows: list[SheetRow]) -> Iterator[SourceBlock]:
    """Yield the blocks of the tables that are side by side in some rows."""
    for columns in _column_runs(grid, sorted({column for row in rows for column in row.cells})):
        table_rows = [SheetRow(r.number, r.position, {c: r.cells[c] for c in columns if c in r.cells}) for r in rows]
        first = next(n for n, row in enumerate(table_rows) if row.cells)
        last = next(n for n, row in enumerate(reversed(table_rows)) if row.cells)
        yield from _table_parts(grid.name, table_rows[first : len(table_rows) - last], columns)


def _column_runs(grid: SheetGrid, columns: Sequence[int]) -> Iterator[list[int]]:
    """Yield the columns of each table: filled ones, and single empty ones between them."""
    run: list[int] = []
    for column in columns:
        between = [c for c in range(run[-1] + 1, column) if c not in grid.unseen_columns] if run else []
        if len(between) > 1:
            yield run
            run, between = [], []
        run += [*between, column]
    yield run


def _table_parts(sheet: str, rows: list[SheetRow], columns: list[int]) -> Iterator[SourceBlock]:
    """Yield a table in blocks of a limited number of rows, each under the header rows."""
    head = _header_rows(rows, columns)
    body = rows[head:]
    most = BLOCK_ROWS if _is_contiguous(rows, columns) else PAGE_ROWS
    for start in range(0, len(body), most):
        yield _block(sheet, rows[:head], body[start : start + most], columns, first=start == 0)


def _is_contiguous(rows: Sequence[SheetRow], columns: Sequence[int]) -> bool:
    """Return True where no row or column is missing between the first and the last."""
    ends = (rows[-1].number - rows[0].number + 1, columns[-1] - columns[0] + 1)
    return ends == (len(rows), len(columns))


def _header_rows(rows: Sequence[SheetRow], columns: Sequence[int]) -> int:
    """Return the number of header rows, at most two: rows without numbers that cover the columns."""

    def has_no_numbers(row: SheetRow) -> bool:
        return not any(cell.number for cell in row.cells.values())

    if len(rows) < 2 or len(columns) < 2 or not has_no_numbers(rows[0]):
        return 0
    spread = any(cell.col_span > 1 for cell in rows[0].cells.values())
    if spread and len(rows) > 2 and has_no_numbers(rows[1]) and not has_no_numbers(rows[2]):
        return 2
    n_covered = sum(cell.col_span for cell in rows[0].cells.values())
    return int(n_covered >= len(columns) - 1 and n_covered > 1)


def _block(sheet: str, head: list[SheetRow], part: list[SheetRow], columns: list[int], *, first: bool) -> SourceBlock:
    """Return a block of the rows `part` under the header rows, which belong to its place in the `first` block only.

    Cells have addresses if rows and columns are contiguous; otherwise the place names all ranges.
    """
    rows, numbered_rows = [*head, *part], [*head, *part] if first else part
    addresses: tuple[tuple[str, ...], ...] = ()
    if _is_contiguous(numbered_rows, columns):
        addresses = tuple(
            tuple(address(row.number, c, row.cells.get(c)) if first or n >= len(head) else "" for c in columns)
            for n, row in enumerate(rows)
        )
    place = f"{sheet}, {ranges([row.number for row in numbered_rows], columns)}"
    texts = tuple(tuple(row.cells[c].text if c in row.cells else "" for c in columns) for row in rows)
    return SourceBlock("table", rows=texts, header_rows=len(head), places=addresses, place=place)


def ranges(rows: Sequence[int], columns: Sequence[int]) -> str:
    """Return the ranges of rows and columns, "A1:A9 and F1:H9"; one around all if they are more than MAX_RANGES."""
    row_runs, column_runs = _runs(rows), _runs(columns)
    if len(row_runs) * len(column_runs) > MAX_RANGES:
        return f"{_range((rows[0], rows[-1]), (columns[0], columns[-1]))} without what is hidden"
    return " and ".join(_range(down, across) for down in row_runs for across in column_runs)


def _range(rows: tuple[int, int], columns: tuple[int, int]) -> str:
    first, last = address(rows[0], columns[0]), address(rows[1], columns[1])
    return first if first == last else f"{first}:{last}"


def _runs(numbers: Sequence[int]) -> list[tuple[int, int]]:
    """Return the first and the last of each run of numbers that follow each other."""
    runs: list[tuple[int, int]] = []
    for number in numbers:
        start = runs.pop()[0] if runs and number == runs[-1][1] + 1 else number
        runs.append((start, number))
    return runs
