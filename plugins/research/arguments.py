"""Types of command-line arguments, and the options of `vouch calibrate`: they load nothing heavy for `vouch --help`."""

from __future__ import annotations

import argparse
from fractions import Fraction
from pathlib import Path


def share(text: str) -> float:
    """Read a number from 0 to 1 on the command line."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 to 1")
    return value


def accepted_share(text: str) -> Fraction:
    """Read a share above 0 and below 1 on the command line, as `1/20` or `0.05`."""
    try:
        share = Fraction(text)
    except (ValueError, ZeroDivisionError):
        share = Fraction(0)
    if not 0 < share < 1:
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is not a share such as 1/20 or 0.05")
    return share


def add_calibrate_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `vouch calibrate`."""
    add = parser.add_argument
    add("test_set", type=Path, metavar="TESTSET", help="the questions: a folder or file for vouch eval questions, or "
        "the folder of a run")  # fmt: skip
    add("--collection", required=True, metavar="NAME", help="the collection to ask")
    add("--at-most", type=accepted_share, default=Fraction(1, 20), metavar="SHARE", help="the share of wrong answers "
        "that you accept (default: 1/20)")  # fmt: skip
    add("--right", choices=("answer", "page"), default="answer", help="what makes an answer right: it says all of the "
        "expected one and cites its page (default), or it cites the page")  # fmt: skip
    add("--profile", default="default", metavar="P", help="the profile: a name in configs/, or your own .yaml file")
    add("--out", type=Path, metavar="RUN", help="keep the answers in this folder, where the same command continues")
    add("--write", action="store_true", help="write the threshold into your profile")
