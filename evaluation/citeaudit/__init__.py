"""CiteAudit: citations, true and made up, put to the audit, and its verdicts held against the labels."""

from evaluation.citeaudit.cli import add_options, citeaudit

__all__ = ["add_options", "citeaudit"]
