"""Check answers that real models wrote, and compare the verdicts with those of judges."""

from evaluation.written_answers.cli import add_options, written

__all__ = ["add_options", "written"]
