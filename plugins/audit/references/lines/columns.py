"""Columns: the words of a page as they are set -> its lines, column by column."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from indexing import BBox
from plugins.audit.marks import with_accents
from plugins.audit.references.lines.furniture import line_numbers
from plugins.audit.references.lines.text_line import TextLine

if TYPE_CHECKING:
    from indexing import PrintedPage, PrintedWord

BINS = 200
"""The strips into which the width of a page is cut to look for the white between its columns."""
CROSSED = 0.12
"""The share of the rows on a column's edge that may cross it: titles, wide figures, formulas."""

_Placed = tuple["PrintedWord", float, float, float, float]


def lines_of_page(page: PrintedPage, first_column: int = 0) -> list[TextLine]:
    """Return the lines of a page in reading order; its columns are counted from `first_column`.

    What crosses the white between two columns (a title, a wide table) stands in a column of its own, after what is
    above it and before what is below it.
    """
    items = [(word, *word.box.to_page(page.width, page.height)) for word in page.words]
    counting = line_numbers([(word.text, x0, x1, y0) for word, x0, y0, x1, _ in items])
    rows = _rows([item for index, item in enumerate(items) if index not in counting])
    gutter = _gutter(rows, page.width)
    results: list[TextLine] = []
    column = first_column
    for part in _parts(rows, gutter):
        lines = [_line(row, page.number, column) for row in part]
        results += [line for line in lines if line]
        column += 1
    return results


def _rows(items: Sequence[_Placed]) -> list[list[_Placed]]:
    """Return the words by their height on the page, each row from left to right."""
    rows: list[list[_Placed]] = []
    middle, height = 0.0, 0.0
    plain = [item for item in items if not item[0].joined]
    for item in sorted(plain, key=lambda p: ((p[2] + p[4]) / 2, p[1])):
        here = (item[2] + item[4]) / 2
        if rows and abs(here - middle) < 0.35 * min(height, item[4] - item[2]):
            rows[-1].append(item)
            middle += (here - middle) / len(rows[-1])
        else:
            rows.append([item])
            middle = here
        height = item[4] - item[2]
    followers: dict[int, list[_Placed]] = {}
    for before, item in itertools.pairwise(items):
        if item[0].joined:
            followers.setdefault(id(before), []).append(item)
    for row in rows:
        row.sort(key=lambda p: p[1])
        row[:] = [part for item in row for part in _with_joined(item, followers)]
    return rows


def _with_joined(item: _Placed, followers: dict[int, list[_Placed]]) -> list[_Placed]:
    """Return a word with the raised ones that are joined to it, and those joined to them."""
    chain = [item]
    while following := followers.get(id(chain[-1])):
        chain.append(following[0])
    return chain


def _gutter(rows: Sequence[Sequence[_Placed]], width: float) -> float | None:
    """Return the middle of the white between two columns in points; None where the page has one column.

    It is the strip in the middle half of the text, nearest to its centre, that few rows cross while many stand on both
    of its sides.
    """
    left = min((item[1] for row in rows for item in row), default=0.0)
    right = max((item[3] for row in rows for item in row), default=0.0)
    if right - left < 0.4 * width or len(rows) < 4:
        return None
    step = (right - left) / BINS
    crossing = [0] * (BINS + 1)
    for row in rows:
        bins = {b for item in row for b in range(int((item[1] - left) / step), int((item[3] - left) / step) + 1)}
        for strip in bins:
            crossing[min(strip, BINS)] += 1
    middle = range(BINS // 4, 3 * BINS // 4)
    open_strips = [b for b in middle if crossing[b] <= CROSSED * len(rows)]
    wide = [run for run in _runs(open_strips) if len(run) * step >= 0.008 * width]
    if not wide:
        return None
    best = min(wide, key=lambda run: abs(run[0] + run[-1] - BINS))  # the white behind labels is further out
    least = min(crossing[b] for b in best)
    narrow = max(_runs([b for b in best if crossing[b] == least]), key=len)
    edge = left + step * (narrow[0] + narrow[-1] + 1) / 2
    sides = [0, 0]
    for row in rows:
        sides[0] += any(item[3] < edge for item in row)
        sides[1] += any(item[1] > edge for item in row)
    chars = sum(len(item[0].text) for row in rows for item in row if item[1] > edge)
    every = sum(len(item[0].text) for row in rows for item in row)
    enough = min(sides) >= 3 and 0.06 * every < chars < 0.94 * every
    return edge if enough and _is_aligned(rows, edge) else None


def _is_aligned(rows: Sequence[Sequence[_Placed]], edge: float) -> bool:
    """Return True if the right column has a left edge: a third of its lines start within 3 points of two places."""
    starts = Counter(round(next(i[1] for i in row if i[1] > edge) / 3) for row in rows if any(i[1] > edge for i in row))
    if not starts:
        return False
    best = sum(count for _, count in starts.most_common(3))
    return best >= max(2, sum(starts.values()) / 3)


def _runs(strips: Sequence[int]) -> list[list[int]]:
    """Return the stretches of numbers that follow one another; none for no numbers."""
    runs: list[list[int]] = []
    for strip in strips:
        if runs and strip == runs[-1][-1] + 1:
            runs[-1].append(strip)
        else:
            runs.append([strip])
    return runs


def _parts(rows: Sequence[list[_Placed]], gutter: float | None) -> list[list[list[_Placed]]]:
    """Return the rows by column: the left ones, the right ones, and those over both between what they part."""
    if gutter is None:
        return [list(rows)]
    parts: list[list[list[_Placed]]] = []
    left: list[list[_Placed]] = []
    right: list[list[_Placed]] = []
    for row in rows:
        if any(item[1] < gutter < item[3] for item in row) or _runs_over(row, gutter):
            parts += [part for part in (left, right) if part]
            left, right = [], []
            if parts and parts[-1] and _over(parts[-1][-1], gutter):
                parts[-1].append(row)
            else:
                parts.append([row])
            continue
        for side, inside in ((left, [i for i in row if i[3] <= gutter]), (right, [i for i in row if i[3] > gutter])):
            if inside:
                side.append(inside)
    return parts + [part for part in (left, right) if part]


def _over(row: Sequence[_Placed], gutter: float) -> bool:
    return row[0][1] < gutter < row[-1][3]


def _runs_over(row: Sequence[_Placed], gutter: float) -> bool:
    """Return True if words stand so near to both sides of the white that a sentence runs over it."""
    before = max((item[3] for item in row if item[3] <= gutter), default=None)
    after = min((item[1] for item in row if item[1] >= gutter), default=None)
    if before is None or after is None:
        return False
    return after - before < 0.45 * max(row[0][0].size, 1.0)


def _line(row: Sequence[_Placed], page: int, column: int) -> TextLine | None:
    text, superscripts = "", []
    for item in row:
        word = item[0]
        part = with_accents(word.text)
        text += "" if word.joined or not text else " "
        if word.raised:
            superscripts.append((len(text), len(text) + len(part)))
        text += part
    if not text.strip():
        return None
    weight = Counter[float]()
    for item in row:
        weight[round(item[0].size, 1)] += len(item[0].text)
    bold = sum(len(item[0].text) for item in row if item[0].bold) > 0.5 * len(text)
    level = [item for item in row if not item[0].raised] or list(row)
    return TextLine(
        text, page, column, row[0][1], max(i[3] for i in row), min(i[2] for i in level), max(i[4] for i in level),
        weight.most_common(1)[0][0], bold, BBox.union(item[0].box for item in row), tuple(superscripts),
    )  # fmt: skip
