"""The numbers of lines in the margin of a submission, as ICLR prints them: from a number to a place on a page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

Box = tuple[float, float, float, float]
MARGIN = 0.2
"""The share of a page's width, on either side, in which numbers of lines stand."""
ALIGNED = 0.012
"""The most that right edges of one column of numbers differ, in fractions of the width."""
FEWEST = 5
"""The fewest numbers in a row that are a numbering of lines."""
MOST_SKIPPED = 3
"""The largest step from one number to the next: a number may not have been read."""


@dataclass(frozen=True, slots=True)
class MarginLine:
    """A numbered line: its page, from 1, and its top, bottom and the right edge of its number, in fractions."""

    number: int
    page: int
    y0: float
    y1: float
    edge: float


def margin_lines(page: int, words: Iterable[tuple[str, Box]]) -> tuple[MarginLine, ...]:
    """Return the numbered lines of a page, top down, given its words with their boxes in fractions; none without any.

    It is the longest column of aligned numbers in a margin that count upwards as they go down.
    """
    numbers = sorted(
        (
            MarginLine(int(text), page, box[1], box[3], box[2])
            for text, box in words
            if len(text) <= 4 and text.isascii() and text.isdigit() and (box[2] < MARGIN or box[0] > 1 - MARGIN)
        ),
        key=lambda line: line.edge,
    )
    best: Sequence[MarginLine] = ()
    column: list[MarginLine] = []
    for line in numbers:
        if column and line.edge - column[0].edge > ALIGNED:
            best, column = max(best, _counted(column), key=len), []
        column.append(line)
    best = max(best, _counted(column), key=len)
    return tuple(best) if len(best) >= FEWEST else ()


def is_margin_number(text: str, box: Box, lines: Sequence[MarginLine]) -> bool:
    """Return True for a word that is one of these numbers, and no word of the text beside them."""
    return text.isdigit() and bool(lines) and abs(box[2] - lines[0].edge) <= 2 * ALIGNED


def _counted(column: Sequence[MarginLine]) -> Sequence[MarginLine]:
    """Return the longest run of a column, top down, in which each number is a little greater than the one above."""
    best: list[MarginLine] = []
    run: list[MarginLine] = []
    for line in sorted(column, key=lambda line: line.y0):
        if run and not 0 < line.number - run[-1].number <= MOST_SKIPPED:
            best, run = max(best, run, key=len), []
        run.append(line)
    return max(best, run, key=len)
