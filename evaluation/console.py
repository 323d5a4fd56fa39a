"""What commands read and print: counts, progress, and tables of a benchmark with our number beside the reference."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from indexing import Progress


def positive(text: str) -> int:
    """Read a count on the command line: 1 or more."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 on")
    return int(text)


def tell(progress: Progress) -> None:
    """Say on stderr how far indexing is, on one line that is overwritten."""
    say("indexing", progress.pages_done, progress.pages_total, f"{progress.pages_per_second:.1f} pages/s")


def say(what: str, done: int, total: int, more: str = "") -> None:
    """Say on stderr how far something is, on one line that is overwritten."""
    print(f"\r{what}: {done}/{total} {more}  ", end="", file=sys.stderr, flush=True)


@dataclass(frozen=True, slots=True)
class TableRow:
    """A measured number. `limit` is the most that is allowed or, with `at_least`, the least."""

    what: str
    ours: float
    unit: str = ""
    reference: float | None = None
    limit: float | None = None
    at_least: bool = False
    note: str = ""

    @property
    def verdict(self) -> str:
        """The verdict: PASS, over or (below a least value) under; a dash where nothing is asked."""
        if self.limit is None:
            return "-"
        if self.at_least:
            return "PASS" if self.ours >= self.limit else "under"
        return "PASS" if self.ours <= self.limit else "over"


def percentile(values: Sequence[float], share: float) -> float:
    """Return the smallest value that at least `share` (0 to 1) of the values do not exceed (nearest rank)."""
    if not values:
        raise ValueError("no values: nothing was measured")
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)]


def median(values: Sequence[float]) -> float:
    """Return the middle value (the lower one of two)."""
    return percentile(values, 0.5)


def format_figure(value: float | None, unit: str = "") -> str:
    """Return a number with three digits and its unit; a dash for None."""
    if value is None:
        return "-"
    if value and abs(value) < 100:
        text = f"{value:.{max(0, 2 - math.floor(math.log10(abs(value))))}f}"
    else:
        text = f"{value:,.0f}"
    return f"{text} {unit}".strip()


def print_rows(title: str, rows: Sequence[TableRow], reference: str) -> None:
    """Print the table; `reference` is the title of that column."""
    print_table(
        title,
        ("", "ours", reference, "limit", ""),
        [
            (
                row.what + (f" ({row.note})" if row.note else ""),
                format_figure(row.ours, row.unit),
                format_figure(row.reference, row.unit if row.reference is not None else ""),
                format_figure(row.limit, row.unit if row.limit is not None else ""),
                row.verdict,
            )
            for row in rows
        ],
    )


def print_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table of texts, the first column to the left, the others to the right."""
    from rich.console import Console  # the processes that benches.memory measures do without rich
    from rich.table import Table

    table = Table(title=title, title_justify="left")
    for number, name in enumerate(columns):
        table.add_column(name, justify="left" if number == 0 else "right")
    for row in rows:
        table.add_row(*row)
    Console(width=None if sys.stdout.isatty() else 132).print(table)
