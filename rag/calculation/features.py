"""A program -> the names of the features that hold for it; a weight was fitted for each.

Most of them hold for every program of one operation, or of one column: they are made once a question.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from rag.calculation.lexicon import HIGH, LOW, OPENING
from rag.calculation.match import Matched
from rag.calculation.program import Program

MOST_SIGNS = 14
_FAMILIES = {
    "look up": ("look up",),
    "count": ("count", "count kinds"),
    "frequent": ("most frequent", "least frequent"),
    "end": ("first", "last"),
    "next": ("row before", "row after"),
    "sum": ("sum", "average", "range"),
    "extreme value": ("maximum", "minimum"),
    "percent": ("share",),
    "apart": ("apart", "difference of counts", "second less first", "first less second"),
}
_GROUPS = {operation: group for group, own in _FAMILIES.items() for operation in own}


def group_of(operation: str) -> str:
    """Return the family of an operation, whose programs are alike."""
    if operation in _GROUPS:
        return _GROUPS[operation]
    first = operation.split(maxsplit=1)[0]
    return "extreme" if first in ("greatest", "least") else "percent" if first in ("percent", "ratio") else "choice"


def said(matched: Matched, program: Program) -> int:
    """Return the mask of the question's words that a program accounts for."""
    mask = program.rows.mask | (program.other.mask if program.other else 0)
    for at in (program.measured, program.shown):
        if at >= 0:
            mask |= matched.heads[at][0]
    return mask


def score(names: Sequence[str], weights: dict[str, float]) -> float:
    """Return the sum of the weights of the features."""
    return sum([weights.get(name, 0.0) for name in names])


@dataclass(frozen=True)
class Features:
    """The features of the programs for one question on one sheet."""

    matched: Matched
    _kept: dict[tuple[str, str, int], list[str]] = field(default_factory=dict)

    def of(self, program: Program) -> list[str]:
        """Return the names of the features of a program, in no order."""
        group = group_of(program.operation)
        found = [*self._of_operation(program.operation, group), *self._of_rows(program, group)]
        for name, at in (("measured", program.measured), ("shown", program.shown)):
            if at >= 0:
                found += self._of_column(name, at, group)
                fresh = self.matched.heads[at][0] & ~program.rows.mask
                found.append(f"{name} named afresh {min(fresh.bit_count(), 3)}")
        found += self._of_coverage(program, group)
        found += self._of_answer(program, group)
        return found

    @cached_property
    def _signs(self) -> tuple[str, ...]:
        return self.matched.asked.signs[:MOST_SIGNS]

    @cached_property
    def _opening(self) -> str:
        return next((k for k in self.matched.asked.keys if k in OPENING), "")

    @cached_property
    def _known(self) -> int:
        """The mask of the content words that the sheet has at all."""
        known = self.matched.sheet.vocabulary
        mask = sum(1 << n for n, stem in enumerate(self.matched.stems) if stem in known)
        return mask & self.matched.asked.content

    @cached_property
    def _wanted(self) -> str:
        """Where the sheet has what the question asks for: in a head, over numbers or words, in cells, or nowhere."""
        target = self.matched.asked.target & self.matched.asked.content
        if not target:
            return "nothing"
        pairs = zip(self.matched.sheet.kinds, self.matched.heads, strict=True)
        kinds = [kind for kind, (mask, _) in pairs if mask & target]
        if kinds:
            return "numbers" if "number" in kinds else "words"
        return "cells" if any(c.mask & target for c in self.matched.conditions) else "nowhere"

    @cached_property
    def _degree(self) -> str:
        """The degree that the question asks for: the high end, the low end, both or neither."""
        signs = set(self._signs)
        return ("up" if signs & HIGH else "") + ("down" if signs & LOW else "")

    @cached_property
    def _direction(self) -> str:
        """The direction in which the moments of the first column go down the rows."""
        firsts = [row[0].value for row in self.matched.sheet.rows if row[0] is not None]
        moments = [value.amount for value in firsts if value is not None and value.kind == "moment"]
        return "none" if len(moments) < 2 else "rise" if moments[0] < moments[-1] else "fall"

    def _of_operation(self, operation: str, group: str) -> list[str]:
        key = (operation, "", 0)
        if key not in self._kept:
            turned = self.matched.sheet.turned
            found = [f"op {operation}", f"op {operation} turned {turned}", f"{group} wanted {self._wanted}"]
            found += [f"{operation} | {sign}" for sign in self._signs]
            if group != operation:
                found += [f"{group} || {sign}" for sign in self._signs]
            found.append(f"degree {self._degree} {operation}")
            limited = any(limit.comparison not in ("=", "to") for limit in self.matched.asked.limits)
            found.append(f"limited {limited} {group}")
            keys = self.matched.asked.keys
            if keys and keys[0] in OPENING:
                found.append(f"first words {' '.join(keys[:2])} {group}")
            self._kept[key] = found
        return self._kept[key]

    def _of_rows(self, program: Program, group: str) -> list[str]:
        rows, other = program.rows, program.other
        found = [
            f"rows {group} {rows.kind}",
            f"whole {rows.kind} {int(4 * rows.whole)}",
            f"size {group} {min(len(rows.rows), 4)}",
        ]
        if any(limit.mask & ~rows.mask & ~(other.mask if other else 0) for limit in self.matched.asked.limits):
            found.append(f"limit left {group}")
        if rows.kind not in ("all", "has", "has+has"):
            found += [f"rows {rows.kind} | {sign}" for sign in self._signs]
        if other is not None:
            before = rows.rows[0] < other.rows[0]
            found += [
                f"other {other.kind} {int(4 * other.whole)}",
                f"order {program.operation} {rows.start < other.start}",
                f"place {program.operation} {before} {self._direction}",
            ]
        if program.measured in rows.columns:
            found.append(f"measured is condition {group}")
        if program.shown in rows.columns:
            found.append(f"shown is condition {group} {rows.kind}")
        if 0 in rows.columns:
            found.append("condition on first column")
        return found

    def _of_column(self, name: str, at: int, group: str) -> list[str]:
        key = (name, group, at)
        if key in self._kept:
            return self._kept[key]
        matched, asked = self.matched, self.matched.asked
        mask, share = matched.heads[at]
        kind, turned = matched.sheet.kinds[at], matched.sheet.turned
        best = max((s for _, s in matched.heads), default=0.0)
        found = [
            f"{name} head {int(4 * share)} {group}",
            f"{name} head words {min(mask.bit_count(), 4)}",
            f"{name} best head {share >= best} {best > 0}",
            f"{name} wanted {min((mask & asked.target).bit_count(), 2)} {group}",
            f"{name} kind {kind} {group}",
            f"{name} first {at == 0} turned {turned} {group}",
        ]
        if name == "shown":
            found += [f"shown {kind} | {sign}" for sign in asked.signs[:3]]
            found.append(f"shown column {min(at, 4)} {mask > 0}")
            found += [f"shown {word} | {self._opening}" for word in set(matched.sheet.heads[at].words[:4])]
        else:
            found += [f"measured {kind} | {sign} {group}" for sign in asked.signs[:6]]
        self._kept[key] = found
        return found

    def _of_coverage(self, program: Program, group: str) -> list[str]:
        mask = said(self.matched, program)
        unsaid = (self._known & ~mask).bit_count()
        share = (self._known & mask).bit_count() / max(1, self._known.bit_count())
        found = [f"left {min(unsaid, 5)}", f"left {group} {min(unsaid, 3)}", f"said {int(5 * share)}"]
        found.append(f"target said {mask & self.matched.asked.target > 0} {group}")
        return found

    def _of_answer(self, program: Program, group: str) -> list[str]:
        found = [f"answers {group} {min(len(program.answer), 4)}"]
        if program.value is not None:
            return [*found, f"answer nought {program.value == 0} {group}", f"answer below {program.value < 0} {group}"]
        text = self.matched.asked.text.lower()
        found.append(f"answer asked {any(a.lower() in text for a in program.answer if len(a) > 2)} {group}")
        found.append(f"answer words {min(len(program.answer[0].split()), 5)}")
        found.append(f"shape {_shape(program.answer[0])} | {self._opening}")
        return found


def _shape(text: str) -> str:
    """Say how a text is made: a number of words and of capitals, digits, commas."""
    words = text.split()
    capitals = sum(w[:1].isupper() for w in words)
    return f"{min(len(words), 4)} {min(capitals, 3)} {any(map(str.isdigit, text))} {',' in text}"
