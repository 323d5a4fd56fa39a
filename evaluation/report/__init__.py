"""Report runs as tables, plots and a gallery of failures, and compare two runs."""

from evaluation.report import people
from evaluation.report.compare import compare
from evaluation.report.page import write_report
from evaluation.report.parts import Heading, Paragraph, Part, Picture, Table, markdown, page
from evaluation.report.plots import COLOURS, LOOK, MISSING

__all__ = [
    "COLOURS",
    "LOOK",
    "MISSING",
    "Heading",
    "Paragraph",
    "Part",
    "Picture",
    "Table",
    "compare",
    "markdown",
    "page",
    "people",
    "write_report",
]
