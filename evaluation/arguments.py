"""Types of command-line arguments that several commands share."""

from __future__ import annotations

import argparse


def positive(text: str) -> int:
    """Read a count on the command line: 1 or more."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 on")
    return int(text)


def share(text: str) -> float:
    """Read a share on the command line: from 0 to 1."""
    try:
        if 0 <= (value := float(text)) <= 1:
            return value
    except ValueError:
        pass
    raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 to 1")


def above_zero(text: str) -> float:
    """Read a number above 0, which may have a point, on the command line."""
    try:
        if 0 < (value := float(text)) < float("inf"):
            return value
    except ValueError:
        pass
    raise argparse.ArgumentTypeError(f"{text!r} is not a number above 0")
