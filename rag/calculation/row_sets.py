"""Sets of rows that a question says by way of others: all but these, those with more, one or the other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from rag.calculation.lexicon import ELSE, FIRST_FEW, ORDER, SAME, THAN, TOGETHER
from rag.calculation.match import Matched, RowSet

MOST_FURTHER = 40


def further_sets(matched: Matched, signs: set[str]) -> tuple[RowSet, ...]:
    """Return sets of rows made of those that the question names, where one of its words calls for that."""
    found: dict[tuple[int, ...], RowSet] = {}
    for one in _all(matched, signs):
        if one.rows and one.rows not in found:
            found[one.rows] = one
        if len(found) >= MOST_FURTHER:
            break
    return tuple(found.values())


def _all(matched: Matched, signs: set[str]) -> Iterator[RowSet]:
    base = [c for c in matched.conditions if c.kind == "has"]
    words = signs | set(matched.asked.keys)
    if words & TOGETHER:
        yield from _together(base)
    if words & ELSE:
        every = matched.sheet.parts
        yield from (replace(c, rows=tuple(r for r in every if r not in set(c.rows)), kind="not") for c in base)
    if words & ORDER:
        yield from _ordered(matched, base)
    if words & FIRST_FEW:
        yield from _first_few(matched)
    single = [c for c in base if len(c.rows) == 1]
    if words & THAN:
        yield from _beyond(matched, single)
    if words & SAME:
        yield from _same(matched, single)


def _together(base: list[RowSet]) -> Iterator[RowSet]:
    """Yield the rows of one or the other of two conditions on one column, and of all of them."""
    for n, one in enumerate(base):
        same = [two for two in base[n + 1 :] if two.columns == one.columns and not two.mask & one.mask]
        joined = one
        for two in same:
            rows = tuple(sorted({*one.rows, *two.rows}))
            yield RowSet(
                rows, "or", one.mask | two.mask, one.columns, min(one.whole, two.whole), min(one.start, two.start)
            )
            if not joined.mask & two.mask:
                rows = tuple(sorted({*joined.rows, *two.rows}))
                joined = RowSet(
                    rows, "or", joined.mask | two.mask, one.columns, min(joined.whole, two.whole), one.start
                )
        if len(same) > 1:
            yield joined
        for two in same:
            low, high = min(*one.rows, *two.rows), max(*one.rows, *two.rows)
            if high - low > 1:
                yield RowSet(
                    tuple(range(low, high + 1)),
                    "span",
                    one.mask | two.mask,
                    one.columns,
                    min(one.whole, two.whole),
                    one.start,
                )


def _first_few(matched: Matched) -> Iterator[RowSet]:
    """Yield the first or last so many rows: "the first three", "the top 10"."""
    size = len(matched.sheet.rows)
    for limit in matched.asked.limits:
        before = [t.key for t in matched.asked.every if t.start < limit.quantity.start][-1:]
        count = int(limit.quantity.value)
        counts = limit.quantity.kind == "number" and 1 < count < size
        if counts and before and before[0] in FIRST_FEW:
            last = before[0] in ("last", "bottom", "final")
            rows = range(size - count, size) if last else range(count)
            yield RowSet(tuple(rows), "last few" if last else "first few", limit.mask)


def _ordered(matched: Matched, base: list[RowSet]) -> Iterator[RowSet]:
    size = len(matched.sheet.rows)
    for c in base:
        yield replace(c, rows=tuple(range(c.rows[0])), kind="rows before")
        yield replace(c, rows=tuple(range(c.rows[-1] + 1, size)), kind="rows after")


def _beyond(matched: Matched, single: list[RowSet]) -> Iterator[RowSet]:
    """Yield the rows with more, and with less, than a row that the question names, by each column with an order."""
    sheet = matched.sheet
    for c in single[:3]:
        for at, kind in enumerate(sheet.kinds):
            own = sheet.rows[c.rows[0]][at]
            if kind == "text" or own is None or own.value is None or at in c.columns:
                continue
            level = own.value.amount
            there = [
                (r, e.value.amount) for r in sheet.parts if (e := sheet.rows[r][at]) is not None and e.value is not None
            ]
            mask, columns = c.mask | matched.heads[at][0], c.columns | {at}
            yield RowSet(tuple(r for r, v in there if v > level), "more than", mask, columns, c.whole, c.start)
            yield RowSet(tuple(r for r, v in there if v < level), "less than", mask, columns, c.whole, c.start)


def _same(matched: Matched, single: list[RowSet]) -> Iterator[RowSet]:
    sheet = matched.sheet
    for c in single[:4]:
        for at in range(len(sheet.heads)):
            own = sheet.rows[c.rows[0]][at]
            if own is None or at in c.columns:
                continue
            rows = [r for r, row in enumerate(sheet.rows) if (e := row[at]) is not None and e.text == own.text]
            others = tuple(r for r in rows if r != c.rows[0])
            yield RowSet(others, "same as", c.mask | matched.heads[at][0], c.columns | {at}, c.whole, c.start)
