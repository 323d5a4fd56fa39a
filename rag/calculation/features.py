"""A program -> the names of the features that hold for it; a weight was fitted for each."""

from __future__ import annotations

from collections.abc import Sequence

from rag.calculation.match import Matched
from rag.calculation.program import Program

MOST_SIGNS = 14


def features_of(matched: Matched, program: Program) -> list[str]:
    """Return the names of the features of a program, in no order."""
    operation = program.operation
    found = [f"op {operation}", f"op {operation} turned {matched.sheet.turned}"]
    found += [f"{operation} | {sign}" for sign in matched.asked.signs[:MOST_SIGNS]]
    found += _of_rows(matched, program)
    found += _of_columns(matched, program)
    found += _of_coverage(matched, program)
    found += _of_answer(matched, program)
    found.append(f"{group_of(operation)} wanted {_wanted(matched)}")
    return found


def _wanted(matched: Matched) -> str:
    """Say where the sheet has what the question asks for: in a head, over numbers or words, in cells, or nowhere."""
    target = matched.asked.target & matched.asked.content
    if not target:
        return "nothing"
    kinds = [kind for kind, (mask, _) in zip(matched.sheet.kinds, matched.heads, strict=True) if mask & target]
    if kinds:
        return "numbers" if "number" in kinds else "words"
    return "cells" if any(c.mask & target for c in matched.conditions) else "nowhere"


def _of_rows(matched: Matched, program: Program) -> list[str]:
    rows, group = program.rows, group_of(program.operation)
    size = len(rows.rows)
    found = [f"rows {group} {rows.kind}", f"whole {rows.kind} {int(4 * rows.whole)}", f"size {group} {min(size, 4)}"]
    found += [f"rows {rows.kind} | {sign}" for sign in matched.asked.signs[:MOST_SIGNS] if rows.kind not in ("all", "has", "has+has")]
    if program.other is not None:
        found += [f"other {program.other.kind} {int(4 * program.other.whole)}", f"order {program.operation} {rows.start < program.other.start}"]
        found.append(f"place {program.operation} {rows.rows[0] < program.other.rows[0]} {_rising(matched)}")
    if program.measured in rows.columns:
        found.append(f"measured is condition {group}")
    if program.shown in rows.columns:
        found.append(f"shown is condition {group} {rows.kind}")
    if 0 in rows.columns:
        found.append("condition on first column")
    return found


def _rising(matched: Matched) -> str:
    """Say if the moments of the first column rise or fall down the rows."""
    values = [row[0].value.amount for row in matched.sheet.rows if row[0] is not None and row[0].value is not None and row[0].value.kind == "moment"]
    if len(values) < 2:
        return "none"
    return "rise" if values[0] < values[-1] else "fall"


def _of_columns(matched: Matched, program: Program) -> list[str]:
    found = []
    asked = matched.asked
    group = group_of(program.operation)
    best = max((share for _, share in matched.heads), default=0.0)
    for name, at in (("measured", program.measured), ("shown", program.shown)):
        if at < 0:
            continue
        mask, share = matched.heads[at]
        kind = matched.sheet.kinds[at]
        fresh = mask & ~program.rows.mask
        found.append(f"{name} head {int(4 * share)} {group}")
        found.append(f"{name} head words {min(mask.bit_count(), 4)}")
        found.append(f"{name} best head {share >= best} {best > 0}")
        found.append(f"{name} named afresh {min(fresh.bit_count(), 3)}")
        found.append(f"{name} wanted {min((mask & asked.target).bit_count(), 2)} {group}")
        found.append(f"{name} kind {kind} {group}")
        found.append(f"{name} first {at == 0} turned {matched.sheet.turned} {group}")
        if name == "shown":
            found += [f"shown {kind} | {sign}" for sign in asked.signs[:3]]
            opening = next((k for k in asked.keys if k in WH), "")
            found += [f"shown {word} | {opening}" for word in set(matched.sheet.heads[at].words[:4])]
            found.append(f"shape {_shape(program.answer[0])} | {opening}")
            found.append(f"shown column {min(at, 4)} {mask > 0}")
        else:
            found += [f"measured {kind} | {sign} {group}" for sign in asked.signs[:6]]
    return found


def _shape(text: str) -> str:
    """Say how a text is made: a number of capitalised words, digits, commas."""
    words = text.split()
    capitals = sum(w[:1].isupper() for w in words)
    digits = any(c.isdigit() for c in text)
    return f"{min(len(words), 4)} {min(capitals, 3)} {digits} {',' in text}"


def _of_coverage(matched: Matched, program: Program) -> list[str]:
    mask = said(matched, program)
    content = matched.asked.content
    known = sum(1 << n for n, stem in enumerate(matched.stems) if stem in matched.sheet.vocabulary)
    left = content & known & ~mask
    unsaid = left.bit_count()
    group = group_of(program.operation)
    share = (content & known & mask).bit_count() / max(1, (content & known).bit_count())
    found = [f"left {min(unsaid, 5)}", f"left {group} {min(unsaid, 3)}", f"said {int(5 * share)}"]
    found += ["said step"] * int(10 * share)
    found.append(f"target said {(mask & matched.asked.target).bit_count() > 0} {group}")
    return found


def said(matched: Matched, program: Program) -> int:
    """Return the mask of the question's words that a program accounts for."""
    mask = program.rows.mask | (program.other.mask if program.other else 0)
    for at in (program.measured, program.shown):
        if at >= 0:
            mask |= matched.heads[at][0]
    return mask


def _of_answer(matched: Matched, program: Program) -> list[str]:
    group = group_of(program.operation)
    found = [f"answers {group} {min(len(program.answer), 4)}"]
    text = matched.asked.text.lower()
    if program.value is None:
        found.append(f"answer asked {any(a.lower() in text for a in program.answer if len(a) > 2)} {group}")
        words = sum(len(a.split()) for a in program.answer) / len(program.answer)
        found.append(f"answer words {min(int(words), 5)}")
    else:
        found.append(f"answer nought {program.value == 0} {group}")
        found.append(f"answer below {program.value < 0} {group}")
    found += [f"first words {' '.join(matched.asked.keys[:2])} {group}"] if matched.asked.keys[:1] and matched.asked.keys[0] in WH else []
    return found


WH = frozenset("how what which who when where whose in name is was did".split())
_GROUPS = {
    "look up": "look up", "count": "count", "count kinds": "count", "most frequent": "frequent", "least frequent": "frequent",
    "first": "end", "last": "end", "row before": "next", "row after": "next", "sum": "sum", "average": "sum", "range": "sum",
    "maximum": "extreme value", "minimum": "extreme value", "share": "percent", "apart": "apart", "difference of counts": "apart",
}  # fmt: skip


def group_of(operation: str) -> str:
    """Return the family of an operation, whose programs are alike."""
    if operation in _GROUPS:
        return _GROUPS[operation]
    for start in ("greatest", "least", "percent", "ratio"):
        if operation.startswith(start):
            return "extreme" if start in ("greatest", "least") else "percent"
    return "apart" if "less" in operation and " less " in operation else "choice"


def score(names: Sequence[str], weights: dict[str, float]) -> float:
    """Return the sum of the weights of the features."""
    return sum(weights.get(name, 0.0) for name in names)
