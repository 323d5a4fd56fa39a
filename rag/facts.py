"""A table -> its facts, a row a line, each value under the names of its column: no model is asked."""

from __future__ import annotations

from indexing import Element
from rag.check.grid import Grid, Slot, grid_of

MOST_CHARS = 6000
"""Facts beyond this are left out, by whole rows, and it is said how many."""


def facts_of_table(element: Element) -> str:
    """`Merrow: Seats = 12; Grade = A`, a line for each row, after its caption; empty for a table without a value.

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


def _row(grid: Grid, number: int) -> str:
    """The facts of a row; empty where it has no value."""
    values = sorted((s for s in grid.row(number) if not grid.is_label(s)), key=lambda s: s.col)
    if not values:
        return ""
    group = grid.groups.get(number)
    names = [_one_line(s) for s in ((group,) if group else ()) + grid.labels.get(number, ())]
    told = "; ".join(_value(grid, slot) for slot in values)
    return f"{', '.join(names)}: {told}" if names else told


def _value(grid: Grid, slot: Slot) -> str:
    heads = " / ".join(dict.fromkeys(_one_line(h) for h in grid.heads(slot)))
    return f"{heads} = {_one_line(slot)}" if heads else _one_line(slot)


def _one_line(slot: Slot) -> str:
    return " ".join(slot.text.split())
