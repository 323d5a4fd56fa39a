"""A table's words and the layout model's grid -> rows of cells with boxes, and a text with one row a line."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from indexing.parse.orientation import Frame
from indexing.parse.scan import Word, bounding_box
from indexing.parse.text import TextBuilder, clean, lines_of
from indexing.types import Cell, Words
from indexing.typography import RAISED_DIGITS, RAISED_LETTERS

CELL_GAP = " | "
MAX_HEADER_ROWS = 4

Slot = tuple[int, int, int, int]
"""A slot of the grid: row, column, row span, column span."""


@dataclass(frozen=True, slots=True)
class LayoutGrid:
    """The layout model's reading of a table, in points of the upright page.

    `columns` are the x of the inner column borders; `fragments` are boxes of text pieces with the slot that the model
    gave them.
    """

    columns: tuple[float, ...]
    fragments: tuple[tuple[tuple[float, float, float, float], Slot], ...]


def table_text(
    words: Sequence[Word], grid: LayoutGrid, frame: Frame, lexicon: frozenset[str] = frozenset()
) -> tuple[str, Words, tuple[Cell, ...]]:
    """Return a table's words laid out in the model's grid: text, word boxes and cells; `lexicon` as for `TextBuilder`.

    Rows of the text are separated by newlines, cells by " | ", repeated for each empty one before a filled one. Columns
    without words are left out.
    """
    slots = _slots([word for word in words if clean(word.text)], grid)
    columns = sorted({slot[1] for slot in slots})
    headers = _header_rows(slots)
    builder = TextBuilder(frame, lexicon)
    cells: list[Cell] = []
    for row in sorted({slot[0] for slot in slots}):
        if builder.length:
            builder.add("\n")
        before = 0
        for n, slot in enumerate(sorted(s for s in slots if s[0] == row)):
            column = columns.index(slot[1])
            if column or n:
                builder.add(CELL_GAP * max(column - before, min(n, 1)))
            start, before = builder.length, column
            for line in lines_of(slots[slot]):
                builder.add_line(line)
            box = frame.box(*bounding_box(slots[slot]))
            if box:
                cells.append(Cell(*slot, start, builder.length, box, row < headers))
    text, places = builder.result()
    return text, places, tuple(replace(c, start=_start_of_text(text, c)) for c in cells)


def _start_of_text(text: str, cell: Cell) -> int:
    start = cell.start
    while start < cell.end and text[start].isspace():
        start += 1
    return start


def _slots(words: Sequence[Word], grid: LayoutGrid) -> dict[Slot, list[Word]]:
    """Return words by slot: that of the fragment around them or nearest to them, unless it is split by columns."""
    per_fragment: dict[int, list[Word]] = defaultdict(list)
    for word in words:
        per_fragment[_nearest_fragment(word, grid)].append(word)
    slots: dict[Slot, list[Word]] = defaultdict(list)
    for index, fragment_words in sorted(per_fragment.items()):
        slot = grid.fragments[index][1]
        split = _split_fragment(fragment_words, slot, grid.columns)
        for part_slot, slot_words in split.items():
            slots[part_slot].extend(slot_words)
    return {slot: sorted(part_words, key=lambda w: (w.line, w.x0)) for slot, part_words in slots.items()}


def _nearest_fragment(word: Word, grid: LayoutGrid) -> int:
    """Return the index of the fragment nearest to a word's middle; distances in y count twice."""
    x, y = (word.x0 + word.x1) / 2, (word.y0 + word.y1) / 2

    def distance(index: int) -> float:
        x0, y0, x1, y1 = grid.fragments[index][0]
        return max(x0 - x, x - x1, 0.0) ** 2 + 4 * max(y0 - y, y - y1, 0.0) ** 2

    return min(range(len(grid.fragments)), key=distance)


def _split_fragment(words: Sequence[Word], slot: Slot, columns: Sequence[float]) -> Mapping[Slot, list[Word]]:
    """Return a fragment's words by slot: by column, if each column it spans has words and wide gaps separate them."""
    row, col, rows, span = slot
    if span == 1 or len(words) < span:
        return {slot: list(words)}
    per_column: dict[int, list[Word]] = defaultdict(list)
    for word in words:
        middle = (word.x0 + word.x1) / 2
        at = sum(border <= middle for border in columns)
        per_column[min(max(at, col), col + span - 1)].append(word)
    if len(per_column) < span:
        return {slot: list(words)}
    for left in range(col, col + span - 1):
        gap = min(w.x0 for w in per_column[left + 1]) - max(w.x1 for w in per_column[left])
        height = max(w.y1 - w.y0 for w in per_column[left])
        if gap < 0.6 * height:
            return {slot: list(words)}
    return {(row, column, rows, 1): column_words for column, column_words in per_column.items()}


_NOTED = rf"(?:[{RAISED_DIGITS}{RAISED_LETTERS}]++(?:,[{RAISED_DIGITS}{RAISED_LETTERS}]++)*+)?$"
_NUMBER = re.compile(r"^[-+(\u2212]?[$\u20ac\u00a3]?\s?\d[\d.,\s]*%?\)?" + _NOTED)
_YEAR = re.compile(r"^(19|20)\d\d" + _NOTED)
_NOTE = re.compile(r"^\(\d\)$")
_WORD = re.compile(r"[^\W\d_]{3}")


def _header_rows(slots: Mapping[Slot, Sequence[Word]]) -> int:
    """Return the number of leading header rows: those before the first row with values; 1 if none of them has any."""
    rows = sorted({slot[0] for slot in slots})
    for position, row in enumerate(rows[: MAX_HEADER_ROWS + 1]):
        if _has_values(
            [" ".join(w.text for w in slot_words) for slot, slot_words in slots.items() if slot[0] == row and slot[1]]
        ):
            return rows[position] if position else 0
    return rows[1] if len(rows) > 1 else 0


def _has_values(texts: Sequence[str]) -> bool:
    """Return True if a cell is a number, other than a year and than the sign of a note, "(1)", in a row with words."""
    numbers = [text for text in texts if _NUMBER.match(text) and not _YEAR.match(text)]
    notes = all(map(_NOTE.match, numbers)) and any(map(_WORD.search, texts))
    return bool(numbers) and not notes
