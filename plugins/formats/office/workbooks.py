"""Spreadsheets (XLSX, ODS): laid out by us, so that every cell has its address; XLS goes through LibreOffice first."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from indexing import DamagedFile, IndexingSettings, NoPages
from indexing.conversion import Rendition
from plugins.formats.office.grid import (
    BUILT_IN,
    MAX_COLUMNS,
    MAX_ROWS,
    Budget,
    SheetCell,
    SheetGrid,
    Workbook,
    format_number,
    general,
    one_line,
    sheet_blocks,
)
from plugins.formats.office.libreoffice import OfficeTarget, convert_file
from plugins.formats.office.packages import (
    OFFICE,
    STYLE,
    TEXT,
    Node,
    OfficePackage,
    OfficeProperties,
    check_ole,
    odf_text,
    properties,
    relations,
)

_ODS = OfficeTarget("ods", "calc8", "calc")
_MOST_NAMED = 10
"""The most hidden sheets that a note names."""
MAX_STYLES = 100_000
MAX_MERGES = 100_000
_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_NUMBERS = ("float", "percentage", "currency", "date", "time")
_VALUES = ("value", "date-value", "time-value", "string-value", "boolean-value")
_REL = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_STRICT_REL = "{http://purl.oclc.org/ooxml/officeDocument/relationships}id"
_ADDRESS = re.compile(r"([A-Z]{1,3})([0-9]{1,7})")
_NUMBER = re.compile(r"[+-]?[0-9.]{1,40}(?:[eE][+-]?[0-9]{1,4})?")
_YES = ("1", "true")


def spreadsheet_rendition(path: Path, settings: IndexingSettings) -> Rendition:
    """Lay a spreadsheet out: each sheet a heading with its name, then its tables. Raises FileError."""
    from plugins.formats.typesetting import typeset

    book, file_properties = read_workbook(path, settings)
    blocks = [block for grid in book.sheets if grid.rows for block in sheet_blocks(grid)]
    if not blocks:
        raise NoPages(f"{path.name}: it has no visible cell with content: show its hidden sheets, or leave it out")
    rendition = typeset(blocks, file_properties.title or path.stem, settings)
    notes = (*workbook_notes(path.name, book), *rendition.notes)
    return replace(rendition, title=file_properties.title, metadata=file_properties.metadata, notes=notes)


def read_workbook(path: Path, settings: IndexingSettings) -> tuple[Workbook, OfficeProperties]:
    """Return the sheets of a file, and its properties. Raises FileError."""
    if path.suffix.lower() == ".xls":
        check_ole(path)
        with tempfile.TemporaryDirectory() as folder:
            newer = Path(folder) / f"{path.stem[:40]}.ods"
            newer.write_bytes(convert_file(path, _ODS, settings))
            return read_workbook(newer, settings)
    with OfficePackage(path, settings) as package:
        book = _read_ods(package) if "content.xml" in package else _read_xlsx(package)
        return book, properties(package)


def workbook_notes(name: str, book: Workbook) -> Iterator[str]:
    """Yield a sentence on each thing in a workbook that its pages do not show."""
    if book.hidden_sheets:
        names = ", ".join(book.hidden_sheets[:_MOST_NAMED]) + (", ..." if len(book.hidden_sheets) > _MOST_NAMED else "")
        yield f"{name}: {_count(len(book.hidden_sheets), 'hidden sheet')} left out: {names}."
    for grid in book.sheets:
        parts = [(grid.hidden_rows, "hidden row"), (len(grid.hidden_columns), "hidden column")]
        if counts := " and ".join(_count(n, what) for n, what in parts if n):
            yield f"{name}: {counts} of sheet {grid.name} left out."
    if book.others:
        yield f"{name}: {_count(book.others, 'sheet')} of another kind (such as a chart) left out."
    if book.formulas_without_value:
        yield (
            f"{name}: {_count(book.formulas_without_value, 'formula')} without a stored result left out: "
            "open the file in an office program and save it again."
        )


def _count(n: int, what: str) -> str:
    return f"{n:,} {what}{'' if n == 1 else 's'}"


def _parse_int(text: str | None, default: int) -> int:
    """Return a number of at most nine digits; `default` for anything else."""
    return int(text) if text is not None and text.isascii() and text.isdecimal() and len(text) < 10 else default


# ---- XLSX -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Shared:
    """The tables that all sheets share: the texts, the number format of each style, the year days count from."""

    strings: tuple[str, ...]
    formats: tuple[str, ...]
    since_1904: bool


def _read_xlsx(package: OfficePackage) -> Workbook:
    """Return the visible sheets of an Excel workbook, with their cells as displayed."""
    start = "xl/workbook.xml"
    root = package.tree(start)
    if root is None:
        raise DamagedFile(
            f"{package.name}: no workbook inside: it is damaged, or does not match its extension: get it again"
        )
    parts, budget, book = relations(package, start), Budget(package.name), Workbook()
    settings = next(root.iter("{*}workbookPr"), None)
    by_kind = {kind: path for kind, path in parts.values() if path in package}
    nodes = package.events(by_kind["sharedStrings"], ("{*}si",)) if "sharedStrings" in by_kind else ()
    strings = tuple(budget.text(_rich_text(node)) for node in nodes)
    formats = _formats(package.tree(by_kind.get("styles", "")))
    shared = _Shared(strings, formats, settings is not None and settings.get("date1904") in _YES)
    for entry in root.iter("{*}sheet"):
        kind, part = parts.get(entry.get(_REL) or entry.get(_STRICT_REL) or "", ("", ""))
        name = one_line(entry.get("name", ""))
        budget.spend("sheets")
        if entry.get("state") in ("hidden", "veryHidden"):
            book.hidden_sheets.append(name)
        elif kind == "worksheet" and part in package:
            grid = SheetGrid(name)
            book.formulas_without_value += _fill_grid(grid, package, part, shared, budget)
            book.sheets.append(grid)
        else:
            book.others += 1
    return book


def _rich_text(node: Node) -> str:
    """Return the text of all runs of a node, without phonetic guides over East Asian words."""
    runs = (t for t in node.iter("{*}t") if next(t.iterancestors("{*}rPh"), None) is None)
    return "".join(run.text or "" for run in runs)


def _formats(root: Node | None) -> tuple[str, ...]:
    """Return the number format of every style of cells, "" for the general one."""
    if root is None:
        return ()
    codes = BUILT_IN | {_parse_int(one.get("numFmtId"), 0): one.get("formatCode", "") for one in root.iter("{*}numFmt")}
    styles = next(root.iter("{*}cellXfs"), None)
    elements = [] if styles is None else list(styles)[:MAX_STYLES]
    return tuple(codes.get(_parse_int(one.get("numFmtId"), 0), "") for one in elements)


def _fill_grid(grid: SheetGrid, package: OfficePackage, part: str, shared: _Shared, budget: Budget) -> int:
    """Add the rows of a sheet to its grid. Returns the number of formulas that have no result in the file."""
    merges: list[str] = []
    number = without_value = 0
    for node in package.events(part, ("{*}col", "{*}row", "{*}mergeCell")):
        tag = str(node.tag).rpartition("}")[2]
        if tag == "row":
            number = min(_parse_int(node.get("r"), 0) or number + 1, MAX_ROWS)
            cells: dict[int, SheetCell] = {}
            column = 0
            for one in node.iterchildren("{*}c"):
                match = _ADDRESS.fullmatch(one.get("r", ""))
                column = min(_column(match[1]) if match else column + 1, MAX_COLUMNS)
                if (cell := _cell(one, shared, budget)) is not None:
                    cells[column] = cell
                elif one.find("{*}f") is not None and not one.findtext("{*}v"):
                    without_value += 1
            grid.add_rows(number, 1, cells, budget, hidden=node.get("hidden") in _YES)
        elif tag == "mergeCell":
            merges += [node.get("ref", "")] if len(merges) < MAX_MERGES else []
        elif node.get("hidden") in _YES:
            last = min(_parse_int(node.get("max"), 0), MAX_COLUMNS)
            grid.unseen_columns.update(range(_parse_int(node.get("min"), 0), last + 1))
    _set_spans(grid, merges)
    return without_value


def _cell(node: Node, shared: _Shared, budget: Budget) -> SheetCell | None:
    """Return a cell as displayed; None for an empty one."""
    kind, value = node.get("t", "n"), (node.findtext("{*}v") or "").strip()
    number = kind == "d"
    if kind == "inlineStr":
        text = budget.text(_rich_text(node))
    elif kind == "s":
        at = _parse_int(value, len(shared.strings))
        text = shared.strings[at] if at < len(shared.strings) else ""
    elif kind == "b" and value:
        text = "TRUE" if value == "1" else "FALSE"
    elif kind == "n" and _NUMBER.fullmatch(value):
        style = _parse_int(node.get("s"), 0)
        code = shared.formats[style] if style < len(shared.formats) else ""
        text, number = _format_number(value, code, shared.since_1904)
    else:
        text = budget.text(value)
    return SheetCell(text, number) if text else None


def _format_number(value: str, code: str, since_1904: bool) -> tuple[str, bool]:
    """Return a number as displayed, and True; or the value itself and False if it is no number."""
    try:
        number = float(value)
    except ValueError:
        return value, False
    return one_line(format_number(number, code, since_1904=since_1904) if code else general(number)), True


def _column(letters: str) -> int:
    number = 0
    for letter in letters:
        number = 26 * number + ord(letter) - 64
    return number


def _set_spans(grid: SheetGrid, merges: list[str]) -> None:
    """Set the row and column spans of merged cells."""
    rows = {row.number: row for row in grid.rows}
    for merge in merges:
        corners = [match.groups() for corner in merge.split(":") if (match := _ADDRESS.fullmatch(corner))]
        if len(corners) == 2:
            (left, top), (right, bottom) = ((_column(letters), int(number)) for letters, number in corners)
            cell = rows[top].cells.get(left) if top in rows else None
            if cell is not None and bottom >= top and right >= left:
                rows[top].cells[left] = replace(cell, row_span=bottom - top + 1, col_span=right - left + 1)


# ---- ODS ------------------------------------------------------------------------------------------------------------


def _read_ods(package: OfficePackage) -> Workbook:
    """Return the visible sheets of an OpenDocument workbook, with their cells as displayed."""
    book, budget, hidden_styles = Workbook(), Budget(package.name), set[str]()
    reading: tuple[Node, _OdsSheet] | None = None
    tags = tuple(f"{_TABLE}{name}" for name in ("table", "table-row", "table-column"))
    for node in package.events("content.xml", (f"{STYLE}style", *tags)):
        name = str(node.tag).rpartition("}")[2]
        if name == "style":
            if any(p.get(f"{_TABLE}display") == "false" for p in node.iter(f"{STYLE}table-properties")):
                hidden_styles.add(node.get(f"{STYLE}name", ""))
            continue
        sheet = node if name == "table" else next(node.iterancestors(f"{_TABLE}table"), None)
        if sheet is None or next(sheet.iterancestors(f"{_TABLE}table-cell"), None) is not None:
            continue  # a table within a cell is no sheet
        if reading is None or reading[0] is not sheet:
            budget.spend("sheets")
            grid = SheetGrid(one_line(sheet.get(f"{_TABLE}name", "")))
            reading = sheet, _OdsSheet(grid, hidden=sheet.get(f"{_TABLE}style-name", "") in hidden_styles)
        if name == "table-column":
            reading[1].add_columns(node)
        elif name == "table-row":
            reading[1].add_row(node, budget)
        else:
            if reading[1].hidden:
                book.hidden_sheets.append(reading[1].grid.name)
            else:
                book.sheets.append(reading[1].grid)
            reading = None
    return book


@dataclass(slots=True)
class _OdsSheet:
    """A sheet that is being read, and the numbers of its next row and column."""

    grid: SheetGrid
    hidden: bool
    _row: int = 1
    _column: int = 1

    def add_columns(self, node: Node) -> None:
        """Add a range of columns."""
        end = min(self._column + _repeats(node, "columns"), MAX_COLUMNS + 1)
        if _is_collapsed(node):
            self.grid.unseen_columns.update(range(self._column, end))
        self._column = end

    def add_row(self, node: Node, budget: Budget) -> None:
        """Add a row, as often as it is repeated."""
        times = min(_repeats(node, "rows"), max(0, MAX_ROWS - self._row + 1))
        cells = {} if self.hidden else dict(_ods_cells(node, budget))
        self.grid.add_rows(self._row, times, cells, budget, hidden=_is_collapsed(node))
        self._row += times


def _ods_cells(node: Node, budget: Budget) -> Iterator[tuple[int, SheetCell]]:
    """Yield the filled cells of a row, each with its column."""
    column = 1
    for one in node.iterchildren(f"{_TABLE}table-cell", f"{_TABLE}covered-table-cell"):
        times = min(_repeats(one, "columns"), MAX_COLUMNS - column + 1)
        text = budget.text(_ods_text(one)) if one.tag == f"{_TABLE}table-cell" else ""
        if text:
            number = one.get(f"{OFFICE}value-type", "") in _NUMBERS
            rows, columns = (_parse_int(one.get(f"{_TABLE}number-{of}-spanned"), 1) for of in ("rows", "columns"))
            cell = SheetCell(text, number, min(max(1, rows), MAX_ROWS), min(max(1, columns), MAX_COLUMNS))
            yield from ((at, cell) for at in range(column, column + times))
        column += times


def _ods_text(node: Node) -> str:
    """Return the text of a cell; where it has none, its value."""
    text = " ".join(odf_text(p) for p in node.iterchildren(f"{TEXT}p", f"{TEXT}h"))
    return text if text.strip() else next((v for name in _VALUES if (v := node.get(f"{OFFICE}{name}"))), "")


def _repeats(node: Node, what: str) -> int:
    return max(1, _parse_int(node.get(f"{_TABLE}number-{what}-repeated"), 1))


def _is_collapsed(node: Node) -> bool:
    return node.get(f"{_TABLE}visibility") in ("collapse", "filter")
