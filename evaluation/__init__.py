"""Benchmarks of the papers and of speed; each prints our number beside a reference."""

from typing import TYPE_CHECKING

import indexing
from indexing.late import late

if TYPE_CHECKING:
    from evaluation.cli import main
    from evaluation.console import TableRow, median, percentile, positive, print_rows, print_table, say, tell
    from evaluation.constructed_rows import ConstructedRows
    from evaluation.errors import EvaluationError, GoldUnreadable, RunRefused
    from evaluation.rendering import render

__all__ = [
    "ConstructedRows",
    "EvaluationError",
    "GoldUnreadable",
    "RunRefused",
    "TableRow",
    "main",
    "median",
    "percentile",
    "positive",
    "print_rows",
    "print_table",
    "render",
    "say",
    "tell",
]
_CONSOLE = ("TableRow", "median", "percentile", "positive", "print_rows", "print_table", "say", "tell")

_LATE = dict.fromkeys(_CONSOLE, "console") | {
    **dict.fromkeys(("EvaluationError", "GoldUnreadable", "RunRefused"), "errors"),
    "ConstructedRows": "constructed_rows",
    "main": "cli",
    "render": "rendering",
}
__getattr__ = late("evaluation", _LATE)
