"""A table -> its facts, a row a line, each value under the names of its column: no model is asked."""

from __future__ import annotations

from indexing import Element
from rag.attribution.claims import Slot, TableGrid, grid_of

MOST_CHARS = 6000
"""The most characters of facts; further rows are left out whole, and a line says how many."""


def facts_of_table(element: Element) -> str:
    """Return `Merrow: Seats = 12; Grade = A`, a line for each row, after the caption; empty for a table without values.

    Group lines stand before the label of their rows. A row that has nothing but a label tells nothing.
    """
    grid = grid_of(element)
    lines = [element.caption] if element.caption else []
    rows = [line for number in dict.fromkeys(slot.row for slot in grid.body) if (line := _row(grid, number))]
    if not rows:
        return ""
    room = MOST_CHARS - sum(map(len, lines))
    for done, row in enumerate(rows):
        room -= len(row) + 1
        if room < 0:
            lines.append(f"({len(rows) - done} more rows)")
            break
        lines.append(row)
    return "\n".join(lines)


def _row(grid: TableGrid, number: int) -> str:
    """Return the facts of a row; empty where it has no value."""
    values = sorted((s for s in grid.row(number) if not grid.is_label(s)), key=lambda s: s.col)
    if not values:
        return ""
    group = grid.groups.get(number)
    names = [_one_line(s) for s in ((group,) if group else ()) + grid.labels.get(number, ())]
    told = "; ".join(_value(grid, slot) for slot in values)
    return f"{', '.join(names)}: {told}" if names else told


def _value(grid: TableGrid, slot: Slot) -> str:
    heads = " / ".join(dict.fromkeys(_one_line(h) for h in grid.heads(slot)))
    return f"{heads} = {_one_line(slot)}" if heads else _one_line(slot)


def _one_line(slot: Slot) -> str:
    return " ".join(slot.text.split())
