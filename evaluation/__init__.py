"""Benchmarks of the papers, and the measurement of answers to your own questions."""

from typing import TYPE_CHECKING

import indexing
from indexing.lazy_imports import lazy_names

if TYPE_CHECKING:
    from evaluation.cli import main
    from evaluation.console import positive, print_indexing, print_progress, print_table
    from evaluation.errors import EvaluationError, GoldUnreadable, RunRefused
    from evaluation.rendering import render

__all__ = [
    "EvaluationError",
    "GoldUnreadable",
    "RunRefused",
    "main",
    "positive",
    "print_indexing",
    "print_progress",
    "print_table",
    "render",
]
_LATE = {
    **dict.fromkeys(("positive", "print_indexing", "print_progress", "print_table"), "console"),
    **dict.fromkeys(("EvaluationError", "GoldUnreadable", "RunRefused"), "errors"),
    "main": "cli",
    "render": "rendering",
}
__getattr__ = lazy_names("evaluation", _LATE)
