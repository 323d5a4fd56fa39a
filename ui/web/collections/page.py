"""The content of the Collections tab, as HTML, and the meaning of a click on it. It knows nothing of Gradio."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from indexing import IndexingError
from ui.show import clean, counted, message_html, public_words, size
from ui.web.collections.html import (
    NO_COLLECTIONS,
    collections_html,
    confirm_html,
    documents_html,
    queue_html,
    statistics_html,
)
from ui.web.collections.page_html import NO_PAGE, browser_html
from ui.web.uploads import Uploads


@dataclass(frozen=True, slots=True)
class Shelf:
    """The HTML of the three lists: all collections, the documents of the chosen one, its plots."""

    summaries: str
    documents: str
    statistics: str


@dataclass(frozen=True, slots=True)
class Doomed:
    """The target of a deletion to be confirmed: a document, or with `doc_id` empty a whole collection."""

    collection: str
    doc_id: str = ""


def shelf(uploads: Uploads, chosen: str | None) -> Shelf:
    """Return the collections as they are now."""
    service = uploads.service
    summaries = service.summaries()
    summary = next((h for h in summaries if h.name == chosen), None)
    kinds: dict[str, int] = {}
    if summary is not None and summary.documents:
        try:
            kinds = service.kinds(summary.name)
        except IndexingError:  # the list says what is wrong with it
            kinds = {}
    if not summaries:
        return Shelf(NO_COLLECTIONS, "", "")
    return Shelf(collections_html(summaries, chosen), documents_html(summary), statistics_html(summary, kinds))


def reading(uploads: Uploads, owner: str) -> Iterator[tuple[str, bool]]:
    """Yield the queue of a person until all is read: its HTML, and True if the collections may have changed by it."""
    over: int | None = None
    for items in uploads.follow(owner):
        done = sum(not item.open for item in items)
        at_once = over is None and 0 < done == len(items)
        yield queue_html(items), at_once or over not in (None, done)
        over = done


def looked_at(uploads: Uploads, collection: str | None, target: str) -> str:
    """Return the page that a click asks for: `<document id>:<page>`."""
    doc_id, _, number = target.rpartition(":")
    if not collection or not doc_id or not (number.isascii() and number.isdigit() and len(number) < 7):
        return NO_PAGE
    try:
        return browser_html(collection, uploads.service.page_detail(collection, doc_id, int(number)))
    except IndexingError as error:
        return message_html("That page cannot be shown.", public_words(error), "error")


def deletion_target(uploads: Uploads, collection: str | None, doc_id: str = "") -> tuple[Doomed | None, str]:
    """Return what is to be deleted, and the question that asks for confirmation."""
    summary = uploads.service.summary(collection) if collection else None
    if summary is None or collection is None:
        return None, ""
    undone = "This cannot be undone. The original files stay where they are."
    if not doc_id:
        contents = f"{counted(len(summary.documents), 'document')}, {counted(summary.pages, 'page')}"
        return Doomed(collection), confirm_html(f"Delete the collection {collection} with {contents}?", undone)
    document = next((d for d in summary.documents if d.id == doc_id), None)
    if document is None:
        return None, message_html("That document no longer exists.")
    question = f"Remove {document.name} ({counted(document.n_pages, 'page')}) from {collection}?"
    return Doomed(collection, doc_id), confirm_html(question, undone)


def delete(uploads: Uploads, target: Doomed) -> str:
    """Delete it; say what became of it."""
    try:
        if not target.doc_id:
            uploads.service.delete(target.collection)
            return message_html(f"Deleted the collection {target.collection}.")
        return message_html(f"Removed {uploads.service.remove(target.collection, target.doc_id).name}.")
    except (IndexingError, OSError) as error:
        return message_html("That did not work.", clean(public_words(error)), "error")


def compact(uploads: Uploads, collection: str) -> str:
    """Give back disk space; say how much."""
    try:
        before, after = uploads.service.compact(collection)
    except (IndexingError, OSError) as error:
        return message_html("That did not work.", clean(public_words(error)), "error")
    return message_html(f"{collection} was compacted.", f"{size(before)} before, {size(after)} after.")


def unlock(uploads: Uploads, collection: str | None, password: str) -> str:
    """Let the pages of the locked documents of a collection that a password opens be seen; say which these are."""
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


def act(uploads: Uploads, owner: str, what: str, item_id: str, password: str = "") -> bool:
    """Do the action of a button of the queue; True when there is something to follow again."""
    upload_queue = uploads.upload_queue
    if what == "stop":
        upload_queue.cancel(owner, item_id)
    elif what == "stop-all":
        upload_queue.cancel_all(owner)
    elif what == "clear":
        upload_queue.clear(owner)
    elif what == "retry":
        upload_queue.retry(owner, item_id, password or None)
        return True
    return False
