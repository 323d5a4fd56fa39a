"""Workbooks of the OpenDocument kind (ODS): the filled cells of every sheet, as the file itself shows them."""

from __future__ import annotations

from collections.abc import Iterator

from indexing import DamagedFile
from plugins.formats.office.grid import (
    MAX_COLUMNS,
    MAX_ROWS,
    Budget,
    SheetCell,
    SheetGrid,
    SheetRow,
    Workbook,
    one_line,
)
from plugins.formats.office.packages import Node, OfficePackage, odf_words

_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
_STYLE = "{urn:oasis:names:tc:opendocument:xmlns:style:1.0}"
_NUMBERS = ("float", "percentage", "currency", "date", "time")
_VALUES = ("value", "date-value", "time-value", "string-value", "boolean-value")


def read_ods(package: OfficePackage) -> Workbook:
    """Return the sheets of a workbook that are seen. Raises DamagedFile and TooLarge."""
    content = "content.xml"
    if content not in package:
        raise DamagedFile(
            f"{package.name}: no sheets inside: it is damaged, or does not match its extension: get it again"
        )
    made, budget, hiding = Workbook(), Budget(package.name), set[str]()
    reading: _Sheet | None = None
    tags = tuple(f"{_TABLE}{name}" for name in ("table", "table-row", "table-column"))
    for node in package.events(content, (f"{_STYLE}style", *tags)):
        name = str(node.tag).rpartition("}")[2]
        if name == "style":
            if any(p.get(f"{_TABLE}display") == "false" for p in node.iter(f"{_STYLE}table-properties")):
                hiding.add(node.get(f"{_STYLE}name", ""))
            continue
        sheet = node if name == "table" else _sheet_of(node)
        if sheet is None:
            continue
        if reading is None or reading.node is not sheet:
            budget.sheet()
            reading = _Sheet(sheet, sheet.get(f"{_TABLE}style-name", "") in hiding)
        if name == "table-column":
            reading.columns(node)
        elif name == "table-row":
            reading.row(node, budget)
        else:
            _finish(made, reading)
            reading = None
    return made


def _sheet_of(node: Node) -> Node | None:
    """Return the sheet of a row or column; None of one that is in a table of a cell, or in no sheet."""
    above = next(node.iterancestors(f"{_TABLE}table"), None)
    inside = above is not None and next(above.iterancestors(f"{_TABLE}table-cell"), None) is not None
    return None if inside else above


def _finish(made: Workbook, reading: _Sheet) -> None:
    if reading.hidden:
        made.hidden.append(reading.grid.name)
        return
    reading.grid.hidden_rows, reading.grid.hidden_columns = reading.hidden_rows, len(reading.hidden_columns)
    reading.grid.unseen_columns = reading.unseen()
    made.sheets.append(reading.grid)


class _Sheet:
    """A sheet that is being read: its rows so far, and where its next row stands."""

    def __init__(self, node: Node, hidden: bool) -> None:
        self.node, self.hidden = node, hidden
        self.grid = SheetGrid(one_line(node.get(f"{_TABLE}name", "")))
        self.hidden_rows = 0
        self.hidden_columns: set[int] = set()
        self._marks = bytearray(MAX_COLUMNS + 1)
        self._next_column, self._next_row, self._position = 1, 1, 1

    def columns(self, node: Node) -> None:
        """Take a range of columns."""
        end = min(self._next_column + _repeated(node, "columns"), MAX_COLUMNS + 1)
        if _collapsed(node):
            self._marks[self._next_column : end] = bytes([1]) * (end - self._next_column)
        self._next_column = end

    def unseen(self) -> frozenset[int]:
        """Return the columns that are hidden."""
        return frozenset(n for n, mark in enumerate(self._marks) if mark)

    def row(self, node: Node, budget: Budget) -> None:
        """Take a row, as often as it is repeated; a hidden one is counted."""
        times = min(_repeated(node, "rows"), max(0, MAX_ROWS - self._next_row + 1))
        cells = {} if self.hidden else dict(self._cells(node, budget))
        if _collapsed(node):
            self.hidden_rows += times if cells else 0
            self._next_row += times
            return
        for n in range(times if cells else 0):
            for _ in cells:
                budget.cell()
            self.grid.rows.append(SheetRow(self._next_row + n, self._position + n, cells))
        self._next_row += times
        self._position += times

    def _cells(self, node: Node, budget: Budget) -> Iterator[tuple[int, SheetCell]]:
        """Yield the filled cells of a row that are seen, each with its column."""
        column = 1
        for one in node.iterchildren(f"{_TABLE}table-cell", f"{_TABLE}covered-table-cell"):
            times = min(_repeated(one, "columns"), MAX_COLUMNS - column + 1)
            text = budget.text(_shown(one)) if one.tag == f"{_TABLE}table-cell" else ""
            for at in range(column, column + times) if text else ():
                if self._marks[at]:
                    self.hidden_columns.add(at)
                else:
                    yield at, SheetCell(text, *_kind(one))
            column += times


def _kind(node: Node) -> tuple[bool, int, int]:
    """Return True for a number or a date, and the rows and columns that a cell covers."""
    number = node.get(f"{_OFFICE}value-type", "") in _NUMBERS
    rows, columns = (_whole(node.get(f"{_TABLE}number-{of}-spanned")) for of in ("rows", "columns"))
    return number, min(rows, MAX_ROWS), min(columns, MAX_COLUMNS)


def _shown(node: Node) -> str:
    """Return the text of a cell; where it has none, its value."""
    lines = [odf_words(p) for p in node.iterchildren(f"{_TEXT}p", f"{_TEXT}h")]
    text = one_line(" ".join(lines))
    return text or one_line(next((v for name in _VALUES if (v := node.get(f"{_OFFICE}{name}"))), ""))


def _repeated(node: Node, what: str) -> int:
    return _whole(node.get(f"{_TABLE}number-{what}-repeated"))


def _whole(text: str | None) -> int:
    """Return a number of at most nine digits, 1 for anything else."""
    return max(1, int(text)) if text is not None and text.isascii() and text.isdecimal() and len(text) < 10 else 1


def _collapsed(node: Node) -> bool:
    return node.get(f"{_TABLE}visibility") in ("collapse", "filter")
