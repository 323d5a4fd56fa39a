"""The collections, their documents and files on their way as HTML. Pure.

`ui/web/static/collections.js` finds its way by data attributes: `data-act` says what a button does, `data-id` to what.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ui.show import HTML, KIND_NAMES, bars_svg, counted, message_html, render, size

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ui.web.collection_service import CollectionSummary
    from ui.web.uploads import QueuedFile

MOST_DOCUMENTS = 500
_STATES = {
    "waiting": "waiting",
    "reading": "reading",
    "done": "read",
    "failed": "not read",
    "cancelled": "stopped",
}
_NO_DOCUMENTS = message_html("There are no documents here yet.", "Drop some into the box, or click it.")
NO_COLLECTIONS = message_html("There are no collections yet.", "The first file that you add creates one.")


def queue_html(items: Sequence[QueuedFile]) -> str:
    """Return files that are read, wait, or were read: a row and a bar each, in this order. Empty without any."""
    if not items:
        return ""
    remaining = sum(item.open for item in items)
    failures = sum(item.state == "failed" for item in items)
    under_way = f"{counted(remaining, 'file')} to read" + (f", {failures} not read" if failures else "")
    return render(
        "web/collections/templates/queue.html",
        files=[(item, _STATES[item.state], _note(item)) for item in sorted(items, key=_turn)],
        left=remaining,
        said=under_way if remaining else _outcome(items),
    )


def _turn(item: QueuedFile) -> tuple[int, float]:
    """Return the place of a file in the list: what is read now, what waits, then what has ended, the latest first."""
    return (0 if item.state == "reading" else 1 if item.open else 2), -item.ended


def _outcome(items: Sequence[QueuedFile]) -> str:
    """Return `3 files: 2 read, 1 not read`."""
    states = [item.state for item in items]
    counts = [f"{states.count(s)} {name}" for s, name in _STATES.items() if s in states]
    return f"{counted(len(items), 'file')}: {', '.join(counts)}"


def _note(item: QueuedFile) -> str:
    """Return `3.4 MB, to papers; stopping`."""
    return "; ".join(filter(None, (f"{size(item.size)}, to {item.collection}" if item.open else "", item.note)))


def collections_html(summaries: Sequence[CollectionSummary], chosen: str | None) -> HTML:
    """Return all collections; a name leads to its documents."""
    if not summaries:
        return NO_COLLECTIONS
    return render("web/collections/templates/collections.html", summaries=summaries, chosen=chosen)


def documents_html(summary: CollectionSummary | None) -> str:
    """Return the documents of a collection, newest first; each can be looked at page by page, and taken out."""
    if summary is None:
        return ""
    if summary.trouble:
        return message_html("This collection cannot be opened.", summary.trouble, "error")
    if not summary.documents:
        return _NO_DOCUMENTS
    documents = sorted(summary.documents, key=lambda d: (d.indexed_at, d.name), reverse=True)[:MOST_DOCUMENTS]
    more = len(summary.documents) - len(documents)
    return render(
        "web/collections/templates/documents.html",
        name=summary.name,
        documents=documents,
        more=more,
        reads_pixels=summary.reads_pixels,
    )


def statistics_html(summary: CollectionSummary | None, kinds: Mapping[str, int]) -> str:
    """Return the composition of a collection, as plots."""
    if summary is None or not summary.documents:
        return ""
    pages = {d.name: d.n_pages for d in sorted(summary.documents, key=lambda d: -d.n_pages)}
    names = {KIND_NAMES.get(kind, kind): number for kind, number in kinds.items()}
    shown = (("Parts by kind", names), ("Pages by document", pages))
    plots = [bars_svg(title, values, lambda v: f"{v:,.0f}") for title, values in shown]
    return render("web/collections/templates/statistics.html", plots=plots)


def confirm_html(question: str, detail: str) -> HTML:
    """Return a question before something that cannot be undone."""
    return render("web/collections/templates/question.html", question=question, detail=detail)
