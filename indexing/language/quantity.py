"""A number, an amount of money, a date or a time; the test whether two of them agree; a table's scale."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from indexing.language.lexicon import CURRENCIES, SCALES, UNITS

Kind = Literal["number", "moment", "label", "clock"]
MONEY = frozenset(CURRENCIES.values())
ROUNDED_DIGITS = 2
"""The significant digits that a rounded number must keep (1.2 million for 1,236,000) unless it says "about"."""
HALF_A_DAY = 12 * 3600.0
"""The seconds between a time before noon and the time after noon that is written alike."""

_SCALE_HEAD = re.compile(
    r"(?P<cur>US\$|[$€£¥]|USD|EUR|GBP|dollars|euros|(?<![\s(,]))[\s(,]*+(?:\bin\s)?(?:US\s)?(?P<cur2>[$€£¥])?\s?"
    r"(?P<s>\b(?:hundreds?|thousands?|millions?|billions?|trillions?|bn|mn|mio|mrd)\b|['’]000s?|\b000['’]?s\b|(?<=[$€£])(?:m|bn|k)\b)"
    r"(?:\s(?:of\s)?(?P<of>(?:US\s|U\.S\.\s)?(?:dollars|euros|pounds|yen|yuan|litres|liters|tonnes|tons|USD|EUR|GBP|[$€£]))"
    r"\b)?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Quantity:
    """The quantity that `text[start:end]` states.

    `value` is in `unit`, a currency or the unit of its family ("m" for km, "%" for percent; empty when it has none),
    scale words multiplied in (`scaled`); `place` is the worth of its last digit. `sign` is "-" for a minus, "(" for
    accountants' brackets; `bound` is 1 for "at least", -1 for "at most"; `hedged` is set by "about", `soft` for words
    such as "one" or "half". A moment has a year, quarter (5 and 6 are the halves), month or day, 0 if unknown. The
    `value` of a clock is seconds since midnight, its `unit` "am" or "pm" if that is written.
    """

    kind: Kind
    start: int
    end: int
    value: float = 0.0
    unit: str = ""
    place: float = 1.0
    sign: str = ""
    scaled: bool = False
    hedged: bool = False
    soft: bool = False
    bound: int = 0
    year: int = 0
    quarter: int = 0
    month: int = 0
    day: int = 0


@dataclass(frozen=True, slots=True)
class Scale:
    """The scale of all numbers of a table, by its header or caption: the `factor` to multiply by, and the unit."""

    factor: float = 1.0
    unit: str = ""


def agree(claim: Quantity, source: Quantity, scale: Scale | None = None) -> bool:
    """Return True if `source`, in a table with that scale, is the same as `claim`, or the same more precisely.

    The moment of a claim can be less precise than that of its source (2021 for March 2021), never more.
    """
    if "clock" in (claim.kind, source.kind):
        return _same_time(claim, source)
    if claim.kind == "label" or source.kind == "label":
        return claim.kind != "number" and (claim.unit, claim.value) == (source.unit, source.value)
    if claim.kind == source.kind == "moment":
        parts = ((claim.year, source.year), (claim.quarter, source.quarter), (claim.month, source.month))
        return all(a in (0, b) for a, b in (*parts, (claim.day, source.day)))
    if "moment" in (claim.kind, source.kind):
        moment, number = (claim, source) if claim.kind == "moment" else (source, claim)
        bare = not (moment.quarter or moment.month or moment.day or number.unit or number.scaled)
        return bare and number.value == moment.year
    if claim.bound * source.bound < 0 or not _same_sign(claim, source):
        return False
    return any(_same_unit(claim, form) and _same_value(claim, form) for form in _readings(claim, source, scale))


def _same_time(claim: Quantity, source: Quantity) -> bool:
    """Return True if times of day agree: "4:30" can mean "4:30 pm", and a number without unit, "nine", nine o'clock."""
    times = []
    for q in (claim, source):
        if q.kind != "clock" and (q.kind != "number" or q.unit or q.scaled or q.sign or q.bound):
            return False
        times.append(q.value if q.kind == "clock" else 3600 * q.value)
    if claim.unit and source.kind != "clock":
        return False
    claim_time, source_time = times
    vague = bool(source.unit) and not claim.unit and claim_time < HALF_A_DAY + 3600
    return claim_time == source_time or (vague and (claim_time - source_time) % HALF_A_DAY == 0)


def _readings(claim: Quantity, source: Quantity, scale: Scale | None) -> Iterator[Quantity]:
    """Yield what `source` can mean: under its table's scale and, if `claim` has no unit or scale word, as printed.

    In a table in thousands of dollars, "20,250" can be 20,250,000 dollars or 20,250, but not 20,250 dollars.
    """
    if scale is None or source.scaled or (source.unit and scale.unit and source.unit != scale.unit):
        yield source
        return
    unit = source.unit or scale.unit
    factor = 1.0 if unit == "%" or source.unit == "%" else scale.factor
    yield replace(source, value=source.value * factor, place=source.place * factor, unit=unit, scaled=factor != 1.0)
    if not claim.scaled and not claim.unit:
        yield replace(source, unit="")


def _same_sign(claim: Quantity, source: Quantity) -> bool:
    """Return True if the signs are the same, or one is a bracket, which can be a minus or a deduction."""
    return claim.sign == source.sign or "(" in (claim.sign, source.sign)


def _same_unit(claim: Quantity, source: Quantity) -> bool:
    if claim.unit == source.unit or (claim.unit == "" and source.unit in MONEY):
        return True
    return {claim.unit, source.unit} == {"£", "lb"}


def _same_value(claim: Quantity, source: Quantity) -> bool:
    """Return True if the values are equal, or that of the claim is the source's, rounded."""
    a, b = abs(claim.value), abs(source.value)
    if math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12):
        return True
    if claim.place <= source.place or not (claim.hedged or claim.scaled):
        return False
    digits = math.floor(math.log10(max(a, 1e-300)) - math.log10(claim.place) + 1e-9) + 1
    close = abs(a - b) <= claim.place / 2 * (1 + 1e-9)
    return close and (claim.hedged or digits >= ROUNDED_DIGITS)


@lru_cache(maxsize=4096)
def scale_of(text: str) -> Scale:
    """Return the scale in a table's header, caption or note: "($ millions)", "in thousands of dollars", "(%)"."""
    plain = plain_signs(text)
    for match in _SCALE_HEAD.finditer(plain):
        if re.search(r"\d\s*$", plain[max(0, match.start("s") - 4) : match.start("s")]):
            continue
        factor = SCALES[match["s"].lower().strip("'’").rstrip("s").rstrip("'’")]
        word = (match["cur"] or match["cur2"] or match["of"] or "").lower().removeprefix("u.s. ").removeprefix("us ")
        base, times = UNITS.get(word, (CURRENCIES.get(word, ""), 1.0))
        return Scale(factor * times, base)
    if re.search(
        r"\(\s?(?:in\s)?(?:%|per\s?cent|percent)\s?\)|\bin per\s?cent\b|(?<![\d\s])\s?%$|\b(?:19|20)\d\d\s%$|^%$",
        plain,
        re.IGNORECASE,
    ):
        return Scale(1.0, "%")
    money = re.search(r"\((?:in\s)?(us\$|[$€£¥]|usd|eur|gbp|dollars|euros)\)", plain, re.IGNORECASE)
    return Scale(1.0, CURRENCIES[money[1].lower()]) if money else Scale()


def plain_signs(text: str) -> str:
    """Return a text of the same length with one kind of minus, space, bracket and digit: those of ASCII."""
    if text.isascii():
        return text
    table = {ord(c): _PLAIN.get(c) or str(unicodedata.digit(c)) for c in set(text) if c in _PLAIN or _is_other_digit(c)}
    return text.translate(table)


_PLAIN = dict(
    zip(
        "\u2212\u2013\ufe63\uff0d\u2011\u202f\u2009\uff05\uff0e\uff0c\uff08\uff09\u066b\u066c",
        "-----\u00a0\u00a0%.,().,",
        strict=True,
    )
)


def _is_other_digit(char: str) -> bool:
    return not char.isascii() and unicodedata.category(char) == "Nd"
