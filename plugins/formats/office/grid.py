"""Grids: the filled cells of a workbook's sheets within limits, as their number formats show them, and their blocks.

Names of months and days are English whatever language the format names; the two formats whose form is that of the
reader's machine (14 and 22) are shown as ISO dates. A fraction ("# ?/?") is shown as a decimal number.

Every cell keeps its address.
"""

from __future__ import annotations

import datetime as dt
import math
import operator
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache
from typing import NamedTuple

from indexing import TooLarge
from indexing.language import lexicon_values, lexicon_words
from plugins.formats.typesetting import SourceBlock

BUILT_IN = {
    1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 9: "0%", 10: "0.00%", 11: "0.00E+00", 14: "yyyy-mm-dd",
    15: "d-mmm-yy", 16: "d-mmm", 17: "mmm-yy", 18: "h:mm AM/PM", 19: "h:mm:ss AM/PM", 20: "h:mm", 21: "h:mm:ss",
    22: "yyyy-mm-dd h:mm", 37: "#,##0;-#,##0", 38: "#,##0;-#,##0", 39: "#,##0.00;-#,##0.00",
    40: "#,##0.00;-#,##0.00", 45: "mm:ss", 46: "[h]:mm:ss", 47: "mm:ss.0", 48: "##0.0E+0",
}  # fmt: skip
"""The formats that a workbook names by number alone."""
MAX_CODE = 255
MAX_DECIMALS = 30
_TOKEN = re.compile(
    r'"(?P<literal>[^"]*)"|\\(?P<escaped>.)|\[\$(?P<currency>[^\]-]{0,20})[^\]]{0,20}\]|\[(?P<elapsed>h{1,2}|m{1,2}|s{1,2})\]'
    r"|\[(?P<condition>[<>=]{1,2}-?\d[\d.]{0,20})\]|\[(?P<other>[^\]]{0,40})\]|(?P<clock>AM/PM|A/P)|(?P<general>General|@)"
    r"|(?P<date>y+|m+|d+|h+|s+)|(?P<digits>[0#?][0#?,]*)|(?P<power>E[+-])|_(?P<space>.)|\*(?P<fill>.)|(?P<sign>.)",
    re.IGNORECASE | re.DOTALL,
)
_OPERATORS = {"<": operator.lt, ">": operator.gt, "<=": operator.le, ">=": operator.ge, "=": operator.eq,
              "<>": operator.ne}  # fmt: skip
_DEFAULTS = ((), ("",), (">=0", ""), (">0", "<0", ""))
"""The conditions of the sections of a format that has one, two or three of them."""
_MONTHS = tuple(month.title() for month in lexicon_values("months", "en"))
_DAYS = tuple(day.title() for day in lexicon_words("weekdays", "en"))
_EPOCH, _EPOCH_1904 = dt.datetime(1899, 12, 30, tzinfo=dt.UTC), dt.datetime(1904, 1, 1, tzinfo=dt.UTC)
_LAST_DAY = 2_958_465.999


class _Token(NamedTuple):
    kind: str
    text: str


_Section = tuple[_Token, ...]


@lru_cache(1024)
def _sections(code: str) -> tuple[_Section, ...]:
    """Cut a format into its sections, and each into tokens."""
    sections: list[list[_Token]] = [[]]
    for match in _TOKEN.finditer(code[:MAX_CODE]):
        kind = match.lastgroup or "sign"
        token = _Token(kind, match[kind])
        if token == ("sign", ";"):
            sections.append([])
        else:
            sections[-1].append(token)
    return tuple(map(tuple, sections))


def format_number(value: float, code: str, *, since_1904: bool = False) -> str:
    """Return a number as the format `code` shows it; days are counted from 1900, or `since_1904`."""
    if not math.isfinite(value):
        return str(value)
    section, signed = _section(value, _sections(code))
    kinds = {token.kind for token in section}
    if kinds & {"date", "elapsed"}:
        return _date(value, section, since_1904)
    if not section or "general" in kinds or ("digits" in kinds and ("sign", "/") in section):
        return general(value)
    text = _number(abs(value), section)
    return f"-{text}" if signed and any(c in "123456789" for c in text) else text


def general(value: float) -> str:
    """Return a number as it is without a format: up to ten digits."""
    if value == int(value) and abs(value) < 1e15:
        return str(int(value))
    return f"{value:.10g}".replace("e", "E")


def _section(value: float, sections: tuple[_Section, ...]) -> tuple[_Section, bool]:
    """Return the section of a format that applies to a value, and True if a minus sign must be put before it."""
    conditions = [next((token.text for token in section if token.kind == "condition"), "") for section in sections]
    has_own = any(conditions[:2])  # without, the second section is for negative numbers, and has its own sign
    for section, condition, default in zip(sections, conditions, _DEFAULTS[min(len(sections), 3)], strict=False):
        if _holds(value, condition or default):
            return section, value < 0 and (has_own or section is sections[0])
    return sections[0], value < 0


def _holds(value: float, condition: str) -> bool:
    sign = condition.rstrip("-.0123456789")
    try:
        return not condition or (sign in _OPERATORS and _OPERATORS[sign](value, float(condition[len(sign) :])))
    except ValueError:
        return False


def _number(value: float, section: _Section) -> str:
    """Return a number >= 0 by the digit placeholders, percent signs or exponent of a section."""
    at = [n for n, token in enumerate(section) if token.kind == "digits"]
    if not at:
        return _literals(section)
    first, last = at[0], at[-1]
    inside = section[first : last + 1]
    point = inside.index(("sign", ".")) if ("sign", ".") in inside else len(inside)
    power = next((n for n, token in enumerate(inside) if token.kind == "power"), len(inside))
    whole = "".join(t.text for t in inside[: min(point, power)] if t.kind == "digits")
    decimals = "".join(t.text for t in inside[point:power] if t.kind == "digits")
    if power < len(inside):
        text = _scientific_text(value, decimals, inside[power].text, inside[-1].text)
    else:
        ends = decimals or whole
        scale = 3 * (len(ends) - len(ends.rstrip(",")))
        amount = Decimal(repr(value)).scaleb(2 * section.count(_Token("sign", "%")) - scale)
        text = _decimal_text(amount, whole.rstrip(","), decimals.replace(",", ""))
    return _literals(section[:first]) + text + _literals(section[last + 1 :])


def _decimal_text(amount: Decimal, whole: str, decimals: str) -> str:
    """Return a number by its placeholders: `0` is always a digit, `#` no needless zero, a comma groups thousands."""
    places = min(len(decimals), MAX_DECIMALS)
    number = amount.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP) if amount < Decimal(10) ** 20 else amount
    left, _, right = f"{number:f}".partition(".")
    right = right[:places]
    while right and right[-1] == "0" and decimals[len(right) - 1] != "0":
        right = right[:-1]
    left = left.lstrip("0").rjust(whole.count("0"), "0")
    if "," in whole and left:
        left = f"{int(left):0{len(left) + (len(left) - 1) // 3},}"
    return left + (f".{right}" if right else "")


def _scientific_text(value: float, decimals: str, sign: str, digits: str) -> str:
    mantissa, _, power = f"{value:.{min(len(decimals), MAX_DECIMALS)}E}".partition("E")
    mark = "-" if int(power) < 0 else sign[1].replace("-", "")
    return f"{mantissa}E{mark}{abs(int(power)):0{min(len(digits), 4)}d}"


def _literals(section: _Section) -> str:
    """Return the literal text of tokens; padding becomes a space, other tokens nothing."""
    literal_kinds = {"literal", "escaped", "currency", "sign"}
    return "".join(t.text if t.kind in literal_kinds else " " if t.kind == "space" else "" for t in section)


def _date(value: float, section: _Section, since_1904: bool) -> str:
    """Return a value as a date or time, or as a plain number if it is out of range."""
    if not 0 <= value <= _LAST_DAY:
        return general(value)
    extra_day = not since_1904 and 1 <= value < 60  # the days that are counted from 1900 have a 29 February
    places = max((len(t.text) for n, t in enumerate(section) if _is_fraction(section, n)), default=0)
    seconds = round(Decimal(repr(value)) * 86400, min(places, 6))
    try:
        moment = (_EPOCH_1904 if since_1904 else _EPOCH) + dt.timedelta(extra_day, float(seconds))
    except OverflowError:
        return general(value)
    twelve_hours = any(token.kind == "clock" for token in section)
    parts = []
    for n, token in enumerate(section):
        if token.kind == "elapsed":
            unit = {"h": 3600, "m": 60, "s": 1}[token.text[0].lower()]
            parts.append(f"{int(seconds // unit):0{len(token.text)}d}")
        elif token.kind == "date":
            parts.append(_date_part(moment, token.text.lower(), twelve_hours, minutes=_is_minutes(section, n)))
        elif token.kind == "clock":
            parts.append(token.text.split("/")[moment.hour >= 12])
        elif token.kind == "digits":
            parts.append(f"{moment.microsecond:06d}"[: len(token.text)] if _is_fraction(section, n) else token.text)
        else:
            parts.append(_literals((token,)))
    return "".join(parts).strip()


def _is_fraction(section: _Section, at: int) -> bool:
    """Return True for digits after a point, which show fractions of a second."""
    return section[at].kind == "digits" and at > 0 and section[at - 1].text == "."


def _is_minutes(section: _Section, at: int) -> bool:
    """Return True for an m after hours or before seconds: it stands for minutes, any other for months."""
    unit = section[at].text.lower()
    units = {n: token.text[0].lower() for n, token in enumerate(section) if token.kind in ("date", "elapsed")}
    before = next((units[n] for n in range(at - 1, -1, -1) if n in units), "")
    after = next((units[n] for n in range(at + 1, len(section)) if n in units), "")
    return unit in ("m", "mm") and (before == "h" or after == "s")


def _date_part(moment: dt.datetime, unit: str, twelve_hours: bool, *, minutes: bool) -> str:
    """Return the part of a time that a code such as yyyy, mmm or dd stands for."""
    size = len(unit)
    if unit[0] == "y":
        return f"{moment.year:04d}" if size > 2 else f"{moment.year % 100:02d}"
    if unit[0] in "md" and size > 2:
        name = _MONTHS[moment.month - 1] if unit[0] == "m" else _DAYS[moment.weekday()]
        return name[:3] if size == 3 else name
    hour = (moment.hour % 12 or 12) if twelve_hours else moment.hour
    month = moment.minute if minutes else moment.month
    number = {"m": month, "d": moment.day, "h": hour, "s": moment.second}[unit[0]]
    return f"{number:0{min(size, 2)}d}"


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
