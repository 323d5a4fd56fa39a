"""The content of the Audit tab at each moment, as HTML: entries with their verdicts, and their pages."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from indexing import IndexingError
from plugins.audit.export import (
    AUDIT_FORMS,
    FIELD_NAMES,
    OUTCOME_NAMES,
    STATUS_MEANINGS,
    STATUS_NAMES,
    audit_counts,
    differing,
    status_counts,
)
from plugins.audit.progress import WorkView
from ui.show import HTML, message_html, public_words, render
from ui.web.viewer import empty_viewer_html, viewer_html

if TYPE_CHECKING:
    from plugins.audit.auditing import AuditedReference
    from plugins.audit.progress import AuditMoment
    from plugins.audit.web.runs import AuditRun, Audits

WELCOME = message_html(
    "Do the references of a paper exist, and are they what they say they are?",
    "Drop a paper or a bibliography, or paste its entries. Each is looked up in the sources that this server's "
    "settings allow, and compared with its record field by field. Unknown does not mean fake.",
)
NO_PAGE = message_html("The pages of the bibliography appear here: click an entry.")
NOTHING = message_html("There is nothing to audit.", "Drop a paper or a bibliography, or paste entries, one per line.")
_WAITING = message_html("The pages appear here when the audit is complete.")
_NO_PLACES = message_html("No page to show.", "This bibliography is not on a page.")
_PAUSE = 0.4
"""The least seconds between two renderings of an audit in progress."""
_ENTRIES_A_SECOND = 300
"""The most entries that are rendered per second: a long bibliography is rendered less often."""


def message_view(message: HTML) -> WorkView:
    """Return a view with a message instead of an audit: `WELCOME`, `NOTHING`, or why a file was rejected."""
    return WorkView(message, empty_viewer_html(NO_PAGE), busy=False)


def follow_audit(audits: Audits, run: AuditRun) -> Iterator[WorkView]:
    """Yield views of an audit until it ends, at most a few per second; its pages come at the end."""
    first = True
    for moment in run.follow():
        busy = moment.state == "busy"
        evidence = viewer(audits, run, moment) if first or not busy else None
        first = False
        yield WorkView(run_html(run, moment), evidence, busy)
        if busy:
            time.sleep(max(_PAUSE, len(moment.references or ()) / _ENTRIES_A_SECOND))


def run_html(run: AuditRun, moment: AuditMoment) -> HTML:
    """Return the entries, also those that are not judged yet, with their filters and exports."""
    audit = moment.so_far(run.name)
    waiting = [ref for ref in moment.references or () if ref.number not in moment.done] if moment.audit is None else []
    ended = moment.state != "busy"
    counts = [(f"is-{status}", STATUS_NAMES[status], n) for status, n in status_counts(audit).items()]
    counts += [("pending", "waiting", len(waiting))] if waiting else []
    return render(
        "plugins.audit:web/templates/audit.html",
        id=run.id,
        title=run.name,
        collection=run.collection,
        state=moment.state,
        error=moment.error,
        found=moment.references is not None,
        done=len(audit.references),
        total=len(audit.references) + len(waiting),
        entries=[(one, differing(one)) for one in audit.references],
        waiting=waiting if not ended else [],
        counts=counts,
        summary=audit_counts(audit) if moment.audit is not None else "",
        missing=audit.missing,
        notes=audit.notes if ended else (),
        seconds=audit.seconds if moment.audit is not None else None,
        downloads=_downloads(moment, audit.references),
        names=STATUS_NAMES,
        meanings=STATUS_MEANINGS,
        fields=FIELD_NAMES,
        outcomes=OUTCOME_NAMES,
    )


def viewer(audits: Audits, run: AuditRun, moment: AuditMoment) -> str:
    """Return the pages that have entries, or a message in their place."""
    if moment.state == "busy":
        return empty_viewer_html(_WAITING, run.id)
    try:
        pages = audits.sheets(run)
    except (IndexingError, OSError) as error:
        return empty_viewer_html(message_html("The pages cannot be shown.", public_words(error), "error"), run.id)
    return viewer_html(pages, run.id) if pages else empty_viewer_html(_NO_PLACES, run.id)


def _downloads(moment: AuditMoment, references: Sequence[AuditedReference]) -> list[tuple[str, str]]:
    """Return the export formats on offer: PDF if there are pages, BibTeX if there are corrections."""
    if moment.state == "busy" or not references:
        return []
    left_out = set() if any(one.reference.places for one in references) else {"pdf"}
    left_out |= set() if any(one.status == "errors" and one.record for one in references) else {"bibtex"}
    return [(form, name) for form, (_, _, name) in AUDIT_FORMS.items() if form not in left_out]
