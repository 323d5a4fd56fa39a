"""A program: one way to calculate an answer from a sheet, with the cells that it uses."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from rag.calculation.match import RowSet
from rag.calculation.sheet import Entry, TableSheet

DIGITS = 2
"""The digits after the point of a result that no cell has."""


@dataclass(frozen=True, slots=True)
class Program:
    """An operation on rows of a sheet, what it gives, and the cells that it reads.

    `measured` is the column whose values are compared or summed, `shown` the one that is answered with, -1 for none.
    `value` is the result where it is a number. `operands` are the cells in the order of the sum.
    """

    operation: str
    rows: RowSet
    answer: tuple[str, ...]
    operands: tuple[Entry, ...]
    measured: int = -1
    shown: int = -1
    value: float | None = None
    other: RowSet | None = None


def number(value: float, decimals: int = DIGITS) -> str:
    """Return a number with at most so many digits after the point, and no noughts at its end."""
    if not math.isfinite(value):
        return ""
    text = f"{value:.{max(decimals, 0)}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text in ("-0", "") else text


def amounts(entries: Sequence[Entry]) -> list[float]:
    """Return the values of cells as they are written where their units agree, else in the unit of their family."""
    values = [e.value for e in entries if e.value is not None]
    if all(v.kind == "moment" and v.written for v in values):
        return [v.written for v in values]
    plain = [v.written if v.kind == "number" or v.unit == "year" else v.amount for v in values]
    factors = {round(v.amount / v.written, 6) for v in values if v.kind == "number" and v.written}
    return plain if len(factors) <= 1 else [v.amount for v in values]


def decimals_of(entries: Sequence[Entry]) -> int:
    """Return the most digits after the point that a cell has."""
    return max((e.value.decimals for e in entries if e.value is not None), default=0)


def column(sheet: TableSheet, rows: Sequence[int], at: int) -> list[Entry]:
    """Return the cells of a column in some rows, blanks left out."""
    return [e for r in rows if (e := sheet.rows[r][at]) is not None]


def texts(entries: Sequence[Entry]) -> tuple[str, ...]:
    """Return the texts of cells, each once."""
    return tuple(dict.fromkeys(e.text for e in entries))
