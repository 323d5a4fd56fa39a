"""Report runs as tables, plots and a gallery of failures, and compare two runs."""

from evaluation.report import board, people
from evaluation.report.compare import compare
from evaluation.report.page import write_report

__all__ = [
    "board",
    "compare",
    "people",
    "write_report",
]
