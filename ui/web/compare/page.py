"""The content of the Compare tab at each moment, as HTML: the columns, their evidence, and the tables below."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from indexing import IndexingError
from ui.show import message_html, public_words
from ui.web.compare.comparisons import Comparison, Contender
from ui.web.compare.figures import as_csv, figures, joint, table
from ui.web.compare.html import Side, below_html, columns_html
from ui.web.viewer import empty_viewer_html, viewer_html

if TYPE_CHECKING:
    from indexing import Collection
    from rag import Answer
    from ui.show import Moment
    from ui.web.open_collections import OpenCollections

WELCOME = message_html(
    "One question, answered side by side.",
    "From the text of the documents, from what their pages look like, and from both. What differs is underlined.",
)
NO_PAGE = message_html("The cited pages appear here: click a number in any of the answers.")
_WAITING = message_html("The pages appear here when the answers are complete.")
_NO_QUESTION = message_html("The question is empty.", "Type one above.")
_NO_COLLECTION = message_html("There are no documents yet.", "Add some under Collections, then compare.")
_ONE = message_html("Fewer than two ways were chosen.", "Choose two or more to compare.")


@dataclass(frozen=True, slots=True)
class CompareView:
    """The HTML of each column (at most SLOTS), of the evidence, and of the tables below.

    `busy`: the comparison can be stopped.
    """

    columns: tuple[str, ...]
    evidence: str
    below: str
    busy: bool


def objection(collection: str | None, question: str, contenders: Sequence[Contender]) -> CompareView | None:
    """Return the view that says why a comparison cannot begin; None if it can."""
    note = ""
    if not collection:
        note = _NO_COLLECTION
    elif not question.strip():
        note = _NO_QUESTION
    elif len(contenders) < 2:
        note = _ONE
    return CompareView((note,), empty_viewer_html(NO_PAGE), "", busy=False) if note else None


def welcome() -> CompareView:
    """Return the view before the first comparison."""
    return CompareView((WELCOME,), empty_viewer_html(NO_PAGE), "", busy=False)


def follow_comparison(open_collections: OpenCollections, run: Comparison) -> Iterator[CompareView]:
    """Yield the view of a comparison at each moment until it ends."""
    for moments in run.follow():
        yield comparison_view(open_collections, run, moments)


def comparison_view(open_collections: OpenCollections, run: Comparison, moments: Sequence[Moment]) -> CompareView:
    """Return the view of a comparison at one moment; it has pages and tables once all answers have ended."""
    busy = any(m.state == "busy" for m in moments)
    answers = [m.answer for m in moments]
    finished_answers = [a for a in answers if a is not None]
    kinds: dict[str, str] = {}
    trouble = ""
    try:
        with open_collections.open_collection(run.collection) as (collection, _):
            kinds = kinds_of(collection, finished_answers)
    except IndexingError as error:
        trouble = public_words(error)
    figures_of_each = [figures(a, kinds) if a else None for a in answers]
    titles = [c.title for c in run.contenders]
    sides = [Side(*parts) for parts in zip(titles, moments, figures_of_each, strict=True)]
    columns = columns_html(sides, run.id, run.question)
    if busy:
        return CompareView(columns, empty_viewer_html(_WAITING, run.id), "", busy=True)
    rows = table(figures_of_each)
    below = below_html(run.question, sides, rows, as_csv(run.question, titles, answers, rows))
    evidence = _evidence(open_collections, run, moments, trouble)
    return CompareView(columns, evidence, below, busy=False)


def kinds_of(collection: Collection, answers: Sequence[Answer]) -> dict[str, str]:
    """Return the kinds of all elements, by id, on the pages where the answers' evidence has a group."""
    pages = {(e.element.doc_id, e.element.page) for a in answers for e in a.evidence if e.element.parts}
    return {e.id: e.kind for doc_id, page in sorted(pages) for e in collection.page_elements(doc_id, page)}


def _evidence(open_collections: OpenCollections, run: Comparison, moments: Sequence[Moment], trouble: str) -> str:
    """Return one viewer of the pages that any answer cites, or the error `trouble` in it."""
    joint_answer, _ = joint([m.sentences for m in moments], run.question)
    try:
        pages = open_collections.pages(run.collection, joint_answer)
    except IndexingError as error:
        trouble = public_words(error)
        pages = ()
    if trouble:
        return empty_viewer_html(message_html("The pages cannot be shown.", trouble, "error"), run.id)
    return viewer_html(pages, run.id, question=run.question)
