"""Write the facts of a table, a line for each row, with column names only if these are sure.

Layout models mistake the first row for a header, and misplace cells, which led to "46 litres = 38 litres". What code
cannot decide is left to a model, or kept as it is in the table.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from indexing import Element
from indexing.language import YEAR
from rag.attribution.words import Slot, TableGrid, grid_of

MOST_CHARS = 6000
"""The most characters of facts; further rows are left out whole, and a line says how many."""
_MOSTLY = 0.8
"""The least share of the cells of a column that are values, or none, for all to be of one kind."""
_VALUE = re.compile(r"[^\w\s]*\d|(?:[-\u2010-\u2015\u2212]|n\.?/?a\.?)$", re.IGNORECASE)
"""The beginning of a value, or all of a cell that says that there is none."""
_YEAR = re.compile(rf"{YEAR}\W*")
_LEADERS = re.compile(r" ?(?:\. ?){3,}")
"""The dots that lead from a label to its value."""


def facts_of_table(element: Element) -> str:
    """Return the caption and a line for each row, such as `Merrow: Seats = 12; Grade = A`.

    If the column headers are unsure, the values have no names: `Toilet: 46 litres`. A row with only a label is a line
    of its own, as it is not known which of the rows below belong to it. Empty for a table without values.
    """
    grid = grid_of(element)
    sure_head = has_sure_head(element)
    slots = sorted((*grid.body, *(() if sure_head else grid.head)), key=lambda s: (s.row, s.col))
    rows: dict[int, list[Slot]] = {}
    for slot in slots:
        rows.setdefault(slot.row, []).append(slot)
    if not any(len(row) > 1 or row[0].col > 0 for row in rows.values()):
        return ""
    lines = [element.caption] if element.caption else []
    room = MOST_CHARS - sum(map(len, lines))
    for index, row in enumerate(rows.values()):
        line = _line(grid, row, sure_head)
        room -= len(line) + 1
        if room < 0:
            lines.append(f"({len(rows) - index} more rows)")
            break
        lines.append(line)
    return "\n".join(lines)


def has_sure_head(element: Element) -> bool:
    """Return True if the header cells of a table surely name its columns, so that `name = value` is safe.

    The header has no values and covers every column; every row has a label, and no two values under the same header; no
    cell holds, or spans, two columns; the cells of a column are of one kind, in some columns numbers. A list of names
    and values in two columns has no header, whatever its first row says.
    """
    grid = grid_of(element)
    values = [slot for slot in grid.body if not grid.is_label(slot)]
    names = [slot for slot in grid.head if slot.col > 0]
    if not names or not values or any(map(_reads_as_value, names)) or any(map(_has_several_numbers, (*names, *values))):
        return False
    if not all(grid.labels.get(slot.row) and slot.cols == 1 for slot in values):
        return False
    columns = {slot.col for slot in values}
    labels = [slot for row in grid.labels.values() for slot in row]
    is_list = len(columns) == 1 and any(slot.col == 0 for slot in grid.head)
    if is_list and _share_of_values(labels) < _MOSTLY:
        return False
    shares = [_share_of_values([slot for slot in values if slot.col == col]) for col in columns]
    of_one_kind = all(share >= _MOSTLY or share <= 1 - _MOSTLY for share in shares)
    return of_one_kind and max(shares) >= _MOSTLY and _head_covers(grid, columns) and _have_unique_names(grid, values)


def _head_covers(grid: TableGrid, columns: set[int]) -> bool:
    """Return True if every header row covers all columns; otherwise it is unclear which columns it names."""
    rows: dict[int, set[int]] = {}
    for slot in grid.head:
        rows.setdefault(slot.row, set()).update(range(slot.col, slot.col + min(slot.cols, max(columns) + 1)))
    return all(columns <= head_columns for head_columns in rows.values())


def _have_unique_names(grid: TableGrid, values: Sequence[Slot]) -> bool:
    """Return True if no two values of a row have the same column headers."""
    places: set[tuple[int, str]] = set()
    for slot in values:
        place = slot.row, _names(grid, slot)
        if place in places:
            return False
        places.add(place)
    return True


def _share_of_values(slots: Sequence[Slot]) -> float:
    return sum(map(_holds_value, slots)) / max(1, len(slots))


def _holds_value(slot: Slot) -> bool:
    return slot.numeric or bool(_VALUE.match(slot.text.lstrip()))


def _reads_as_value(slot: Slot) -> bool:
    """Return True for a cell of a head that is a value itself, such as 46 litres; a year is a name."""
    return _holds_value(slot) and not _YEAR.fullmatch(slot.text.strip())


def _has_several_numbers(slot: Slot) -> bool:
    """Return True for a cell of several numbers and nothing else: columns that were not separated."""
    words = slot.text.split()
    return sum(bool(_VALUE.match(word)) for word in words) > 1 and not any(c.isalpha() for c in slot.text)


def _line(grid: TableGrid, row: Sequence[Slot], sure: bool) -> str:
    """Return the cells of a row: its label, then each value, with the names of its columns if they are sure."""
    label = row[0] if row[0].col == 0 else None
    if label is not None and len(row) == 1:
        return _one_line(label)
    values = "; ".join(f"{_names(grid, s)} = {_one_line(s)}" if sure else _one_line(s) for s in row if s is not label)
    return f"{_LEADERS.sub(' ', _one_line(label)).rstrip()}: {values}" if label is not None else values


def _names(grid: TableGrid, slot: Slot) -> str:
    return " / ".join(dict.fromkeys(_one_line(h) for h in grid.heads(slot)))


def _one_line(slot: Slot) -> str:
    return " ".join(slot.text.split())
