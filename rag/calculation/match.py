"""The words of a question found in a sheet: columns that it names, and rows that meet its conditions."""

from __future__ import annotations

import difflib
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from rag.calculation.question import Asked, Limit
from rag.calculation.sheet import Entry, TableSheet

MOST_CONDITIONS, MOST_SETS = 12, 40
ALIKE, SPELLED = 0.84, 5


@dataclass(frozen=True, slots=True)
class RowSet:
    """Rows of a sheet in their order, and how the question says them.

    `mask` are the words that it is said with, `columns` where they are found, `kind` names the conditions, `whole` is
    the least share of a matched cell that is said, `cells` are the cells that were matched.
    """

    rows: tuple[int, ...]
    kind: str = "all"
    mask: int = 0
    columns: frozenset[int] = frozenset()
    whole: float = 1.0
    start: int = 0


@dataclass(frozen=True)
class Matched:
    """A question matched with a sheet."""

    asked: Asked
    sheet: TableSheet

    @cached_property
    def stems(self) -> tuple[str, ...]:
        """The stems of the question, a misspelt one replaced by the word of the table that it is most like."""
        known = self.sheet.vocabulary
        long = [w for w in known if len(w) >= SPELLED - 1]
        return tuple(_spelled(t.stem, t.key, known, long) for t in self.asked.words)

    @cached_property
    def heads(self) -> tuple[tuple[int, float], ...]:
        """The words that name each column, as a mask, with the share of its head that they are."""
        return tuple(self._named(head.words) for head in self.sheet.heads)

    def _named(self, words: tuple[str, ...]) -> tuple[int, float]:
        own = set(words)
        if not own:
            return 0, 0.0
        mask = sum(1 << n for n, stem in enumerate(self.stems) if stem in own)
        said = {stem for stem in self.stems if stem in own}
        return mask, len(said) / len(own)

    @cached_property
    def conditions(self) -> tuple[RowSet, ...]:
        """The rows for each piece of the question that cells have, the longest pieces first."""
        found = [c for column in range(len(self.sheet.heads)) for c in self._in_column(column)]
        limited = list(self._limited())
        named = [c for c in limited if any(self.heads[at][0] & self.asked.content for at in c.columns)]
        found += named or limited
        found += self._blank()
        found.sort(key=lambda c: (-(c.mask & self.asked.content).bit_count(), -c.whole, len(c.rows), min(c.columns)))
        return tuple(found[:MOST_CONDITIONS])

    def _in_column(self, column: int) -> list[RowSet]:
        index: dict[str, set[int]] = defaultdict(set)
        joined: dict[int, str] = {}
        lengths: dict[int, int] = {}
        for n, row in enumerate(self.sheet.rows):
            entry = row[column]
            if entry is not None:
                joined[n] = f" {' '.join(entry.words)} "
                lengths[n] = len(entry.words)
                for word in entry.words:
                    index[word].add(n)
        found: list[RowSet] = []
        reach = 0
        for at in range(len(self.stems)):
            rows, end = index.get(self.stems[at], set()), at + 1
            if not rows:
                continue
            while end < len(self.stems):
                said = f" {' '.join(self.stems[at : end + 1])} "
                more = {n for n in rows if said in joined[n]}
                if not more:
                    break
                rows, end = more, end + 1
            if end > reach:
                reach = end
                found += _matches(rows, lengths, at, end, column)
        return found

    def _blank(self) -> Iterable[RowSet]:
        """Yield the rows that have nothing, or a dash, under a head that the question denies ("no zip code")."""
        if not set(self.asked.keys) & {"no", "not", "without", "never"}:
            return
        for column, (mask, _) in enumerate(self.heads):
            if mask & self.asked.content:
                blank = [n for n, row in enumerate(self.sheet.rows) if _is_blank(row[column])]
                if 0 < len(blank) < len(self.sheet.rows):
                    yield RowSet(tuple(blank), "blank", mask, frozenset((column,)), 1.0, mask.bit_length())

    def _limited(self) -> Iterable[RowSet]:
        """Yield the rows that a number of the question compares with, for each column that it could be about."""
        limits = self.asked.limits
        for n, limit in enumerate(limits):
            low = limits[n - 1] if limit.comparison == "to" else None
            for column in range(len(self.sheet.heads)):
                kind = self.sheet.kinds[column]
                if kind == "text":
                    continue
                cells = [(r, self.sheet.rows[r][column]) for r in self.sheet.parts]
                rows = [r for r, e in cells if e is not None and _meets(e, limit, low)]
                if len(rows) > 0 and (len(rows) < len(self.sheet.rows) or limit.comparison != "="):
                    mask = limit.mask | (low.mask if low else 0)
                    name = {"=": "equal", "to": "range"}.get(limit.comparison, "limit")
                    name = "range" if limit.quantity.kind == "label" else name
                    yield RowSet(tuple(rows), name, mask, frozenset((column,)), 1.0, mask.bit_length())

    @cached_property
    def sets(self) -> tuple[RowSet, ...]:
        """The sets of rows that the question may be about: all, each condition, and conditions together."""
        every = RowSet(self.sheet.parts)
        found = {every.rows: every}
        singles = self.conditions
        for one in singles:
            _keep(found, one)
        for n, one in enumerate(singles):
            for two in singles[n + 1 :]:
                if not one.mask & two.mask and (joined := _both(one, two)) is not None:
                    _keep(found, joined)
        whole: RowSet | None = None
        for one in singles:
            if whole is None:
                whole = one
            elif not whole.mask & one.mask and (both := _both(whole, one)) is not None:
                whole = both
        if whole is not None:
            _keep(found, whole)
        return tuple(list(found.values())[:MOST_SETS])


def _keep(found: dict[tuple[int, ...], RowSet], one: RowSet) -> None:
    """Keep a set of rows unless the same is there, said with as many words."""
    before = found.get(one.rows)
    if before is None or (before.mask.bit_count(), before.whole) < (one.mask.bit_count(), one.whole):
        found[one.rows] = one


def _both(a: RowSet, b: RowSet) -> RowSet | None:
    rows = tuple(r for r in a.rows if r in set(b.rows))
    if not rows or len(rows) == len(b.rows) == len(a.rows):
        return None
    kind = "+".join(sorted((a.kind, b.kind)))
    return RowSet(rows, kind, a.mask | b.mask, a.columns | b.columns, min(a.whole, b.whole), min(a.start, b.start))


def _matches(rows: set[int], lengths: dict[int, int], at: int, end: int, column: int) -> list[RowSet]:
    """Return the rows that have a piece of the question, and those apart of which it is the whole cell."""
    mask = sum(1 << n for n in range(at, end))
    size = end - at
    share = max(size / lengths[n] for n in rows)
    found = [
        RowSet(tuple(sorted(rows)), "has", mask, frozenset((column,)), min(1.0, *(size / lengths[n] for n in rows)), at)
    ]
    whole = [n for n in rows if lengths[n] == size]
    if share >= 1.0 and len(whole) < len(rows):
        found.append(RowSet(tuple(sorted(whole)), "has", mask, frozenset((column,)), 1.0, at))
    return found


def _meets(entry: Entry, limit: Limit, low: Limit | None) -> bool:
    """Return True if a cell's value stands to a number as the question says; a year holds the moments in it."""
    value, asked = entry.value, limit.quantity
    if value is None:
        return False
    there, here = value.amount, asked.value
    if asked.kind == "number" and asked.scaled and abs(value.amount) < 0.1 * abs(here) and limit.bare:
        here = limit.bare
    if asked.kind == "label":
        return value.kind == "moment" and asked.value <= value.amount < asked.value + 10
    if asked.kind == "moment":
        if value.kind == "number" and not 1000 <= value.amount < 2200:
            return False
        here = asked.year + (31.0 * asked.month + asked.day) / 404.0
        there = there if asked.month else float(int(there))
    elif value.kind == "moment":
        there = value.written
    if low is not None:
        first = low.quantity.value if low.quantity.kind == "number" else float(low.quantity.year)
        last = here if asked.kind == "number" else float(asked.year)
        return first <= float(int(there) if asked.kind == "moment" else there) <= last
    close = abs(there - here) <= 1e-9 * max(1.0, abs(here))
    return {
        "=": close,
        ">": there > here and not close,
        ">=": there >= here,
        "<": there < here and not close,
        "<=": there <= here,
    }[limit.comparison]


def _is_blank(entry: Entry | None) -> bool:
    return entry is None or not any(c.isalnum() for c in entry.text) or entry.text.lower() in ("n/a", "none", "tba")


def _spelled(stem: str, key: str, known: frozenset[str], long: list[str]) -> str:
    if stem in known or len(key) < SPELLED or not key.isalpha():
        return stem
    near = difflib.get_close_matches(
        stem, [w for w in long if w[:1] == stem[:1] and abs(len(w) - len(stem)) <= 2], 1, ALIKE
    )
    return near[0] if near else stem
