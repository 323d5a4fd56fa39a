"""A matched question -> the programs that could answer it: a bounded number, none of them judged yet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import islice, pairwise

from rag.calculation.lexicon import (
    APART,
    CHOICE,
    COMBINED,
    DOWNWARD,
    ENDS,
    EXTREMES,
    NEXT,
    PERCENT,
    RANKED,
    SHARES,
    UPWARD,
)
from rag.calculation.match import Matched, RowSet
from rag.calculation.program import Program, amounts, column, decimals_of, number, texts
from rag.calculation.row_sets import further_sets
from rag.calculation.sheet import Entry, TableSheet

MOST_LISTED = 12
"""The most rows whose cells are listed as an answer."""
MOST_SORTED = 10
"""The sets of rows, best first, in which extremes are looked for."""
MOST_NEIGHBOURED = 15
"""The sets of rows whose neighbours are looked at."""
MOST_PROGRAMS = 2500
BOUNDS = (">", ">=", "<", "<=")


def programs(matched: Matched) -> list[Program]:
    """Return the programs for a question and a sheet, at most `MOST_PROGRAMS`."""
    signs = set(matched.asked.signs) | ({"percent"} if "%" in matched.asked.text else set())
    bounds = _bounds(matched)
    meant = (
        p
        for p in _all(matched, signs)
        if any(p.answer)
        and not _contradicts(p, matched.sheet, signs)
        and not bounds & ~p.rows.mask & ~(p.other.mask if p.other else 0)
    )
    return list(islice(meant, MOST_PROGRAMS))


def _bounds(matched: Matched) -> int:
    """Return the mask of the numbers with a bound ("more than 100") that some rows meet: these are not left out."""
    bounds = [li.mask for li in matched.asked.limits if li.comparison in BOUNDS and li.quantity.kind == "number"]
    met = [c.mask for c in matched.conditions if "limit" in c.kind]
    return sum({mask for mask in bounds if any(mask & m for m in met)})


def _all(matched: Matched, signs: set[str]) -> Iterator[Program]:
    """Yield every program, those of which a large table has too many last."""
    sheet = matched.sheet
    sets = (*matched.sets, *further_sets(matched, signs))
    for rows in sets:
        yield from _listed(sheet, rows)
        yield from _counted(sheet, rows, signs)
    if signs & NEXT:
        for rows in sets[:MOST_NEIGHBOURED]:
            yield from _neighbours(sheet, rows)
    yield from _pairs(matched, signs)
    for rows in [s for s in sets if len(s.rows) > 1][:MOST_SORTED]:
        yield from _aggregates(sheet, rows, signs)
        if signs & ENDS:
            yield from _ends(sheet, rows)
        if signs & EXTREMES:
            yield from _frequent(sheet, rows)
            yield from _extremes(sheet, rows, signs)


def _contradicts(program: Program, sheet: TableSheet, signs: set[str]) -> bool:
    """Return True for what cannot be meant: the least where the most is asked for, no percentage where one is."""
    up, down = bool(signs & UPWARD), bool(signs & DOWNWARD)
    low = program.operation.startswith(("least", "minimum", "the lesser", "fewer"))
    high = program.operation.startswith(("greatest", "maximum", "the greater", "more", "most"))
    if program.measured >= 0 and not RANKED & set(sheet.heads[program.measured].text.lower().split()):
        up, down = up or "highest" in signs, down or "lowest" in signs
    if (low and up and not down) or (high and down and not up):
        return True
    differs = program.operation in ("apart", "second less first", "first less second")
    return differs and bool(signs & PERCENT) and not _in_percent(program, sheet)


def _in_percent(program: Program, sheet: TableSheet) -> bool:
    """Return True if the operands are percentages: by their sign, or by a word of their column or rows."""
    if any(e.value is not None and e.value.unit == "%" for e in program.operands):
        return True
    rows = [row[0] for row in sheet.rows if row[0] is not None and any(e in row for e in program.operands)]
    said = " ".join((sheet.heads[program.measured].text, *(e.text for e in rows))).lower()
    return any(word in said for word in ("%", "percent", "per cent", "rate", "margin", "share", "ratio"))


def _listed(sheet: TableSheet, rows: RowSet) -> Iterator[Program]:
    if len(rows.rows) > MOST_LISTED:
        return
    for at in range(len(sheet.heads)):
        entries = column(sheet, rows.rows, at)
        if entries:
            yield Program("look up", rows, texts(entries), tuple(entries), shown=at)


def _counted(sheet: TableSheet, rows: RowSet, signs: set[str]) -> Iterator[Program]:
    if not signs & {"many", "number", "total", "count", "times", "amount", "much"}:
        return
    said = min(rows.columns, default=0)
    entries = column(sheet, rows.rows, said) or [e for r in rows.rows for e in sheet.rows[r] if e is not None][:1]
    yield Program("count", rows, (str(len(rows.rows)),), tuple(entries), value=float(len(rows.rows)))
    for at, kind in enumerate(sheet.kinds):
        if kind == "number" and not signs & {"different", "unique", "distinct"}:
            continue
        entries = column(sheet, rows.rows, at)
        kinds = {e.text.lower() for e in entries}
        if len(kinds) < len(rows.rows):
            yield Program("count kinds", rows, (str(len(kinds)),), tuple(entries), shown=at, value=float(len(kinds)))


def _extremes(sheet: TableSheet, rows: RowSet, signs: set[str]) -> Iterator[Program]:
    """Yield the rows with the greatest and the least value of each column that has an order."""
    nth = next((n for n, word in enumerate(("second", "third", "fourth", "fifth"), 1) if word in signs), 0)
    for at, kind in enumerate(sheet.kinds):
        if kind == "text":
            continue
        valued = [(r, e) for r in rows.rows if (e := sheet.rows[r][at]) is not None and e.value is not None]
        if len(valued) < 2:
            continue
        levels = sorted({e.value.amount for _, e in valued if e.value is not None})
        for name, ordered in (("greatest", levels[::-1]), ("least", levels)):
            for place in {0, nth} if nth < len(ordered) else {0}:
                best = [(r, e) for r, e in valued if e.value is not None and e.value.amount == ordered[place]]
                operation = f"{name} {place + 1}" if place else name
                for shown in range(len(sheet.heads)):
                    entries = column(sheet, [r for r, _ in best], shown)
                    if shown != at and entries:
                        yield Program(operation, rows, texts(entries), (*entries, *(e for _, e in best)), at, shown)


def _frequent(sheet: TableSheet, rows: RowSet) -> Iterator[Program]:
    for at, kind in enumerate(sheet.kinds):
        entries = column(sheet, rows.rows, at)
        counts = Counter(e.text for e in entries)
        if kind == "number" or len(counts) < 2 or len(counts) == len(entries):
            continue
        for name, level in (("most frequent", max(counts.values())), ("least frequent", min(counts.values()))):
            best = [text for text, n in counts.items() if n == level]
            if len(best) <= 2:
                own = tuple(e for e in entries if e.text in best)
                yield Program(name, rows, tuple(best), own, shown=at)


def _ends(sheet: TableSheet, rows: RowSet) -> Iterator[Program]:
    for name, row in (("first", rows.rows[0]), ("last", rows.rows[-1])):
        for at in range(len(sheet.heads)):
            entry = sheet.rows[row][at]
            if entry is not None:
                yield Program(name, rows, (entry.text,), (entry,), shown=at)


def _aggregates(sheet: TableSheet, rows: RowSet, signs: set[str]) -> Iterator[Program]:
    for at, kind in enumerate(sheet.kinds):
        entries = [e for e in column(sheet, rows.rows, at) if e.value is not None]
        if kind != "number" and not (kind == "moment" and signs & EXTREMES):
            continue
        if len(entries) < 2:
            continue
        values, places = amounts(entries), decimals_of(entries)
        if signs & EXTREMES:
            for name, best in (("maximum", max), ("minimum", min)):
                n = values.index(best(values))
                yield Program(name, rows, (entries[n].text,), (entries[n],), at, at, values[n])
        if kind != "number":
            continue
        if signs & COMBINED:
            total = sum(values)
            yield Program("sum", rows, (number(total, places),), tuple(entries), at, -1, total)
        if signs & {"average", "mean"}:
            mean = sum(values) / len(values)
            yield Program("average", rows, (number(mean),), tuple(entries), at, -1, mean)
        if signs & {"difference", "between", "range"} and len(entries) > 2:
            ends = [entries[values.index(max(values))], entries[values.index(min(values))]]
            span = max(values) - min(values)
            yield Program("range", rows, (number(span, places),), tuple(ends), at, -1, span)


def _neighbours(sheet: TableSheet, rows: RowSet) -> Iterator[Program]:
    before, after = rows.rows[0] - 1, rows.rows[-1] + 1
    if len(rows.rows) > 3:
        return
    for name, row in (("row before", before), ("row after", after)):
        if 0 <= row < len(sheet.rows):
            for at in range(len(sheet.heads)):
                entry = sheet.rows[row][at]
                if entry is not None:
                    yield Program(name, rows, (entry.text,), (entry,), shown=at)


def _pairs(matched: Matched, signs: set[str]) -> Iterator[Program]:
    """Yield what compares two rows (or sets of rows) that the question names."""
    named = [c for c in matched.conditions if len(c.rows) < len(matched.sheet.rows)]
    done = 0
    for n, one in enumerate(named):
        for two in named[n + 1 :]:
            if one.mask & two.mask or one.columns != two.columns or one.rows == two.rows or done > 20:
                continue
            done += 1
            first, second = sorted((one, two), key=lambda c: c.start)
            yield from _of_pair(matched.sheet, first, second, signs)
    rows = range(len(matched.sheet.rows))
    if signs & (APART | SHARES) and len(rows) <= 6:
        for a, b in pairwise(rows):
            if len(rows) == 2 or a == 0:
                yield from _apart(matched.sheet, _implied(a), _implied(b), signs)
    if signs & (APART | {"long", "years"}) and {"first", "last"} <= signs and len(rows) > 2:
        yield from _apart(matched.sheet, _implied(0), _implied(rows[-1]), signs)
    if signs & SHARES:
        yield from _shares(matched)


def _implied(row: int) -> RowSet:
    return RowSet((row,), "implied")


def _of_pair(sheet: TableSheet, first: RowSet, second: RowSet, signs: set[str]) -> Iterator[Program]:
    if signs & CHOICE:
        yield from _choices(sheet, first, second)
    if signs & APART and len(first.rows) + len(second.rows) > 2:
        here, there = len(first.rows), len(second.rows)
        cells = tuple(e for s in (first, second) for e in column(sheet, s.rows, min(s.columns)))
        yield Program(
            "difference of counts",
            first,
            (str(abs(here - there)),),
            cells,
            value=float(abs(here - there)),
            other=second,
        )
    if len(first.rows) == 1 and len(second.rows) == 1:
        yield from _apart(sheet, first, second, signs)


def _choices(sheet: TableSheet, first: RowSet, second: RowSet) -> Iterator[Program]:
    """Yield which of two is more, less, earlier or later in the table."""
    at = min(first.columns)
    one, two = sheet.rows[first.rows[0]][at], sheet.rows[second.rows[0]][at]
    if one is None or two is None:
        return
    if len(first.rows) != len(second.rows):
        more, less = (one, two) if len(first.rows) > len(second.rows) else (two, one)
        for name, entry in (("more rows", more), ("fewer rows", less)):
            yield Program(name, first, (entry.text,), (entry,), shown=at, other=second)
    for name, entry in (
        ("earlier row", min((one, two), key=lambda e: (e.row, e.col))),
        ("later row", max((one, two), key=lambda e: (e.row, e.col))),
    ):
        yield Program(name, first, (entry.text,), (entry,), shown=at, other=second)
    for measured, kind in enumerate(sheet.kinds):
        here = [e for e in column(sheet, first.rows, measured) if e.value is not None]
        there = [e for e in column(sheet, second.rows, measured) if e.value is not None]
        if kind == "text" or measured == at or not here or not there:
            continue
        a, b = sum(e.value.amount for e in here if e.value), sum(e.value.amount for e in there if e.value)
        if a != b:
            high, low = (one, two) if a > b else (two, one)
            cells = (*here, *there)
            yield Program("the greater", first, (high.text,), (high, *cells), measured, at, other=second)
            yield Program("the lesser", first, (low.text,), (low, *cells), measured, at, other=second)


def _apart(sheet: TableSheet, first: RowSet, second: RowSet, signs: set[str]) -> Iterator[Program]:
    """Yield differences, changes in percent and ratios of two rows in each column of numbers, both ways round."""
    for at, kind in enumerate(sheet.kinds):
        one, two = sheet.rows[first.rows[0]][at], sheet.rows[second.rows[0]][at]
        if (
            one is None
            or two is None
            or one.value is None
            or two.value is None
            or (kind == "text" and not sheet.turned)
        ):
            continue
        for name, x, y, a, b in (
            ("second less first", two, one, second, first),
            ("first less second", one, two, first, second),
        ):
            u, v = amounts((x, y))
            places = decimals_of((x, y))
            if signs & APART or {"how", "long"} <= signs:
                yield Program(name, a, (number(u - v, places),), (x, y), at, -1, u - v, b)
                if name == "second less first":
                    yield Program("apart", a, (number(abs(u - v), places),), (x, y), at, -1, abs(u - v), b)
            if signs & SHARES and v:
                change = 100.0 * (u - v) / v
                yield Program(f"percent {name}", a, (number(change),), (x, y), at, -1, change, b)
                yield Program(f"percent {name} of", a, (number(100.0 * u / v),), (x, y), at, -1, 100.0 * u / v, b)
                if "ratio" in signs:
                    yield Program(f"ratio {name}", a, (number(u / v),), (x, y), at, -1, u / v, b)


def _shares(matched: Matched) -> Iterator[Program]:
    """Yield the share of a row in the total of its column: the row that is called total, else the sum."""
    sheet = matched.sheet
    totals = [r for r, row in enumerate(sheet.rows) if row[0] is not None and "overall" in row[0].words]
    for rows in matched.conditions:
        if len(rows.rows) != 1:
            continue
        for at, kind in enumerate(sheet.kinds):
            part = sheet.rows[rows.rows[0]][at]
            if part is None or part.value is None or (kind == "text" and not sheet.turned):
                continue
            for total in totals[:2] if totals else ():
                whole = sheet.rows[total][at]
                if whole is not None and whole.value is not None and whole.value.written and total != rows.rows[0]:
                    yield _share(rows, part, whole, at)


def _share(rows: RowSet, part: Entry, whole: Entry, at: int) -> Program:
    u, v = amounts((part, whole))
    share = 100.0 * u / v if v else 0.0
    return Program("share", rows, (number(share),), (part, whole), at, -1, share)
