"""Export an audit, as marked paper, report or corrections in BibTeX, and word it for page and terminal."""

from plugins.audit.export.bibtex import corrections
from plugins.audit.export.export import (
    AUDIT_FORMS,
    audit_form_of,
    export_audit,
    marked_paper,
    marks_of_audit,
    report_of,
)
from plugins.audit.export.wording import (
    FIELD_NAMES,
    OUTCOME_NAMES,
    STATUS_MEANINGS,
    STATUS_NAMES,
    audit_counts,
    difference,
    differing,
    status_counts,
)
