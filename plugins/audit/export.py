"""Export an audit as a marked PDF, HTML, JSON, or corrections in BibTeX, and word it for page and terminal.

Only references that are real and have errors are there: of those, and of no others, a record of the same work is known.
Every value is escaped, so that a record can hold no command of LaTeX.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from configs import PROOF
from indexing import Mark, annotate_file
from ui import ExportError
from ui.export import MARK, check_free, latex, write_atomically
from ui.show import clean, render, shorten

if TYPE_CHECKING:
    from indexing import IndexingSettings
    from plugins.audit.auditing import Audit, AuditedReference, FieldVerdict, Record


STATUS_NAMES = {
    "real": "real",
    "errors": "real, with errors",
    "questionable": "questionable",
    "invented": "likely invented",
    "unknown": "unknown",
}
"""The verdicts on references, in the order in which they are counted."""
STATUS_MEANINGS = {
    "real": "a record agrees in every field that can be compared",
    "errors": "the work exists, and fields differ from its record",
    "questionable": "no record of the work was found, and one sign speaks against it: compare it with its source",
    "invented": "two independent signs that there is no such work, none from a field that was read with doubt",
    "unknown": "no source covers it, or none could be reached; no sign of a fake",
}
FIELD_NAMES = {
    "title": "title",
    "authors": "authors",
    "venue": "venue",
    "year": "year",
    "doi": "DOI",
    "arxiv": "arXiv",
    "url": "address",
}
OUTCOME_NAMES = {
    "found": "found",
    "nothing": "has no such work",
    "not covered": "does not cover it",
    "not reachable": "could not be reached",
}


def differing(reference: AuditedReference) -> tuple[FieldVerdict, ...]:
    """Return the fields in which a reference and its record differ, in their order."""
    return tuple(field for field in reference.fields if field.agrees is False)


def difference(field: FieldVerdict, most: int = 2000) -> str:
    """Return `year: the paper has 2019, the record 2017`, at most `most` characters of each value; not escaped."""
    ours, theirs = (shorten(clean(value), most) or "none" for value in (field.cited, field.found))
    return f"{FIELD_NAMES[field.field]}: the paper has {ours}, the record {theirs}"


def status_counts(audit: Audit) -> dict[str, int]:
    """Return the number of references by status, in the order of `STATUS_NAMES`, without statuses that none has."""
    statuses = [reference.status for reference in audit.references]
    return {status: statuses.count(status) for status in STATUS_NAMES if status in statuses}


def audit_counts(audit: Audit) -> str:
    """Return `60 references: 50 real, 6 real with errors, 1 likely invented, 3 unknown`."""
    number = len(audit.references)
    counts = ", ".join(f"{n:,} {STATUS_NAMES[status].replace(',', '')}" for status, n in status_counts(audit).items())
    whole = f"{number:,} reference{'' if number == 1 else 's'}"
    return f"{whole}: {counts}" if counts else whole


_KEY = re.compile(r"[A-Za-z][A-Za-z0-9:+./_-]{0,79}")
_ARTICLES = ("article", "journal-article", "journal article", "journal")
_PROCEEDINGS = ("inproceedings", "proceedings-article", "conference", "conference paper")
_NAMELESS = re.compile(r"[^\w .,:()-]")
"""The characters that the name of a source loses: BibTeX reads an @ in a comment as the beginning of an entry."""


def corrections(audit: Audit) -> str:
    """Return the whole file; a file without an entry says that there is nothing to correct."""
    lines = [f"% {MARK}", "% Corrections: each entry is as its record has it. Look at them before you take them over."]
    keys: set[str] = set()
    entries = [_entry(entry, entry.record, keys) for entry in audit.references if _is_known(entry)]
    return "\n".join([*lines, "", *(entries or ["% There is nothing to correct."])]) + "\n"


def _is_known(entry: AuditedReference) -> bool:
    return entry.status == "errors" and entry.record is not None


def _entry(entry: AuditedReference, record: Record | None, keys: set[str]) -> str:
    """Return the entry of a record, under the key that the paper has for it or one of its own."""
    assert record is not None  # noqa: S101 - `_is_known` says so
    fields = record.fields
    kind, place = _kind(record)
    values = {
        "author": " and ".join(latex.escape_latex(_last_first(name)) for name in fields.authors)
        + (" and others" if fields.et_al and fields.authors else ""),
        "title": f"{{{latex.escape_latex(fields.title)}}}" if fields.title else "",
        place: latex.escape_latex(fields.venue),
        "year": latex.escape_latex(fields.year),
        "doi": latex.identifier(fields.doi),
        "eprint": latex.identifier(fields.arxiv),
        "archiveprefix": "arXiv" if fields.arxiv else "",
        "url": latex.address(fields.url),
    }
    lines = [f"  {name:<13} = {{{value}}}," for name, value in values.items() if value]
    wrong = ", ".join(field.field for field in differing(entry))
    source = " ".join(_NAMELESS.sub(" ", clean(record.source)[: latex.MOST_CHARS]).split())
    head = f"% entry {entry.reference.number}{f': {wrong}' if wrong else ''}; record of {source}"
    return "\n".join([head, f"@{kind}{{{_key(entry, keys)},", *lines, "}", ""])


def _key(entry: AuditedReference, keys: set[str]) -> str:
    """Return the key of an entry: its label where that is one, and each key once."""
    label = entry.reference.label
    key = label if _KEY.fullmatch(label) else f"ref{entry.reference.number}"
    while key in keys:
        key += "-2"
    keys.add(key)
    return key


def _kind(record: Record) -> tuple[str, str]:
    """Return the type of an entry, and the name of the field that has its venue."""
    kind = record.kind.casefold()
    if kind in _ARTICLES:
        return "article", "journal"
    if kind in _PROCEEDINGS:
        return "inproceedings", "booktitle"
    return "misc", "howpublished"


def _last_first(name: str) -> str:
    """Return a name in one piece: the word "and" in it, which parts names in BibTeX, stands in braces."""
    return " ".join(word for word in clean(name).split() if word.casefold() != "and")


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
        "plugins.audit:templates/report.html",
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
