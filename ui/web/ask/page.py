"""The content of the Ask tab at each moment, as HTML: turns, their evidence, the conversations, the chips. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, cast

import samples
from configs import methods_with_notes
from indexing import Document, IndexingError, Mode, facets_of
from ui.access import ALL_COLLECTIONS
from ui.show import HTML, Moment, message_html, public_words, render, shorten
from ui.web.ask.asking import Asking
from ui.web.ask.turn_html import reviewed_html, turn_html
from ui.web.ask.turns import AskRequest, Turn
from ui.web.open_collections import OpenCollections
from ui.web.viewer import NO_PAGE, WIDTHS, address, empty_viewer_html, viewer_html
from vouch.hooks import additions

if TYPE_CHECKING:
    from ui.state import Conversation

MOST_CHIPS = {"tag": 8, "date": 5, "kind": 5}
"""The most chips of each field: the commonest tags and kinds, the latest years. A typed filter can use any value."""
_CHARS = 24
"""The most characters of a value that are shown."""


def chips_of(documents: Sequence[Document]) -> list[tuple[str, str]]:
    """Return the chips as (label, filter), such as ("minutes (12)", "tag=minutes").

    A value that all documents have would filter nothing, so it gets no chip.
    """
    facets = facets_of(documents)
    chips: list[tuple[str, str]] = []
    for field, counts in (("tag", facets.tags), ("date", facets.years), ("kind", facets.kinds)):
        useful = [(value, n) for value, n in counts if n < len(documents) and _quote(value)]
        chips += [(f"{shorten(value, _CHARS)} ({n})", f"{field}={value}") for value, n in useful[: MOST_CHIPS[field]]]
    return chips


def where_of(chips: Sequence[str] | None) -> str | None:
    """Return the filter of the selected chips: any of the values of a field, and all fields; None without a chip."""
    by_field: dict[str, list[str]] = {}
    for chip in chips or ():
        field, _, value = str(chip).partition("=")
        by_field.setdefault(field, []).append(f"{field}={_quote(value)}")
    parts = [" or ".join(tests) for tests in by_field.values()]
    return " and ".join(f"({part})" if len(parts) > 1 else part for part in parts) or None


def _quote(value: str) -> str:
    """Return a value in quotes; "" for one that has quotes of both kinds."""
    mark = '"' if '"' not in value else "'"
    return "" if mark in value else f"{mark}{value}{mark}"


WELCOME = message_html(
    "Ask a question about your documents.",
    "Each sentence of the answer has a number: click it to see the place on the page, in a box.",
)
NO_COLLECTION = message_html("There are no documents yet.", "Add some under Collections, then ask.")
_NO_QUESTION = message_html("The question is empty.", "Type one above.")
_DRAWING = message_html("The pages appear here when the answer is complete.", kind="quiet")
_NO_PAGES = message_html("Nothing to show.", "The answer cites no place.")


MOST_SHOWN = 8
"""The number of documents whose first page is shown before anything is asked."""


@dataclass(frozen=True, slots=True)
class AskView:
    """The HTML of the four widgets of the tab, None for one that stays unchanged; `busy`: the answer can be stopped.

    `conversation` is the id of the displayed conversation.
    """

    current: str
    evidence: str
    past: str | None
    past_evidence: str | None
    busy: bool
    conversation: str = ""


class Options(NamedTuple):
    """The values of the widgets for a question's options, in the order of the widgets."""

    mode: str
    method: str
    queries: float
    top_k: float
    extract: bool
    every_page: bool
    model: str | None
    image: str | None
    documents: Sequence[str] | None
    chips: Sequence[str] | None


def asked_of(name: str, text: str, options: Options) -> AskRequest:
    """Return a question to the collection `name` with the options of its widgets."""
    return AskRequest.of(
        name,
        text.strip(),
        documents=tuple(options.documents or ()),
        where=where_of(options.chips),
        mode=cast("Mode", options.mode) if options.mode else None,
        method=options.method,
        queries=int(options.queries),
        top_k=int(options.top_k),
        extract=options.extract and options.method in methods_with_notes(),
        every_page=bool(options.every_page) and options.method in methods_with_notes(),
        model=options.model or None,
        image=options.image or None,
    )


def conversation_view(
    asking: Asking, visitor: str, name: str | None, conversation: str = "", *, asked_nothing: bool = False
) -> AskView:
    """Return the view of a conversation: its last turn (a note if `asked_nothing`), and the earlier ones collapsed."""
    turns = asking.conversations.turns(visitor, conversation)
    if asked_nothing or not turns:
        note = NO_COLLECTION if not name else _NO_QUESTION if asked_nothing else _welcome(asking.open_collections)
        past, evidence = _earlier(asking, turns)
        return AskView(note, empty_viewer_html(NO_PAGE), past, evidence, False, conversation)
    past, evidence = _earlier(asking, turns[:-1])
    moment = turns[-1].now
    busy = moment.state == "busy"
    current = turn_html(turns[-1], moment), _viewer(asking, turns[-1], moment)
    return AskView(*current, past, evidence, busy, conversation)


def review_view(asking: Asking, visitor: str, name: str | None, conversation: str) -> AskView:
    """Return the sentences to review of all of a visitor's conversations; `conversation` is the one to return to."""
    queue = asking.conversations.review_queue(visitor, name or "")
    turns = [reviewed_html(turn, turn.now.answer) for turn in queue.turns if turn.now.answer]
    current = render("web/ask/templates/review.html", queue=queue, turns=turns, name=name)
    viewers = "".join(_viewer(asking, turn, turn.now, hidden=True) for turn in queue.turns)
    return AskView(current, empty_viewer_html(NO_PAGE), "", viewers, False, conversation)


def _welcome(open_collections: OpenCollections) -> HTML:
    """Return the note before the first question; without a model also the tabs by which one can be set up."""
    if open_collections.profile.rag.model is not None:
        return WELCOME
    access = open_collections.access
    tabs = additions("tabs") if not access.has_accounts or access.may("editor", ALL_COLLECTIONS) else ()
    offers = [(tab.title, tab.without_model) for tab in tabs if tab.without_model]
    return render("web/ask/templates/welcome.html", offers=offers)


def contents(open_collections: OpenCollections, name: str | None) -> str:
    """Return the newest documents of a collection as HTML with their first pages; "" if it cannot be opened."""
    if not name:
        return render("web/ask/templates/begin.html")
    try:
        with open_collections.open_collection(name) as (collection, _):
            documents = collection.documents()
    except IndexingError:  # asking says what is wrong with it
        return ""
    if not documents:
        return render("web/ask/templates/begin.html")
    newest = sorted(documents, key=lambda d: (d.indexed_at, d.name), reverse=True)[:MOST_SHOWN]
    return render(
        "web/ask/templates/contents.html",
        name=name,
        documents=[(d, f"{address(name, d.id, 1)}?w={WIDTHS[0]}") for d in newest],
        number=len(documents),
        pages=sum(d.n_pages for d in documents),
        more=len(documents) - len(newest),
        questions=samples.QUESTIONS if name == samples.NAME else (),
    )


def follow_turn(asking: Asking, visitor: str, turn: Turn) -> Iterator[AskView]:
    """Yield views of a turn, one for each moment, until it ends; only the first has the earlier turns."""
    earlier = [t for t in asking.conversations.turns(visitor, turn.conversation) if t.id != turn.id]
    past: tuple[str | None, str | None] = _earlier(asking, earlier)
    for moment in turn.follow():
        busy = moment.state == "busy"
        current = turn_html(turn, moment), _viewer(asking, turn, moment)
        yield AskView(*current, *past, busy, turn.conversation)
        past = None, None


def _earlier(asking: Asking, turns: Sequence[Turn]) -> tuple[str, str]:
    """Return earlier turns, newest first, and their viewers, hidden until one of their numbers is clicked."""
    if not turns:
        return "", ""
    newest_first = list(reversed(turns))
    turns_html = [turn_html(t, t.now, latest=False) for t in newest_first]
    viewers = "".join(_viewer(asking, t, t.now, hidden=True) for t in newest_first)
    return render("web/ask/templates/history.html", turns=turns_html), viewers


def _viewer(asking: Asking, turn: Turn, moment: Moment, *, hidden: bool = False) -> str:
    """Return the viewer of the pages that a turn cites, or a message in it while or if there are none."""
    if moment.answer is None:
        return empty_viewer_html(_DRAWING if moment.state == "busy" else _NO_PAGES, turn.id, hidden=hidden)
    try:
        pages = asking.pages(turn)
    except IndexingError as error:
        return empty_viewer_html(
            message_html("The pages cannot be shown.", public_words(error), "error"), turn.id, hidden=hidden
        )
    return viewer_html(pages, turn.id, hidden=hidden, question=turn.request.question.text)


def conversations_html(matches: Sequence[Conversation], current: str, words: str | None = "") -> str:
    """Return the list of conversations, the `current` one marked; `words` are the search that it is the result of."""
    return render(
        "web/ask/templates/conversations.html", found=matches, current=current, searched=bool((words or "").strip())
    )
