"""Export an audit: the marked paper, a report as HTML, Markdown or JSON, corrections as BibTeX."""

from ui.export.audit.bibtex import corrections
from ui.export.audit.export import AUDIT_FORMS, audit_form_of, export_audit, marked_paper, report_of, write_corrections
from ui.export.audit.marks import marks_of_audit

__all__ = [
    "AUDIT_FORMS",
    "audit_form_of",
    "corrections",
    "export_audit",
    "marked_paper",
    "marks_of_audit",
    "report_of",
    "write_corrections",
]
