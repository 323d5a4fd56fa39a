"""Workbooks of Excel's newer kind (XLSX): the filled cells of every sheet, as they are shown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

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
from plugins.formats.office.notes import relations
from plugins.formats.office.number_formats import BUILT_IN, general, shown
from plugins.formats.office.packages import Node, OfficePackage

_REL = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_STRICT_REL = "{http://purl.oclc.org/ooxml/officeDocument/relationships}id"
_ADDRESS = re.compile(r"([A-Z]{1,3})([0-9]{1,7})")
_NUMBER = re.compile(r"[+-]?[0-9.]{1,40}(?:[eE][+-]?[0-9]{1,4})?")
MAX_STYLES = 100_000
MAX_MERGES = 100_000


@dataclass(frozen=True, slots=True)
class _Book:
    """The tables that all sheets share: the texts, the number format of each style, the year days count from."""

    strings: tuple[str, ...]
    formats: tuple[str, ...]
    since_1904: bool


@dataclass(slots=True)
class _Hidden:
    """The columns that are hidden, a byte each, and the hidden rows and columns that have something in them."""

    marks: bytearray = field(default_factory=lambda: bytearray(MAX_COLUMNS + 1))
    rows: set[int] = field(default_factory=set)
    columns: set[int] = field(default_factory=set)


def read_xlsx(package: OfficePackage) -> Workbook:
    """Return the sheets of a workbook that are seen. Raises DamagedFile and TooLarge."""
    start = "xl/workbook.xml"
    root = package.tree(start)
    if root is None:
        raise DamagedFile(
            f"{package.name}: no workbook inside: it is damaged, or does not match its extension: get it again"
        )
    parts, budget = relations(package, start), Budget(package.name)
    properties = next(root.iter("{*}workbookPr"), None)
    book = _Book(
        _strings(package, parts, budget),
        _formats(package, parts),
        properties is not None and properties.get("date1904") in ("1", "true"),
    )
    made = Workbook()
    for entry in root.iter("{*}sheet"):
        kind, part = parts.get(entry.get(_REL) or entry.get(_STRICT_REL) or "", ("", ""))
        name = one_line(entry.get("name", ""))
        budget.sheet()
        if entry.get("state") in ("hidden", "veryHidden"):
            made.hidden.append(name)
        elif kind == "worksheet" and part in package:
            made.sheets.append(_sheet(package, part, name, book, budget))
        else:
            made.others += 1
    made.formulas_without_value = budget.formulas_without_value
    return made


def _strings(package: OfficePackage, parts: dict[str, tuple[str, str]], budget: Budget) -> tuple[str, ...]:
    """Return the texts that cells share, without the readings that stand over East Asian words."""
    part = next((path for kind, path in parts.values() if kind == "sharedStrings"), "")
    nodes = package.events(part, ("{*}si",)) if part in package else iter(())
    return tuple(budget.text(_rich(node)) for node in nodes)


def _rich(node: Node) -> str:
    """Return the words of a text of one or several runs."""
    runs = (t for t in node.iter("{*}t") if not any(_local(a) == "rPh" for a in t.iterancestors()))
    return one_line("".join(run.text or "" for run in runs))


def _local(node: Node) -> str:
    return str(node.tag).rpartition("}")[2]


def _formats(package: OfficePackage, parts: dict[str, tuple[str, str]]) -> tuple[str, ...]:
    """Return the number format of every style of cells, "" for the general one."""
    part = next((path for kind, path in parts.values() if kind == "styles"), "")
    root = package.tree(part)
    if root is None:
        return ()
    codes = dict(BUILT_IN)
    for one in root.iter("{*}numFmt"):
        if one.get("numFmtId", "").isdecimal():
            codes[int(one.get("numFmtId", "0")[:9])] = one.get("formatCode", "")
    styles = next(root.iter("{*}cellXfs"), None)
    ids = [] if styles is None else [one.get("numFmtId", "0") for one in list(styles)[:MAX_STYLES]]
    return tuple(codes.get(int(i[:9]), "") if i.isdecimal() else "" for i in ids)


def _sheet(package: OfficePackage, part: str, name: str, book: _Book, budget: Budget) -> SheetGrid:
    """Return the filled cells of a sheet; those of hidden rows and columns are left out and counted."""
    grid, hidden = SheetGrid(name), _Hidden()
    merges: list[str] = []
    at = _Reading(grid, hidden)
    for node in package.events(part, ("{*}col", "{*}c", "{*}row", "{*}mergeCell")):
        tag = _local(node)
        if tag == "c":
            at.cell(node, book, budget)
        elif tag == "row":
            at.end_row(node)
        elif tag == "col" and node.get("hidden") in ("1", "true"):
            first, last = _whole(node.get("min")), min(_whole(node.get("max")), MAX_COLUMNS)
            hidden.marks[first : last + 1] = bytes([1]) * max(0, last + 1 - first)
        elif tag == "mergeCell" and len(merges) < MAX_MERGES:
            merges.append(node.get("ref", ""))
    _merge(grid, merges)
    grid.hidden_rows, grid.hidden_columns = len(hidden.rows), len(hidden.columns)
    grid.unseen_columns = frozenset(n for n, mark in enumerate(hidden.marks) if mark)
    return grid


class _Reading:
    """The place in a sheet that is being read: its row, its column, how many rows before it are hidden."""

    def __init__(self, grid: SheetGrid, hidden: _Hidden) -> None:
        self._grid, self._hidden = grid, hidden
        self._row, self._column, self._hidden_rows = 0, 0, 0
        self._open: Node | None = None

    def _enter(self, node: Node) -> None:
        """Go to the row that a cell, or an end of a row, is of."""
        if node is not self._open:
            self._open, self._column = node, 0
            self._row = min(_whole(node.get("r")) or self._row + 1, MAX_ROWS)

    def cell(self, node: Node, book: _Book, budget: Budget) -> None:
        """Take a cell, if it is filled and seen."""
        row = node.getparent()
        if row is None:
            return
        self._enter(row)
        found = _ADDRESS.fullmatch(node.get("r", ""))
        self._column = min(_column(found.group(1)) if found else self._column + 1, MAX_COLUMNS)
        cell = _cell(node, book, budget)
        if cell is None:
            return
        hidden = self._hidden
        if _is_hidden(row) or hidden.marks[self._column]:
            (hidden.rows if _is_hidden(row) else hidden.columns).add(self._row if _is_hidden(row) else self._column)
            return
        budget.cell()
        rows = self._grid.rows
        if not rows or rows[-1].number != self._row:
            rows.append(SheetRow(self._row, self._row - self._hidden_rows))
        rows[-1].cells[self._column] = cell

    def end_row(self, node: Node) -> None:
        """Count a row that is hidden."""
        self._enter(node)
        self._open = None
        self._hidden_rows += _is_hidden(node)


def _is_hidden(row: Node) -> bool:
    return row.get("hidden") in ("1", "true")


def _cell(node: Node, book: _Book, budget: Budget) -> SheetCell | None:
    """Return a cell as it is shown; None for an empty one."""
    kind = node.get("t", "n")
    if kind == "inlineStr":
        text = budget.text(_rich(node))
        return SheetCell(text) if text else None
    told = next(node.iterchildren("{*}v"), None)
    value = (told.text or "").strip() if told is not None else ""
    if not value:
        budget.formulas_without_value += next(node.iterchildren("{*}f"), None) is not None
        return None
    if kind == "s":
        at = _whole(value)
        text = book.strings[at] if value.isdecimal() and at < len(book.strings) else ""
        return SheetCell(text) if text else None
    if kind == "b":
        return SheetCell("TRUE" if value == "1" else "FALSE")
    if kind != "n" or _NUMBER.fullmatch(value) is None:
        return SheetCell(budget.text(one_line(value)), number=kind == "d")
    return _numeric(value, node, book)


def _numeric(value: str, node: Node, book: _Book) -> SheetCell | None:
    style = _whole(node.get("s"))
    code = book.formats[style] if style < len(book.formats) else ""
    try:
        number = float(value)
    except ValueError:
        return SheetCell(value)
    text = (shown(number, code, since_1904=book.since_1904) if code else general(number)).strip()
    return SheetCell(one_line(text), number=True) if text else None


def _whole(text: str | None) -> int:
    """Return a number of at most nine digits, 0 for anything else."""
    return int(text) if text is not None and text.isascii() and text.isdecimal() and len(text) < 10 else 0


def _column(letters: str) -> int:
    number = 0
    for letter in letters:
        number = 26 * number + ord(letter) - 64
    return number


def _merge(grid: SheetGrid, merges: list[str]) -> None:
    """Give the cells that cover others their spans."""
    rows = {row.number: row for row in grid.rows}
    for first, last in _corners(merges):
        cell = rows[first[0]].cells.get(first[1]) if first[0] in rows else None
        if cell is not None and last[0] >= first[0] and last[1] >= first[1]:
            rows[first[0]].cells[first[1]] = replace(
                cell, row_span=last[0] - first[0] + 1, col_span=last[1] - first[1] + 1
            )


def _corners(merges: list[str]) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    for merge in merges:
        found = [_ADDRESS.fullmatch(corner) for corner in merge.split(":")]
        if len(found) == 2 and found[0] is not None and found[1] is not None:
            (a, b), (c, d) = found[0].groups(), found[1].groups()
            yield (int(b), _column(a)), (int(d), _column(c))
