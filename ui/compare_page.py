"""What the Compare tab shows at each moment, as HTML: the columns, the evidence of all of them, what lies below."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from indexing import IndexingError, Mode
from rag.types import Method
from ui.compare_html import Side, below_html, columns_html
from ui.comparing import Run, kinds_of
from ui.comparison import METHODS, Contender, as_csv, figures, joint, methods, modes, table
from ui.render import message_html
from ui.turns import READ_NOTES
from ui.viewer import empty_viewer_html, viewer_html

if TYPE_CHECKING:
    from ui.desk import Desk
    from ui.turns import Moment

SLOTS = len(METHODS)
"""Columns that there may be."""
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
class Shown:
    """HTML of each column ("" for none; fewer than SLOTS leave the rest empty), of the evidence and of what is below;
    `busy` can be stopped.
    """

    columns: tuple[str, ...]
    evidence: str
    below: str
    busy: bool


def contenders_of(by: str, mode: str, method: str, extract: bool, which: Sequence[str]) -> tuple[Contender, ...]:
    """Who competes, as the widgets say it: `by` modes (all three, by one method) or methods (those of `which`)."""
    if by == "methods":
        return methods(which, cast("Mode", mode) if mode else None)
    chosen = cast("Method", method) if method else None
    return modes(chosen, (extract and method in READ_NOTES) if method else None)


def objection(collection: str | None, question: str, contenders: Sequence[Contender]) -> Shown | None:
    """What is shown in the place of a comparison that cannot begin."""
    note = ""
    if not collection:
        note = _NO_COLLECTION
    elif not question.strip():
        note = _NO_QUESTION
    elif len(contenders) < 2:
        note = _ONE
    return Shown((note,), empty_viewer_html(NO_PAGE), "", busy=False) if note else None


def welcome() -> Shown:
    """Before the first comparison."""
    return Shown((WELCOME,), empty_viewer_html(NO_PAGE), "", busy=False)


def followed(desk: Desk, run: Run) -> Iterator[Shown]:
    """A comparison from now to its end."""
    for moments in run.follow():
        yield shown(desk, run, moments)


def shown(desk: Desk, run: Run, moments: Sequence[Moment]) -> Shown:
    """A comparison at one moment; pages and figures come when all have ended."""
    busy = any(m.state == "busy" for m in moments)
    answers = [m.answer for m in moments]
    given = [a for a in answers if a is not None]
    kinds: dict[str, str] = {}
    trouble = ""
    try:
        with desk.opened(run.collection) as (collection, _):
            kinds = kinds_of(collection, given)
    except IndexingError as error:
        trouble = str(error)
    found = [figures(a, kinds) if a else None for a in answers]
    titles = [c.title for c in run.contenders]
    sides = [Side(*parts) for parts in zip(titles, moments, found, strict=True)]
    columns = columns_html(sides, run.id, run.collection, run.question)
    if busy:
        return Shown(columns, empty_viewer_html(_WAITING, run.id), "", busy=True)
    rows = table(found)
    below = below_html(run.question, sides, rows, as_csv(run.question, titles, answers, rows))
    return Shown(columns, _evidence(desk, run, moments, trouble), below, busy=False)


def _evidence(desk: Desk, run: Run, moments: Sequence[Moment], trouble: str) -> str:
    """The pages that any of them cites, in one viewer."""
    whole, _ = joint([m.sentences for m in moments], run.question)
    try:
        pages = desk.pages(run.collection, whole)
    except IndexingError as error:
        trouble = str(error)
        pages = ()
    if trouble:
        return empty_viewer_html(message_html("The pages cannot be shown.", trouble, "error"), run.id)
    return viewer_html(pages, run.id, question=run.question)
