"""The words for an audit that terminal, page and exports share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ui.show import clean, shorten

if TYPE_CHECKING:
    from plugins.audit.auditing import Audit, AuditedReference, FieldVerdict

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
