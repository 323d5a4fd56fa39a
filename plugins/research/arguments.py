"""Types of command-line arguments: numbers within bounds."""

from __future__ import annotations

import argparse
from collections.abc import Callable


def number(what: str, fits: Callable[[float], bool]) -> Callable[[str], float]:
    """Return a type for argparse: a number that fits; `what` completes "is not a number ..."."""

    def read(text: str) -> float:
        try:
            if fits(value := float(text)):
                return value
        except (ValueError, OverflowError):
            pass
        raise argparse.ArgumentTypeError(f"{text!r} is not a number {what}")

    return read


share = number("from 0 to 1", lambda value: 0 <= value <= 1)
above_zero = number("above 0", lambda value: 0 < value < float("inf"))
