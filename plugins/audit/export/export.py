"""`vouch audit --export`: an audit written as a marked PDF, as HTML, as JSON, or as corrections in BibTeX."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from configs import PROOF
from indexing import Mark, annotate_file
from plugins.audit.export.bibtex import corrections
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
from ui import ExportError
from ui.export import MARK, check_free, write_atomically
from ui.show import clean, render, shorten

if TYPE_CHECKING:
    from indexing import IndexingSettings
    from plugins.audit.auditing import Audit, AuditedReference

AuditForm = Literal["html", "pdf", "json", "bibtex"]
AUDIT_FORMS: dict[AuditForm, tuple[str, str, str]] = {
    "html": (".html", "text/html", "Report, HTML"),
    "pdf": (".pdf", "application/pdf", "The paper, entries boxed"),
    "json": (".json", "application/json", "JSON"),
    "bibtex": (".bib", "application/x-bibtex", "Corrections, BibTeX"),
}
"""The forms of an export: the suffix of its file, its media type, and its name for people."""
COLOURS = {
    "real": PROOF.highlight,
    "errors": (0.99, 0.84, 0.42),
    "questionable": (0.99, 0.72, 0.46),
    "invented": (0.97, 0.62, 0.58),
    "unknown": (0.78, 0.80, 0.84),
}
"""Red, green and blue, 0 to 1: they are multiplied with the page. The comment says the verdict in words."""
_MOST_SEARCHED = 6
_MOST_CHARS = 600


def audit_form_of(target: Path) -> AuditForm:
    """Return the form that a file name stands for. Raises ExportError for a suffix without one."""
    suffix = target.suffix.lower()
    for form, (own, _, _) in AUDIT_FORMS.items():
        if suffix in (own, own.removesuffix("l")):  # .htm
            return form
    raise ExportError(f"{target}: an audit is written as {', '.join(own for own, _, _ in AUDIT_FORMS.values())}")


def export_audit(
    audit: Audit, paper: Path, target: Path, settings: IndexingSettings | None = None, password: str | None = None
) -> list[str]:
    """Write an audit to `target` and return what was left out of a PDF of `paper`, in which nothing acts.

    Raises ExportError, which also stands for a PDF of what has no pages, and the FileError of a paper that cannot be
    marked.
    """
    form, notes = audit_form_of(target), []
    check_free({target: b""})
    if form == "pdf":
        data, left_out = marked_paper(audit, paper, settings, password)
        notes = [f"Left out of the PDF of {clean(audit.paper)}: {', '.join(left_out)}."] if left_out else []
    else:
        data = report_of(audit, form)
    write_atomically(target, data)
    return notes


def marked_paper(
    audit: Audit, paper: Path, settings: IndexingSettings | None = None, password: str | None = None
) -> tuple[bytes, tuple[str, ...]]:
    """Return the paper as a PDF with every entry marked, and what was left out of it. Raises ExportError, FileError."""
    marks = marks_of_audit(audit)
    if not marks:
        raise ExportError(f"{clean(audit.paper)}: no entry is on a page that can be marked: export .html")
    marked_pdf = annotate_file(paper, marks, settings, password)
    return marked_pdf.content + f"\n% {MARK}\n".encode(), marked_pdf.left_out


def report_of(audit: Audit, form: AuditForm) -> bytes:
    """Return an audit in a form that needs no paper: HTML, JSON, or BibTeX with the corrections."""
    if form == "html":
        return f"{_html(audit)}\n".encode()
    if form == "json":
        return (json.dumps({"generator": MARK, **audit.to_json()}, indent=2) + "\n").encode()
    return corrections(audit).encode(errors="replace")


def _html(audit: Audit) -> str:
    return render(
        "plugins.audit:export/templates/audit.html",
        mark=MARK,
        audit=audit,
        counts=status_counts(audit),
        summary=audit_counts(audit),
        names=STATUS_NAMES,
        meanings=STATUS_MEANINGS,
        fields=FIELD_NAMES,
        outcomes=OUTCOME_NAMES,
    )


def marks_of_audit(audit: Audit) -> list[Mark]:
    """Return a mark for each part of a page that an entry stands on, in the order of the bibliography."""
    return [
        Mark(
            place.page,
            place.boxes,
            comment(entry),
            f"[{entry.reference.number}] {STATUS_NAMES[entry.status]}",
            colour=COLOURS[entry.status],
        )
        for entry in audit.references
        for place in entry.reference.places
        if place.boxes
    ]


def comment(entry: AuditedReference) -> str:
    """Return the text of the comment: verdict and reason, each field that differs, findings, what was searched."""
    lines = [f"[{entry.reference.number}] {STATUS_NAMES[entry.status]}: {_short(entry.reason)}"]
    lines += [_short(difference(field)) for field in differing(entry)]
    lines += [_short(finding.text) for finding in entry.findings]
    lines += [f"{_short(lookup.source)}: {OUTCOME_NAMES[lookup.outcome]}" for lookup in entry.lookups[:_MOST_SEARCHED]]
    return "\n".join(line for line in lines if line)


def _short(text: str) -> str:
    return shorten(clean(text), _MOST_CHARS)
