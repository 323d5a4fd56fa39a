"""The content of the Compare tab at each moment, as HTML: the columns, their evidence, and the tables below."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from configs import methods_with_notes
from indexing import IndexingError, Mode
from ui.show import message_html, public_words
from ui.web.compare.comparisons import Comparison, kinds_of
from ui.web.compare.figures import METHODS, Contender, as_csv, figures, joint, methods, models, modes, table
from ui.web.compare.html import Side, below_html, columns_html, summary_html
from ui.web.viewer import empty_viewer_html, viewer_html

if TYPE_CHECKING:
    from ui.show import Moment
    from ui.web.open_collections import OpenCollections

SLOTS = len(METHODS)
"""The number of columns that there may be."""
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
    """The HTML of each column ("" for none; fewer than SLOTS leave the rest empty), of the evidence, of what is below,
    and of the summary above.

    `busy` can be stopped.
    """

    columns: tuple[str, ...]
    evidence: str
    below: str
    busy: bool
    summary: str = ""


def contenders_of(
    by: str, mode: str, method: str, extract: bool, which: Sequence[str], named: Sequence[str] = ()
) -> tuple[Contender, ...]:
    """Return the contenders that the widgets name: `by` modes (all three, by one method), methods (of `which`), or
    models (of `named`, the first ones for which there are columns). A quote has no model: then each writes at once.
    """
    if by == "models":
        writes = method if method not in ("", "quote") else "vanilla"
        return models(
            named[:SLOTS], cast("Mode", mode) if mode else None, writes, extract and writes in methods_with_notes()
        )
    if by == "methods":
        return methods(which, cast("Mode", mode) if mode else None)
    chosen = method or None
    return modes(chosen, (extract and method in methods_with_notes()) if method else None)


def objection(collection: str | None, question: str, contenders: Sequence[Contender]) -> CompareView | None:
    """Return the view shown in the place of a comparison that cannot begin."""
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
    """Yield views of a comparison until it ends."""
    for moments in run.follow():
        yield comparison_view(open_collections, run, moments)


def comparison_view(open_collections: OpenCollections, run: Comparison, moments: Sequence[Moment]) -> CompareView:
    """Return the view of a comparison at one moment; pages and figures come once all answers are finished."""
    busy = any(m.state == "busy" for m in moments)
    answers = [m.answer for m in moments]
    finished = [a for a in answers if a is not None]
    kinds: dict[str, str] = {}
    trouble = ""
    try:
        with open_collections.opened(run.collection) as (collection, _):
            kinds = kinds_of(collection, finished)
    except IndexingError as error:
        trouble = public_words(error)
    figures_of_each = [figures(a, kinds) if a else None for a in answers]
    titles = [c.title for c in run.contenders]
    sides = [Side(*parts) for parts in zip(titles, moments, figures_of_each, strict=True)]
    columns = columns_html(sides, run.id, run.collection, run.question)
    if busy:
        return CompareView(columns, empty_viewer_html(_WAITING, run.id), "", busy=True)
    rows = table(figures_of_each)
    below = below_html(run.question, sides, rows, as_csv(run.question, titles, answers, rows))
    evidence = _evidence(open_collections, run, moments, trouble)
    return CompareView(columns, evidence, below, busy=False, summary=summary_html(sides))


def _evidence(open_collections: OpenCollections, run: Comparison, moments: Sequence[Moment], trouble: str) -> str:
    """Return the pages that any of them cites, in one viewer."""
    whole, _ = joint([m.sentences for m in moments], run.question)
    try:
        pages = open_collections.pages(run.collection, whole)
    except IndexingError as error:
        trouble = public_words(error)
        pages = ()
    if trouble:
        return empty_viewer_html(message_html("The pages cannot be shown.", trouble, "error"), run.id)
    return viewer_html(pages, run.id, question=run.question)
