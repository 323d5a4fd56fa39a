"""Written-out sums: a number that follows from others of its sentence, and words that say which of two is greater.

"57.4% against 41.5%, 15.9 points more": the result need not be printed where its operands are. A result may be rounded
to its last digit. Only single operations and chains of sums are followed.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from itertools import combinations

from indexing.language import MONEY, Quantity
from rag.attribution.words import claims_of, lexicon

MOST = 6
"""The most numbers of a sentence among which operands are looked for."""
MANY = 4
"""The numbers from which only all of them are added up."""
ABOUT = 0.005
"""How far, as a share of it, a result may be off that is stated with "about"."""
_RECKONS = re.compile(
    r"[=≈×÷+]|\d\s?[-−–/x*]\s?[$€£]?\d|\b(?:differ\w*|gap|more|less|fewer|higher|lower|greater|smaller|points?|minus|"
    r"plus|times|sum|totals?|together|combined|altogether|average|mean|ratio|divided|share|percent(?:age)?|per cent|"
    r"growth|growing|grew|gr[eo]w|increas\w+|decreas\w+|r[io]s[ei](?:n|s)?|fell|fall\w*|drop\w*|declin\w+|doubl\w+|"
    r"twice|half|calculated|computed|worked|added|subtract\w+|net|chang\w+|by|result\w*|so|thus|hence|therefore)\b|%",
    re.IGNORECASE,
)


def derived_quantities(claim: str, there: Sequence[Quantity]) -> list[Quantity]:
    """Return the numbers of a claim that can be computed from `there`, its numbers that were found in the evidence."""
    numbers = [q for q in claims_of(claim).quantities if q.kind == "number" and q.unit != "th"]
    starts = {q.start for q in there}
    known_numbers = [q for q in numbers if q.start in starts][:MOST]
    if len(known_numbers) < 2 or not _RECKONS.search(claim):
        return []
    missing = [q for q in numbers if q.start not in starts][:MOST]
    return [q for q in missing if _follows(claim, q, known_numbers)]


def _follows(claim: str, number: Quantity, numbers: Sequence[Quantity]) -> bool:
    """Return True if a number is the result of an operation on known ones, in the direction that the claim states."""
    way = order_of_numbers(claim, number)
    for value, sign, unit in _results(numbers):
        if unit != number.unit and not (unit == "%" and number.unit == "pp" and sign):
            continue
        off = max(number.place * 0.5000001, ABOUT * abs(value) if number.hedged or "≈" in claim else 0.0)
        if abs(abs(value) - abs(number.value)) <= off and (way in (0, sign) or not sign or len(numbers) > 2):
            return True
    return False


def _results(numbers: Sequence[Quantity]) -> Iterator[tuple[float, int, str]]:
    """Yield (value, direction, unit) of operations; direction is 1 if the first number is greater, -1 if less, or 0."""
    for one, two in combinations(numbers, 2) if len(numbers) < MANY else ():  # of many numbers some pair gives any
        a, b, unit = _value(one), _value(two), one.unit or two.unit
        if one.unit == two.unit or not (one.unit and two.unit):
            way = 1 if a > b else -1
            yield from ((a - b, way, "pp" if unit == "%" else unit), (a + b, 0, unit), ((a + b) / 2, 0, unit))
            for x, y in ((a, b), (b, a)):
                if y:
                    yield from ((x / y, 0, ""), (x / y, 0, "x"), (100 * x / y, 0, "%"), (100 * (x - y) / y, way, "%"))
        shares = [_value(q) / 100 if q.unit == "%" else _value(q) for q in (one, two)]
        if "%" in (one.unit, two.unit):
            other = (one.unit + two.unit).replace("%", "", 1)
            yield shares[0] * shares[1] * (100 if other == "%" else 1), 0, other
    if len(numbers) > 2 and len({q.unit for q in numbers} - {""}) <= 1:
        total, unit = math.fsum(_value(q) for q in numbers), next((q.unit for q in numbers if q.unit), "")
        yield from ((total, 0, unit), (total / len(numbers), 0, unit), (2 * _value(numbers[0]) - total, 0, unit))


_SUM = re.compile(r"\s?\+\s?")
_EQUALS = re.compile(r"\s?=\s?[$€£]?")


def mistake(claim: str) -> str:
    """Return the error in a written-out sum, "52 + 50 is 102, not 103"; "" if it is right, or there is no sum."""
    numbers = [q for q in claims_of(claim).quantities if q.kind == "number"]
    for n in range(2, len(numbers)):
        if not _EQUALS.fullmatch(claim[numbers[n - 1].end : numbers[n].start]):
            continue
        first = n - 1
        while first and _SUM.fullmatch(claim[numbers[first - 1].end : numbers[first].start]):
            first -= 1
        if first == n - 1:
            continue
        total = math.fsum(q.value for q in numbers[first:n])
        if abs(total - numbers[n].value) > numbers[n].place * 0.5000001:
            figure = claim[numbers[n].start : numbers[n].end].rstrip(". ")
            return f"{claim[numbers[first].start : numbers[n - 1].end]} is {total:,.6g}, not {figure}"
    return ""


def _value(quantity: Quantity) -> float:
    """Return the value of a number; in brackets it follows a word in a sentence, and is positive."""
    return abs(quantity.value) if quantity.sign == "(" else quantity.value


def order_of_numbers(claim: str, number: Quantity | None = None) -> int:
    """Return 1 if a claim says that the first of its numbers is greater, -1 if the second is, 0 if it compares none.

    The comparing word nearest to `number` decides, else the first one. "Rose" says that the second is greater.
    """
    every = [t for t in claims_of(claim).tokens if t.key in lexicon.COMPARATIVES]
    if not every:
        return 0
    near = every[0] if number is None else min(every, key=lambda t: abs(t.start - number.start))
    way = 1 if near.key in lexicon.INCREASE_WORDS else -1
    return -way if near.key in lexicon.CHANGE_WORDS else way


def comparison_fits(claim: str, key: str, there: Sequence[Quantity]) -> bool:
    """Return True if a comparing word ("higher", "fell") fits the two numbers of a claim that were found (`there`).

    "Higher" compares the first number with the second; "rose" goes from the first to the second.
    """
    starts = {q.start for q in there}
    numbers = [q for q in claims_of(claim).quantities if q.kind == "number" and q.unit != "th"]
    values = [q for q in numbers if q.start in starts]
    if len(values) != 2 or (values[0].unit != values[1].unit and {values[0].unit, values[1].unit} & {*MONEY, "%"}):
        return False
    rise = 1 if key in lexicon.INCREASE_WORDS else -1
    before, between = claim[: values[0].start], claim[values[0].end : values[1].start]
    onward = key in lexicon.CHANGE_WORDS or (re.search(r"\bfrom\b", before) and re.search(r"\bto\b", between))
    growth = _value(values[1]) - _value(values[0])
    return growth * rise * (1 if onward else -1) > 0
