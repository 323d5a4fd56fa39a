"""A number, an amount of money, a date or a time; the test whether two of them agree; a table's scale."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from indexing.language.vocabulary import CURRENCIES, SCALES, UNITS

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
    scale words multiplied in; `place` is the worth of its last digit. `sign` is "-" when a minus is written, "(" when
    the number stands in brackets as accountants write negatives; `bound` is 1 for "at least", -1 for "at most". A
    moment has a year, quarter (5 and 6 are the halves), month or day: 0 where it does not say. The `value` of a clock
    is seconds since midnight, its `unit` "am" or "pm" where that is written.
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
    """The scale that a table's head or caption sets for all its numbers: multiply by `factor`, and the unit."""

    factor: float = 1.0
    unit: str = ""


def agree(asked: Quantity, there: Quantity, scale: Scale | None = None) -> bool:
    """Return True if `there`, read under `scale`, says the same as `asked`, or the same more precisely.

    An `asked` moment may say less than the one there (2021 for March 2021), never more.
    """
    if "clock" in (asked.kind, there.kind):
        return _same_time(asked, there)
    if asked.kind == "label" or there.kind == "label":
        return asked.kind != "number" and (asked.unit, asked.value) == (there.unit, there.value)
    if asked.kind == there.kind == "moment":
        parts = ((asked.year, there.year), (asked.quarter, there.quarter), (asked.month, there.month))
        return all(a in (0, b) for a, b in (*parts, (asked.day, there.day)))
    if "moment" in (asked.kind, there.kind):
        moment, number = (asked, there) if asked.kind == "moment" else (there, asked)
        bare = not (moment.quarter or moment.month or moment.day or number.unit or number.scaled)
        return bare and number.value == moment.year
    if asked.bound * there.bound < 0 or not _same_sign(asked, there):
        return False
    return any(_same_unit(asked, read) and _same_value(asked, read) for read in _readings(asked, there, scale))


def _same_time(asked: Quantity, there: Quantity) -> bool:
    """Return True if times of day agree: "4:30" may stand for "4:30 pm", and a bare "nine" for nine o'clock."""
    times = []
    for q in (asked, there):
        if q.kind != "clock" and (q.kind != "number" or q.unit or q.scaled or q.sign or q.bound):
            return False
        times.append(q.value if q.kind == "clock" else 3600 * q.value)
    if asked.unit and there.kind != "clock":
        return False
    one, other = times
    vague = bool(there.unit) and not asked.unit and one < HALF_A_DAY + 3600
    return one == other or (vague and (one - other) % HALF_A_DAY == 0)


def _readings(asked: Quantity, there: Quantity, scale: Scale | None) -> Iterator[Quantity]:
    """Return the number as it stands, and under the scale of its table.

    Where a table counts in thousands, "$20,250" is not the meaning of "20,250": as it stands it must be asked bare.
    """
    if scale is None or there.scaled or (there.unit and scale.unit and there.unit != scale.unit):
        yield there
        return
    unit = there.unit or scale.unit
    times = 1.0 if unit == "%" or there.unit == "%" else scale.factor
    yield replace(there, value=there.value * times, place=there.place * times, unit=unit, scaled=times != 1.0)
    if not asked.scaled and not asked.unit:
        yield replace(there, unit="")


def _same_sign(asked: Quantity, there: Quantity) -> bool:
    """Return True if the signs agree: a minus must be there; brackets may be a minus or a deduction."""
    return asked.sign == there.sign or "(" in (asked.sign, there.sign)


def _same_unit(asked: Quantity, there: Quantity) -> bool:
    if asked.unit == there.unit or (asked.unit == "" and there.unit in MONEY):
        return True
    return {asked.unit, there.unit} == {"£", "lb"}


def _same_value(asked: Quantity, there: Quantity) -> bool:
    a, b = abs(asked.value), abs(there.value)
    if math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12):
        return True
    if asked.place <= there.place or not (asked.hedged or asked.scaled):
        return False
    digits = math.floor(math.log10(max(a, 1e-300)) - math.log10(asked.place) + 1e-9) + 1
    close = abs(a - b) <= asked.place / 2 * (1 + 1e-9)
    return close and (asked.hedged or digits >= ROUNDED_DIGITS)


@lru_cache(maxsize=4096)
def scale_of(text: str) -> Scale:
    """Return the scale that a table's head, caption or note sets: "($ millions)", "in thousands of dollars", "(%)"."""
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
    """Return the same text, character by character, with one kind of minus, space and digit."""
    if text.isascii():
        return text
    table = {ord(c): _PLAIN.get(c) or str(unicodedata.digit(c)) for c in set(text) if c in _PLAIN or _digit(c)}
    return text.translate(table)


_PLAIN = dict(
    zip(
        "\u2212\u2013\ufe63\uff0d\u2011\u202f\u2009\uff05\uff0e\uff0c\uff08\uff09\u066b\u066c",
        "-----\u00a0\u00a0%.,().,",
        strict=True,
    )
)


def _digit(char: str) -> bool:
    return not char.isascii() and unicodedata.category(char) == "Nd"
