"""A number, an amount of money or a date, and the test whether two of them agree."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from rag.attribution.claims.lexicon import CURRENCIES

Kind = Literal["number", "moment", "label"]
MONEY = frozenset(CURRENCIES.values())
ROUNDED_DIGITS = 2
"""The significant digits that a rounded number must keep (1.2 million for 1,236,000) unless it says "about"."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """The quantity that `text[start:end]` states.

    `value` is in `unit`, a currency or the unit of its family ("m" for km, "%" for percent; empty when it has none),
    scale words multiplied in; `place` is the worth of its last digit. `sign` is "-" when a minus is written, "(" when
    the number stands in brackets as accountants write negatives; `bound` is 1 for "at least", -1 for "at most". A
    moment has a year, quarter (5 and 6 are the halves), month or day: 0 where it does not say.
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
