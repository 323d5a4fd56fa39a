"""Types of command-line arguments that several commands share."""

from __future__ import annotations

import argparse


def positive(text: str) -> int:
    """Read a count on the command line: 1 or more."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 on")
    return int(text)
