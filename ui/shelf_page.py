"""What the Collections tab shows, as HTML, and what a click on it means. Knows nothing of Gradio."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from indexing import IndexingError
from ui.page_browser import NO_PAGE, browser_html
from ui.receiving import Receiving
from ui.render import message_html
from ui.sanitize import clean
from ui.shelf import NO_COLLECTIONS, confirm_html, documents_html, holdings_html, queue_html, statistics_html
from ui.terminal import size
from ui.wording import counted


@dataclass(frozen=True, slots=True)
class Shelf:
    """HTML of the three lists: all collections, the documents of the chosen one, its plots."""

    holdings: str
    documents: str
    statistics: str


@dataclass(frozen=True, slots=True)
class Doomed:
    """What will be deleted when that is confirmed: a document, or with `doc_id` empty a whole collection."""

    collection: str
    doc_id: str = ""


def shelf(receiving: Receiving, chosen: str | None) -> Shelf:
    """The collections as they are now."""
    library = receiving.library
    holdings = library.holdings()
    found = next((h for h in holdings if h.name == chosen), None)
    kinds: dict[str, int] = {}
    if found is not None and found.documents:
        try:
            kinds = library.kinds(found.name)
        except IndexingError:  # the list says what is wrong with it
            kinds = {}
    if not holdings:
        return Shelf(NO_COLLECTIONS, "", "")
    return Shelf(holdings_html(holdings, chosen), documents_html(found), statistics_html(found, kinds))


def reading(receiving: Receiving, owner: str) -> Iterator[tuple[str, bool]]:
    """The queue of a person until all is read: its HTML, and whether the collections may have changed by it."""
    over: int | None = None
    for items in receiving.follow(owner):
        done = sum(not item.open for item in items)
        at_once = over is None and 0 < done == len(items)
        yield queue_html(items), at_once or over not in (None, done)
        over = done


def looked_at(receiving: Receiving, collection: str | None, target: str) -> str:
    """The page that a click asks for: `<document id>:<page>`."""
    doc_id, _, number = target.rpartition(":")
    if not collection or not doc_id or not (number.isascii() and number.isdigit() and len(number) < 7):
        return NO_PAGE
    try:
        return browser_html(collection, receiving.library.leaf(collection, doc_id, int(number)))
    except IndexingError as error:
        return message_html("That page cannot be shown.", str(error), "error")


def doomed(receiving: Receiving, collection: str | None, doc_id: str = "") -> tuple[Doomed | None, str]:
    """What is to be deleted, and the question before that."""
    found = receiving.library.holding(collection) if collection else None
    if found is None or collection is None:
        return None, ""
    undone = "It cannot be undone. The files that were read stay where they came from."
    if not doc_id:
        said = f"{counted(len(found.documents), 'document')}, {counted(found.pages, 'page')}"
        return Doomed(collection), confirm_html(f"Delete the collection {collection} with {said}?", undone)
    document = next((d for d in found.documents if d.id == doc_id), None)
    if document is None:
        return None, message_html("That document is not there any more.")
    asked = f"Remove {document.name} ({counted(document.n_pages, 'page')}) from {collection}?"
    return Doomed(collection, doc_id), confirm_html(asked, undone)


def delete(receiving: Receiving, target: Doomed) -> str:
    """Delete it; says what became of it."""
    try:
        if not target.doc_id:
            receiving.library.delete(target.collection)
            return message_html(f"Deleted the collection {target.collection}.")
        return message_html(f"Removed {receiving.library.remove(target.collection, target.doc_id).name}.")
    except (IndexingError, OSError) as error:
        return message_html("That did not work.", clean(str(error)), "error")


def compact(receiving: Receiving, collection: str) -> str:
    """Give back disk space; says how much."""
    try:
        before, after = receiving.library.compact(collection)
    except (IndexingError, OSError) as error:
        return message_html("That did not work.", clean(str(error)), "error")
    return message_html(f"{collection} was compacted.", f"{size(before)} before, {size(after)} after.")


def act(receiving: Receiving, owner: str, what: str, item_id: str, password: str = "") -> bool:
    """What a button of the queue asks for; True when there is something to follow again."""
    intake = receiving.intake
    if what == "stop":
        intake.cancel(owner, item_id)
    elif what == "stop-all":
        intake.cancel_all(owner)
    elif what == "clear":
        intake.clear(owner)
    elif what == "retry":
        intake.retry(owner, item_id, password or None)
        return True
    return False
