"""The paper with every entry boxed, coloured by its verdict, and a comment that says why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from configs import PROOF
from indexing import Mark
from plugins.audit.export.wording import OUTCOME_NAMES, STATUS_NAMES, difference, differing
from ui.show import clean, shorten

if TYPE_CHECKING:
    from plugins.audit.auditing import Audit, AuditedReference

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


def marks_of_audit(audit: Audit) -> list[Mark]:
    """Return a mark for each part of a page that an entry stands on, in the order of the bibliography."""
    return [
        Mark(
            place.page,
            place.boxes,
            comment(audited),
            f"[{audited.reference.number}] {STATUS_NAMES[audited.status]}",
            colour=COLOURS[audited.status],
        )
        for audited in audit.references
        for place in audited.reference.places
        if place.boxes
    ]


def comment(audited: AuditedReference) -> str:
    """Return the text of the comment: verdict and reason, each field that differs, findings, what was searched."""
    lines = [f"[{audited.reference.number}] {STATUS_NAMES[audited.status]}: {_short(audited.reason)}"]
    lines += [_short(difference(field)) for field in differing(audited)]
    lines += [_short(finding.text) for finding in audited.findings]
    lines += [
        f"{_short(lookup.source)}: {OUTCOME_NAMES[lookup.outcome]}" for lookup in audited.lookups[:_MOST_SEARCHED]
    ]
    return "\n".join(line for line in lines if line)


def _short(text: str) -> str:
    return shorten(clean(text), _MOST_CHARS)
