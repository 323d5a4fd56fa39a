"""`vouch eval`: it hands over to the package `evaluation`, which the user interface never imports (docs/adr/0016)."""

from __future__ import annotations

import runpy
import sys
from collections.abc import Sequence
from importlib.util import find_spec


def hand_over(arguments: Sequence[str]) -> int:
    """Run `python -m evaluation` in this process with these arguments; returns its exit code."""
    if find_spec("evaluation") is None:
        print("vouch: the package evaluation is not installed: install Vouch again", file=sys.stderr)
        return 2
    before = sys.argv
    sys.argv = ["vouch eval", *arguments]
    try:
        runpy.run_module("evaluation", run_name="__main__")
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 0 if end.code is None else 2
    finally:
        sys.argv = before
    return 0
