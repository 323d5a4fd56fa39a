"""A claim that reckons, "52 + 50 = 102" -> the same without its result, which follows from the rest; or its mistake.

The numbers that are reckoned with are what a document has to say. Only a chain of one kind of operator is followed, or
a single operation: "12.5 - 2 - 0.5 = 10", "36% x 1,503 = 541". A result may be rounded to its last digit, and the
decimals that are multiplied or divided may be rounded, too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise

from rag.attribution.claims import Quantity, claims_of

GAP = 40
"""The most characters between two numbers that are reckoned with: "52 (Wave I) + 50"."""
ABOUT = 0.005
"""How far, as a share of it, a result may be off that is told with "about" or "≈"."""
_PERCENT = re.compile(r"[^\w%]{0,4}\d[\d.,]{0,20}\s?(?:%|per\s?cent\b)", re.IGNORECASE)
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
        done = _done(claim, numbers[:at])
        if done is None:
            continue
        if not _follows(claim, done, result, hedged=result.hedged or "≈" in between):
            said = claim[done.operands[0].start : last.end]
            scale, sign = (done.percent, "%") if _in_percent(claim, result) else (1, "")
            return claim, f"{said} is {scale * done.value:,.6g}{sign}, not {claim[result.start : result.end].strip()}"
        cuts.append((last.end + equals.start(), result.end))
    for start, end in reversed(cuts):
        claim = claim[:start] + claim[end:]
    return claim, ""


@dataclass(frozen=True, slots=True)
class _Done:
    """An operation: its operands, what it gives (`plain` if percentages count as their numbers), how far it may be off.

    Only what is multiplied or divided may, as a decimal has been rounded; in `percent` it is so many times as much.
    """

    operands: Sequence[Quantity]
    value: float
    plain: float
    off: float = 0.0
    percent: float = 1.0


def _done(claim: str, numbers: Sequence[Quantity]) -> _Done | None:
    """Return the operation at the end of the numbers; None where there is none, or one that is done to a bracket."""
    chain, kinds = [numbers[-1]], list[str]()
    for one in reversed(numbers[:-1]):
        between = claim[one.end : chain[0].start]
        found = _OPERATOR.search(between) if len(between) <= GAP else None
        if found is None:
            break
        chain.insert(0, one)
        kinds.insert(0, _KINDS.get(found[1], _REST))
    said = claim[chain[0].start : chain[-1].end]
    if len(chain) < 2 or len({*kinds}) > 1 or said.count(")") > said.count("("):
        return None
    plain = reduce(_DOING[kinds[0]], [q.value for q in chain])
    if kinds[0] in "+-":
        return _Done(chain, plain, plain)
    shares = [q.value / 100 if _in_percent(claim, q) else q.value for q in chain]
    rounded = sum(q.place / 2 / abs(q.value) for q in chain if q.place < 1 and q.value)
    return _Done(chain, reduce(_DOING[kinds[0]], shares), plain, rounded, 100.0)


def _follows(claim: str, done: _Done, result: Quantity, *, hedged: bool) -> bool:
    """Return True if a result is the value, rounded to its last digit; a share may be told in percent."""
    if _in_percent(claim, result):
        by_hundred = any(_in_percent(claim, q) or q.value == 100 for q in done.operands)
        values = [done.percent * done.value, *([done.plain] if by_hundred else [])]
    else:
        values = [done.value, done.plain]
    last, about = result.place * 0.5000001, ABOUT if hedged else 0.0
    return any(abs(v - result.value) <= max(last + done.off * abs(v), about * abs(v)) for v in values)


def _in_percent(claim: str, quantity: Quantity) -> bool:
    """Return True for a number with "%" or "percent" of its own; in a list others may have lent it theirs."""
    return bool(_PERCENT.match(claim, quantity.start))
