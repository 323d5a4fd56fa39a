"""Written-out sums: a number that follows from others of its sentence, and words that say which of two is greater.

"57.4% against 41.5%, 15.9 points more": the result need not be printed where its operands are. A result may be rounded
to its last digit. Only single operations and chains of sums are followed.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from itertools import combinations

from rag.attribution.rules.claims import claims_of
from rag.attribution.rules.lexicon import CHANGING, FALLING, RISING
from rag.attribution.rules.quantity import MONEY, Quantity

MOST = 6
"""The most numbers of a sentence among which operands are looked for."""
ABOUT = 0.005
"""How far, as a share of it, a result may be off that is told with "about"."""
_RECKONS = re.compile(
    r"[=≈×÷+]|\d\s?[-−–/x*]\s?[$€£]?\d|\b(?:differ\w*|gap|more|less|fewer|higher|lower|greater|smaller|points?|minus|"
    r"plus|times|sum|totals?|together|combined|altogether|average|mean|ratio|divided|share|percent(?:age)?|per cent|"
    r"growth|growing|grew|gr[eo]w|increas\w+|decreas\w+|r[io]s[ei]n?|rises|fell|fall\w*|drop\w*|declin\w+|doubl\w+|"
    r"twice|half|calculated|computed|worked|added|subtract\w+|net|chang\w+|by|result\w*|so|thus|hence|therefore)\b|%",
    re.IGNORECASE,
)


def reckoned(claim: str, there: Sequence[Quantity]) -> list[Quantity]:
    """Return the numbers of a claim that follow from those of it that are `there`, in words that say how."""
    numbers = [q for q in claims_of(claim).quantities if q.kind == "number" and q.unit != "th"]
    known = [q for q in numbers if q in there][:MOST]
    if len(known) < 2 or not _RECKONS.search(claim):
        return []
    return [q for q in numbers if q not in there and _follows(claim, q, known)]


def _follows(claim: str, asked: Quantity, known: Sequence[Quantity]) -> bool:
    """Return True if a number is the result of an operation on others, in the direction that its words tell."""
    way = way_of(claim, asked)
    percent = asked.unit == "%"
    for value, signed in _results(known, percent=percent):
        off = max(asked.place * 0.5000001, ABOUT * abs(value) if asked.hedged or "≈" in claim else 0.0)
        fits = abs(abs(value) - abs(asked.value)) <= off
        if fits and (not signed or way == 0 or way == signed or len(known) > 2):
            return True
    return False


def _results(known: Sequence[Quantity], *, percent: bool) -> Iterator[tuple[float, int]]:
    """Yield what the numbers give: (value, 1 where the first is the greater, -1 where it is the less, else 0)."""
    for one, two in combinations(known, 2):
        a, b = _value(one), _value(two)
        alike = one.unit == two.unit or not (one.unit and two.unit)
        if alike and not (percent and one.unit == two.unit == "%"):
            yield a - b, 1 if a > b else -1
            yield a + b, 0
            yield (a + b) / 2, 0
        hundred = 100.0 if percent else 1.0
        for x, y, way in ((a, b, 1), (b, a, -1)):
            if y and alike:
                yield hundred * x / y, 0
                if percent:
                    yield 100 * (x - y) / y, 1 if a > b else -1
            if y and not alike and not percent:
                yield x / y, 0
        share = [_value(q) / 100 if q.unit == "%" else _value(q) for q in (one, two)]
        if not alike or (one.unit == two.unit == "%") or not (one.unit or two.unit):
            yield share[0] * share[1] * hundred, 0
    if len(known) > 2 and len({q.unit for q in known} - {""}) <= 1:
        total = math.fsum(_value(q) for q in known)
        yield total, 0
        yield total / len(known), 0
        yield 2 * _value(known[0]) - total, 0


def _value(quantity: Quantity) -> float:
    """Return the value of a number; one in brackets is said beside a word, and no less than nothing."""
    return abs(quantity.value) if quantity.sign == "(" else quantity.value


def way_of(claim: str, asked: Quantity | None = None) -> int:
    """Return 1 where the words nearest to a number say more, -1 where they say less, 0 where none does."""
    every = [t for t in claims_of(claim).tokens if t.key in RISING or t.key in FALLING]
    if not every:
        return 0
    near = every[0] if asked is None else min(every, key=lambda t: abs(t.start - asked.start))
    way = 1 if near.key in RISING else -1
    return -way if near.key in CHANGING else way  # what rises is less first


def in_order(claim: str, key: str, there: Sequence[Quantity]) -> bool:
    """Return True if a word that compares ("higher", "fell") fits the two numbers of a claim that are `there`.

    What is first named is compared with what is named next; what rises goes from the first to the second.
    """
    values = [q for q in claims_of(claim).quantities if q.kind == "number" and q in there and q.unit != "th"]
    if len(values) != 2 or (values[0].unit != values[1].unit and {values[0].unit, values[1].unit} & {*MONEY, "%"}):
        return False
    rise = 1 if key in RISING else -1
    changes = key in CHANGING
    onward = (
        changes
        or re.search(r"\bfrom\b", claim[: values[0].start])
        and re.search(r"\bto\b", claim[values[0].end : values[1].start])
    )
    grown = _value(values[1]) - _value(values[0])
    return grown * rise * (1 if onward else -1) > 0
