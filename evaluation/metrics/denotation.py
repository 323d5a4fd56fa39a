"""Denotation accuracy: an answer is right if it has the same members as the gold one (Pasupat and Liang 2015)."""

from __future__ import annotations

import re
from collections.abc import Sequence

ROUNDED = 0.00501
"""The difference below which two numbers are the same: gold sums have two digits after the point."""
_QUOTES = str.maketrans(
    dict.fromkeys("\u2018\u2019\u00b4`", "'")
    | dict.fromkeys("\u201c\u201d", '"')
    | dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-")
)
_UNIT = re.compile(r"(-?\d[\d.,]*) [a-z]{1,12}")


def denotes(answer: Sequence[str], gold: Sequence[str]) -> bool:
    """Return True if every part of the answer is one of the gold answer, and the other way round."""
    if len(answer) != len(gold) or not gold:
        return False
    return all(any(alike(a, g) for a in answer) for g in gold) and all(any(alike(a, g) for g in gold) for a in answer)


def alike(answer: str, gold: str) -> bool:
    """Compare two texts as numbers where both are, else as text without case, kind of dash or quotation mark.

    A unit of one word that the gold answer has ("19 years") may be missing; a sign may not.
    """
    here, there = _number(answer), _number(gold)
    if here is not None and there is None:
        measured = _UNIT.fullmatch(gold.lower().strip())
        there = _number(measured[1]) if measured else None
    if here is not None and there is not None:
        return abs(here - there) <= ROUNDED + 1e-9 * abs(there)
    return _plain(answer) == _plain(gold)


def _plain(text: str) -> str:
    bare = re.sub(r"\[[^\]]{0,40}\]$", "", text.lower().strip().translate(_QUOTES)).strip()
    return " ".join(bare.split()).strip(" .\"'")


def _number(text: str) -> float | None:
    bare = re.sub(r"[\s$€£¥%,¢]", "", text.translate(_QUOTES))
    if re.fullmatch(r"\((?=\.?\d)\d*(?:\.\d+)?\)", bare):
        return -float(bare[1:-1])
    return float(bare) if re.fullmatch(r"[-+]?(\d+(?:\.\d*)?|\.\d+)", bare) else None
