"""The content of the Collections tab as HTML, and the actions of its buttons. Independent of Gradio.

`ui/web/static/collections.js` finds its way by data attributes: `data-act` says what a button does, `data-id` to what;
on a page, `data-piece` is the number of an element, `data-kind` a kind to be hidden.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from indexing import IndexingError
from ui.show import HTML, KIND_NAMES, bars_svg, clean, count_of, message_html, public_words, render, size
from ui.web.uploads import Uploads
from ui.web.viewer import address, srcset

if TYPE_CHECKING:
    from collections.abc import Mapping

    from indexing import Element
    from ui.web.collection_service import CollectionSummary, PageDetail
    from ui.web.uploads import QueuedFile

MOST_DOCUMENTS = 500
MOST_HEADINGS = 500
"""The most headings of a document that are listed."""
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
    """Return a row and a bar for each file: those being read first, then waiting ones, then the others. "" for none."""
    if not items:
        return ""
    remaining = sum(item.open for item in items)
    failures = sum(item.state == "failed" for item in items)
    progress = f"{count_of(remaining, 'file')} to read" + (f", {failures} not read" if failures else "")
    return render(
        "web/collections/templates/queue.html",
        files=[(item, _STATES[item.state], _note(item)) for item in sorted(items, key=_turn)],
        left=remaining,
        said=progress if remaining else _outcome(items),
    )


def _turn(item: QueuedFile) -> tuple[int, float]:
    """Return a sort key: files being read, then waiting ones, then those that have ended, the latest first."""
    return (0 if item.state == "reading" else 1 if item.open else 2), -item.ended


def _outcome(items: Sequence[QueuedFile]) -> str:
    """Return `3 files: 2 read, 1 not read`."""
    states = [item.state for item in items]
    counts = [f"{states.count(s)} {name}" for s, name in _STATES.items() if s in states]
    return f"{count_of(len(items), 'file')}: {', '.join(counts)}"


def _note(item: QueuedFile) -> str:
    """Return `3.4 MB, to papers; stopping`."""
    return "; ".join(filter(None, (f"{size(item.size)}, to {item.collection}" if item.open else "", item.note)))


def collections_html(summaries: Sequence[CollectionSummary], current: str | None) -> HTML:
    """Return the list of all collections, the `current` one marked; a click on a name opens its documents."""
    if not summaries:
        return NO_COLLECTIONS
    return render("web/collections/templates/collections.html", summaries=summaries, chosen=current)


def documents_html(summary: CollectionSummary | None) -> str:
    """Return the list of a collection's documents, newest first, with buttons to show and remove them."""
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
    """Return plots of a collection's elements by kind, and of its pages by document; "" without documents."""
    if summary is None or not summary.documents:
        return ""
    pages = {d.name: d.n_pages for d in sorted(summary.documents, key=lambda d: -d.n_pages)}
    names = {KIND_NAMES.get(kind, kind): number for kind, number in kinds.items()}
    series = (("Parts by kind", names), ("Pages by document", pages))
    plots = [bars_svg(title, values, lambda v: f"{v:,.0f}") for title, values in series]
    return render("web/collections/templates/statistics.html", plots=plots)


def confirm_html(question: str, detail: str) -> HTML:
    """Return the question that asks to confirm a deletion."""
    return render("web/collections/templates/question.html", question=question, detail=detail)


NO_PAGE = message_html("Click the name of a document to see its pages as they were parsed.")
_MISSING = message_html("This page could not be read.", "Nothing on this page can be found or cited.", "error")
_EMPTY = message_html("Nothing was found on this page.", "It may be empty, or a picture without any text.")
_SOURCES = {"layer": "from the text of the file", "ocr": "read off the pixels", "file": "the image itself"}
_HIDDEN = ("group",)
"""The kinds of elements that are hidden at first: groups cover everything else."""


def browser_html(collection: str, page_detail: PageDetail) -> HTML:
    """Return a page with the boxes and texts of its elements, in reading order; groups come last, hidden."""
    src = address(collection, page_detail.document.id, page_detail.page.number)
    kinds: Counter[str] = Counter(e.kind for e in page_detail.elements)
    return render(
        "web/collections/templates/page.html",
        document=page_detail.document,
        page=page_detail.page,
        src=src,
        srcset=srcset(src),
        trouble=_MISSING if page_detail.page.number in page_detail.document.failed_pages else "",
        kinds=sorted(kinds.items(), key=lambda pair: (pair[0] in _HIDDEN, -pair[1])),
        hidden=_HIDDEN,
        headings=page_detail.headings[:MOST_HEADINGS],
        more_headings=len(page_detail.headings[MOST_HEADINGS:]),
        pieces=[(e, e.text or "(no text)", _origin(e)) for e in page_detail.elements],
        nothing=_EMPTY,
    )


def _origin(element: Element) -> str:
    """Return `under Costs > Staff; made of 3 others; from the text of the file`."""
    section = f"under {' > '.join(element.section)}; " if element.section else ""
    parts = f"made of {len(element.parts)} others; " if element.parts else ""
    return section + parts + _SOURCES.get(element.source, element.source)


@dataclass(frozen=True, slots=True)
class TabLists:
    """The HTML of the lists: all collections, the documents of the selected one, its plots."""

    summaries: str
    documents: str
    statistics: str


@dataclass(frozen=True, slots=True)
class DeletionTarget:
    """The target of a deletion to be confirmed: a document or, if `doc_id` is empty, the entire collection."""

    collection: str
    doc_id: str = ""


def tab_lists(uploads: Uploads, current: str | None) -> TabLists:
    """Return the present lists, with the collection `current` selected."""
    service = uploads.service
    summaries = service.summaries()
    summary = next((h for h in summaries if h.name == current), None)
    kinds: dict[str, int] = {}
    if summary is not None and summary.documents:
        try:
            kinds = service.kinds(summary.name)
        except IndexingError:  # the list says what is wrong with it
            kinds = {}
    if not summaries:
        return TabLists(NO_COLLECTIONS, "", "")
    return TabLists(collections_html(summaries, current), documents_html(summary), statistics_html(summary, kinds))


def follow_queue(uploads: Uploads, owner: str) -> Iterator[tuple[str, bool]]:
    """Yield (HTML of the queue, True if a file has ended since) at each change, until all of an owner's files ended."""
    before: int | None = None
    for items in uploads.follow(owner):
        n_ended = sum(not item.open for item in items)
        at_once = before is None and 0 < n_ended == len(items)
        yield queue_html(items), at_once or before not in (None, n_ended)
        before = n_ended


def page_html(uploads: Uploads, collection: str | None, target: str) -> str:
    """Return the page that `target` names (`<document id>:<page>`), NO_PAGE for another text, or an error message."""
    doc_id, _, number = target.rpartition(":")
    if not collection or not doc_id or not (number.isascii() and number.isdigit() and len(number) < 7):
        return NO_PAGE
    try:
        return browser_html(collection, uploads.service.page_detail(collection, doc_id, int(number)))
    except IndexingError as error:
        return message_html("That page cannot be shown.", public_words(error), "error")


def deletion_target(uploads: Uploads, collection: str | None, doc_id: str = "") -> tuple[DeletionTarget | None, str]:
    """Return a document or collection to be deleted, and the question that asks to confirm it; None if it is gone."""
    summary = uploads.service.summary(collection) if collection else None
    if summary is None or collection is None:
        return None, ""
    undone = "This cannot be undone. The original files stay where they are."
    if not doc_id:
        contents = f"{count_of(len(summary.documents), 'document')}, {count_of(summary.pages, 'page')}"
        return DeletionTarget(collection), confirm_html(f"Delete the collection {collection} with {contents}?", undone)
    document = next((d for d in summary.documents if d.id == doc_id), None)
    if document is None:
        return None, message_html("That document no longer exists.")
    question = f"Remove {document.name} ({count_of(document.n_pages, 'page')}) from {collection}?"
    return DeletionTarget(collection, doc_id), confirm_html(question, undone)


def delete(uploads: Uploads, target: DeletionTarget) -> str:
    """Delete a document or collection, and return a message on the outcome."""
    try:
        if not target.doc_id:
            uploads.service.delete(target.collection)
            return message_html(f"Deleted the collection {target.collection}.")
        return message_html(f"Removed {uploads.service.remove(target.collection, target.doc_id).name}.")
    except (IndexingError, OSError) as error:
        return message_html("That did not work.", clean(public_words(error)), "error")


def compact(uploads: Uploads, collection: str) -> str:
    """Free disk space, and return a message with the sizes before and after."""
    try:
        before, after = uploads.service.compact(collection)
    except (IndexingError, OSError) as error:
        return message_html("That did not work.", clean(public_words(error)), "error")
    return message_html(f"{collection} was compacted.", f"{size(before)} before, {size(after)} after.")


def unlock(uploads: Uploads, collection: str | None, password: str) -> str:
    """Unlock the documents of a collection that a password opens, and return a message that names them."""
    if not collection or not password:
        return message_html("Choose a collection, and type the password of its locked documents.")
    try:
        documents = uploads.service.unlock(collection, password)
    except (IndexingError, OSError) as error:
        return message_html("That did not work.", clean(public_words(error)), "error")
    if not documents:
        return message_html(f"That password opens none of the locked documents of {collection}.", kind="error")
    names = ", ".join(clean(document.name) for document in documents)
    return message_html(f"Unlocked until Vouch is stopped: {names}.")


def queue_action(uploads: Uploads, owner: str, action: str, item_id: str, password: str = "") -> bool:
    """Do the action of a button of the queue; return True if a file is queued again."""
    upload_queue = uploads.upload_queue
    if action == "stop":
        upload_queue.cancel(owner, item_id)
    elif action == "stop-all":
        upload_queue.cancel_all(owner)
    elif action == "clear":
        upload_queue.clear(owner)
    elif action == "retry":
        upload_queue.retry(owner, item_id, password or None)
        return True
    return False
