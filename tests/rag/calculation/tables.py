"""Tables of our own, whose cells have boxes of their own."""

from collections.abc import Sequence

from indexing import BBox, Cell, Element


def table(rows: Sequence[Sequence[str]], heads: int = 1) -> Element:
    """Return rows as the table of a page: the first `heads` are its header, and every cell has a box of its own."""
    cells: list[Cell] = []
    lines: list[str] = []
    at = 0
    for number, row in enumerate(rows):
        pieces = [(column, text) for column, text in enumerate(row) if text]
        for column, text in pieces:
            left, top = column / len(row), number / len(rows)
            box = BBox(left, top, left + 0.9 / len(row), top + 0.9 / len(rows))
            cells.append(Cell(number, column, 1, 1, at, at + len(text), box, header=number < heads))
            at += len(text) + 3
        lines.append(" | ".join(text for _, text in pieces))
        at = sum(len(line) + 1 for line in lines)
    box = BBox(0.0, 0.0, 1.0, 1.0)
    return Element("t1", "d1", 3, "table", "\n".join(lines), box, "layer", cells=tuple(cells))
