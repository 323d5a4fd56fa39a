"""A table as a sheet: named columns of typed cells, upright and turned, so that rows and columns are treated alike."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property, lru_cache

from indexing import Element
from rag.attribution import powers, without_note_marks
from rag.attribution.words import Quantity, Slot, TableGrid, Token, claims_of, grid_of

MOST_CELLS, MOST_ROWS, MOST_COLUMNS, MOST_CHARS = 3000, 400, 40, 60_000
"""The bounds of a table that is calculated with; a larger one is refused, for time and for sense."""
MOST_CELL_CHARS = 300
"""The characters of a cell that are read."""
TYPED = 0.6
"""The least share of a column's cells that are numbers (or moments) for it to be a column of such."""
MONTH, YEAR = 31.0, 404.0
"""The days of a month and of a year in the calendar by which moments are ordered; no two moments fall together."""
_TOTAL = re.compile(r"(?:sub-?|grand )?totals?\b|(?:all|sum|overall|combined)\b(?! [a-z]+ [a-z]+)", re.IGNORECASE)
"""The label of a row that has the total of others."""
_DURATION = re.compile(r"(?:(\d{1,3}):)?(\d{1,3}):(\d\d(?:\.\d{1,6})?)(?![\d:])")


@dataclass(frozen=True, slots=True)
class Value:
    """A cell read as a number or a moment, by its `kind`.

    `amount` orders cells: a number in the unit of its family, a moment in years with the day as a fraction, a duration
    in seconds. `written` is the number as its digits say it, in `unit`, with `decimals` digits after the point.
    """

    amount: float
    kind: str
    unit: str = ""
    decimals: int = 0
    written: float = 0.0


@dataclass(frozen=True, slots=True)
class Entry:
    """A cell: its place in the grid, `text[start:end]` of the element, its words (stems in order) and its value."""

    row: int
    col: int
    start: int
    end: int
    text: str
    words: tuple[str, ...]
    value: Value | None


@dataclass(frozen=True, slots=True)
class Head:
    """The name of a column: its text, its stems, and the cells that make it."""

    text: str
    words: tuple[str, ...]
    cells: tuple[Entry, ...]


@dataclass(frozen=True)
class TableSheet:
    """Columns under heads, rows of entries (None where a cell is blank); `turned` says that its rows were columns."""

    heads: tuple[Head, ...]
    rows: tuple[tuple[Entry | None, ...], ...]
    turned: bool = False

    @cached_property
    def kinds(self) -> tuple[str, ...]:
        """The kind of each column: number, moment or text."""
        return tuple(self._kind(c) for c in range(len(self.heads)))

    def _kind(self, column: int) -> str:
        entries = [row[column] for row in self.rows]
        there = [e for e in entries if e is not None]
        for kind in ("number", "moment"):
            typed = sum(e.value is not None and e.value.kind == kind for e in there)
            if typed and typed >= TYPED * len(there):
                return kind
        return "text"

    @cached_property
    def parts(self) -> tuple[int, ...]:
        """The rows that are no total of others, by their first entry: what is counted, summed and compared."""
        plain = [n for n, row in enumerate(self.rows) if row[0] is None or not _TOTAL.match(row[0].text)]
        return tuple(plain or range(len(self.rows)))

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """Every stem that a head or an entry has."""
        words = {w for head in self.heads for w in head.words}
        return frozenset(words | {w for row in self.rows for e in row if e is not None for w in e.words})


def sheets_of(element: Element) -> tuple[TableSheet, ...]:
    """Return the sheet of a table, and the same turned; none for what is no table, or too large a one."""
    if len(element.cells) > MOST_CELLS or len(element.text) > MOST_CHARS or "|" not in element.text:
        return ()
    grid = grid_of(element)
    columns = sorted({s.col for s in (*grid.body, *grid.head)})
    if not grid.head or not 2 <= len(columns) <= MOST_COLUMNS:
        return ()
    head, body = _head_and_body(grid, {c.row for c in element.cells if c.header} or {min(s.row for s in grid.head)})
    if not body or len(body) > MOST_ROWS:
        return ()
    upright = _upright(head, body, columns, grid)
    return (upright, _turned(upright)) if len(upright.rows) > 1 or len(columns) > 2 else (upright,)


def _head_and_body(grid: TableGrid, flagged: set[int]) -> tuple[list[Slot], dict[int, dict[int, Slot]]]:
    """Return the cells of the head, and rows of the others, by row and column.

    The head are the rows that parsing took for it, and those after them that have no label and no value, or nothing but
    moments behind the label.
    """
    rows: dict[int, dict[int, Slot]] = defaultdict(dict)
    for slot in (*grid.head, *grid.body):
        rows[slot.row][slot.col] = slot
    head: list[Slot] = []
    leading = True
    body: dict[int, dict[int, Slot]] = {}
    for number in sorted(rows):
        own = rows[number]
        leading = leading and (number in flagged or _names_columns(own))
        if leading:
            head += own.values()
        else:
            body[number] = own
    return head, body


def _names_columns(row: dict[int, Slot]) -> bool:
    """Return True for a row with no label and no value, or with nothing but moments behind its label."""
    values = [s for at, s in row.items() if at]
    if any(s.numeric for s in values):
        return False
    return 0 not in row or (bool(values) and all(s.claims.quantities and not s.claims.words for s in values))


def _upright(head: list[Slot], body: dict[int, dict[int, Slot]], columns: list[int], grid: TableGrid) -> TableSheet:
    heads = []
    for column in columns:
        above = [s for s in head if s.col <= column < s.col + s.cols]
        heads.append(_head([_entry(s) for s in sorted(above, key=lambda s: s.row)]))
    rows = []
    for number, own in body.items():
        if len(own) == 1 and 0 in own and len(columns) > 2 and number in _titles(grid):
            continue
        rows.append(tuple(_entry(own[c]) if c in own else None for c in columns))
    return TableSheet(tuple(heads), tuple(rows))


def _titles(grid: TableGrid) -> frozenset[int]:
    """Return the rows that are titles of the rows below them."""
    return frozenset(s.row for s in grid.groups.values())


def _head(cells: list[Entry]) -> Head:
    text = " ".join(e.text for e in cells)
    return Head(text, tuple(w for e in cells for w in e.words), tuple(cells))


def _turned(sheet: TableSheet) -> TableSheet:
    """Return the sheet with rows and columns changed places: its heads are the first entries of the rows."""
    heads = [sheet.heads[0], *(_head([row[0]] if row[0] is not None else []) for row in sheet.rows)]
    rows = []
    for column in range(1, len(sheet.heads)):
        head = sheet.heads[column]
        label = None
        if head.cells:
            dated = [e for e in head.cells if e.value is not None and e.value.kind == "moment"]
            last = (dated or head.cells)[-1]
            label = Entry(last.row, last.col, last.start, last.end, last.text, head.words, value_of(head.text))
        rows.append((label, *(row[column] for row in sheet.rows)))
    return TableSheet(tuple(heads), tuple(rows), turned=True)


def _entry(slot: Slot) -> Entry:
    text, words, value = _read(" ".join(slot.text[:MOST_CELL_CHARS].split()))
    return Entry(slot.row, slot.col, slot.start, slot.end, text, words, value)


@lru_cache(maxsize=4096)
def _read(text: str) -> tuple[str, tuple[str, ...], Value | None]:
    return text, stems(claims_of(text).tokens), value_of(text)


def stems(tokens: tuple[Token, ...]) -> tuple[str, ...]:
    """Return the stems of words in order, without articles and the like; all of them where nothing else is left."""
    return tuple(t.stem for t in tokens if not t.stop) or tuple(t.stem for t in tokens)


def value_of(text: str) -> Value | None:
    """Read a cell: a duration, else its first number or moment."""
    text = without_note_marks(text).rstrip()
    duration = _DURATION.match(text.lstrip("+-− "))
    if duration is not None and float(duration[3]) < 60:
        seconds = 3600.0 * int(duration[1] or 0) + 60.0 * int(duration[2]) + float(duration[3])
        return Value(seconds, "number", "s", 0, seconds)
    found = claims_of(text).quantities
    moments = [q for q in found if q.kind == "moment"]
    if moments:
        return _moment(moments, text)
    number = next((q for q in found if q.kind == "number"), None)
    if number is None:
        first = re.match(r"\d{1,3}", text)
        return Value(float(first[0]), "number", "", 0, float(first[0])) if first else None
    said = text[number.start : number.end]
    digits = None if any(powers(said)) else re.search(r"\d[\d,]*(?:\.(\d+))?", said)
    written = abs(float(digits[0].replace(",", ""))) if digits else abs(number.value)
    sign = -1.0 if number.value < 0 else 1.0
    unit = "%" if number.unit == "" and text.rstrip().endswith("%") else number.unit
    return Value(number.value, "number", unit, len(digits[1] or "") if digits else 0, sign * written)


def _moment(moments: list[Quantity], text: str) -> Value:
    year = next((q.year for q in moments if q.year), 0)
    month, day = next(((q.month, q.day) for q in moments if q.month), (0, 0))
    quarter = next((q.quarter for q in moments if q.quarter), 0)
    month = month or (3 * quarter if 0 < quarter < 5 else 0)
    bare = "year" if len(text) == 4 and text.isdigit() else ""
    return Value(year + (MONTH * month + day) / YEAR, "moment", bare, 0, float(year))
