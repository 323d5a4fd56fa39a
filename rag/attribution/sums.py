"""A claim that reckons, "52 + 50 = 102" -> the same without its result, which follows from the rest; or its mistake.

The numbers that are reckoned with are what a document has to say. Only a chain of one kind of operator is followed, or
a single operation: "12.5 - 2 - 0.5 = 10", "0.36 x 1,503 = 541". A result may be rounded to its last digit.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise

from rag.attribution.claims import Quantity, claims_of

GAP = 40
"""The most characters between two numbers that are reckoned with: "52 (Wave I) + 50"."""
_OPERATOR = re.compile(r"(?:^|[\s)%\w])([+\-−–×*/÷]|x(?=\s)|\\times|divided by|plus|minus|times)\s?[$€£(]?\s?$")
_EQUALS = re.compile(r"(?:=|≈)\s?[$€£(]?\s?$")
_KINDS = {"+": "+", "plus": "+", "-": "-", "−": "-", "–": "-", "minus": "-", "/": "/", "÷": "/", "divided by": "/"}
_REST = "*"
_DOING: dict[str, Callable[[float, float], float]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b if b else float("nan"),
}


def reckoned(claim: str) -> tuple[str, str]:
    """Return a claim without the results that follow from its other numbers, and its first mistake in words, or ""."""
    numbers = [q for q in claims_of(claim).quantities if q.kind == "number"]
    cuts: list[tuple[int, int]] = []
    for at, (last, result) in enumerate(pairwise(numbers), 1):
        between = claim[last.end : result.start]
        if len(between) > GAP or not (equals := _EQUALS.search(between)):
            continue
        value, operands = _value(claim, numbers[:at])
        if value is None:
            continue
        if not _follows(value, result, operands):
            said = claim[operands[0].start : last.end]
            return claim, f"{said} is {value:,.6g}, not {claim[result.start : result.end].strip()}"
        cuts.append((last.end + equals.start(), result.end))
    for start, end in reversed(cuts):
        claim = claim[:start] + claim[end:]
    return claim, ""


def _value(claim: str, numbers: Sequence[Quantity]) -> tuple[float | None, list[Quantity]]:
    """Return what the operation at the end of the numbers gives, and its operands; None where there is none."""
    chain, kinds = [numbers[-1]], list[str]()
    for one in reversed(numbers[:-1]):
        between = claim[one.end : chain[0].start]
        found = _OPERATOR.search(between) if len(between) <= GAP else None
        if found is None:
            break
        chain.insert(0, one)
        kinds.insert(0, _KINDS.get(found[1], _REST))
    if len(chain) < 2 or len({*kinds}) > 1:
        return None, chain
    value = chain[0].value
    for kind, operand in zip(kinds, chain[1:], strict=True):
        value = _DOING[kind](value, operand.value)
    return value, chain


def _follows(value: float, result: Quantity, operands: Sequence[Quantity]) -> bool:
    """Return True if a result is the value, rounded to its last digit; a share may be told in percent."""
    percent = 100.0 if result.unit == "%" and not any(q.unit == "%" for q in operands) else 1.0
    return abs(value * percent - result.value) <= result.place * 0.5000001
