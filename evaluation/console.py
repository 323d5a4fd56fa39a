"""What commands read and print: counts, progress and tables."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from indexing import Progress


def positive(text: str) -> int:
    """Read a count on the command line: 1 or more."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 on")
    return int(text)


def print_indexing(progress: Progress) -> None:
    """Print on stderr how many pages are indexed, on one line that the next call overwrites."""
    print_progress("indexing", progress.pages_done, progress.pages_total, f"{progress.pages_per_second:.1f} pages/s")


def print_progress(what: str, done: int, total: int, more: str = "") -> None:
    """Print on stderr that `done` of `total` are done, then `more`, on one line that the next call overwrites."""
    print(f"\r{what}: {done}/{total} {more}  ", end="", file=sys.stderr, flush=True)


def print_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table of texts, the first column aligned to the left, the others to the right."""
    from rich.console import Console  # late: few commands print tables
    from rich.table import Table

    table = Table(title=title, title_justify="left")
    for number, name in enumerate(columns):
        table.add_column(name, justify="left" if number == 0 else "right")
    for row in rows:
        table.add_row(*row)
    Console(width=None if sys.stdout.isatty() else 132).print(table)
