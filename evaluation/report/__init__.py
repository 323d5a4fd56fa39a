"""Report runs as tables, plots and a gallery of failures, and compare two runs."""

from evaluation.report import people
from evaluation.report.compare import compare
from evaluation.report.page import write_report
from evaluation.report.parts import Heading, Paragraph, Part, Table, markdown, page
