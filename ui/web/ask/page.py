"""The content of the Ask tab at each moment, as HTML: turns, their evidence, the conversations, the chips. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, cast

import samples
from configs import method_spec, methods_with_notes, offered_exports
from indexing import Document, IndexingError, Mode, facets_of
from ui.access import ALL_COLLECTIONS
from ui.show import (
    HTML,
    KIND_NAMES,
    MODE_NAMES,
    SEARCHED_NAMES,
    STAGE_NAMES,
    Moment,
    answer_html,
    count_of,
    message_html,
    provenance,
    public_words,
    render,
    shorten,
)
from ui.web.ask.asking import Asking
from ui.web.ask.turns import AskRequest, Turn
from ui.web.open_collections import OpenCollections
from ui.web.viewer import NO_PAGE, WIDTHS, address, empty_viewer_html, viewer_html
from vouch.hooks import additions

if TYPE_CHECKING:
    from rag import Answer, Evidence
    from ui.state import Conversation


def turn_html(turn: Turn, moment: Moment, *, latest: bool = True) -> HTML:
    """Return a turn at a `moment`; one that is not the `latest` is collapsed under its question."""
    return render(
        "web/ask/templates/turn.html",
        id=turn.id,
        question=turn.request.question.text,
        how=_how(turn.request, moment),
        body=_body(turn, moment),
        busy=moment.state == "busy",
        latest=latest,
    )


def reviewed_html(turn: Turn, answer: Answer) -> HTML:
    """Return a turn to be reviewed, collapsed: its question, and the sentences with the buttons that judge them."""
    return render(
        "web/ask/templates/turn.html",
        id=turn.id,
        question=turn.request.question.text,
        how=turn.created[:10],
        body=answer_html(answer, turn.id, turn.keeping.feedback if turn.keeping else {}),
        latest=False,
    )


def _how(ask_request: AskRequest, moment: Moment) -> str:
    """Return `Asked of annual-reports, as a follow-up. Text and images were searched; the answer is quoted.`."""
    answer, number = moment.answer, len(ask_request.question.documents)
    scope = f"{'one document' if number == 1 else f'{number} documents'} in " if number else ""
    image = ", with an image" if ask_request.question.image else ""
    later = ", as a follow-up" if ask_request.question.earlier else ""
    condition = f", where {ask_request.question.where}" if ask_request.question.where else ""
    request = f"Asked of {scope}{ask_request.collection}{condition}{image}{later}."
    if answer is None:
        return request
    return f"{request} {SEARCHED_NAMES[answer.mode]}; the answer is {provenance(answer)}."


def _body(turn: Turn, moment: Moment) -> HTML:
    """Return the answer with its export menu and account; of an unfinished one the sentences so far and the step."""
    answer = moment.answer
    if answer is None:
        so_far = moment.so_far
        state = _state(moment, begun=bool(so_far.sentences))
        return render("web/ask/templates/unfinished.html", id=turn.id, answer=so_far, state=state)
    return render(
        "web/ask/templates/finished.html",
        id=turn.id,
        answer=answer_html(answer, turn.id, turn.keeping.feedback if turn.keeping else None),
        keeping=turn.keeping,
        notes=answer.notes,
        downloads=offered_exports(cites=bool(answer.citations)),
        reviewed=bool(answer.citations),
        claims=render("web/ask/templates/claims.html", id=turn.id, answer=answer) if answer.sentences else "",
        found=found_html(turn.request, answer, moment.visual_queries),
    )


def _state(moment: Moment, *, begun: bool) -> HTML:
    """Return the step, or why the answer stopped or failed; `begun` means that some sentences are shown above it."""
    if moment.state == "failed":
        suffix = " The part answered so far is above." if begun else ""
        return message_html("That did not work.", moment.error + suffix, "error")
    if moment.state == "stopped":
        return message_html("Stopped.", "You can ask again at any time; nothing was lost.")
    return message_html(moment.doing + "\u2026", kind="busy")


VIEW_NAMES = {"text": "By text", "visual": "By page image"}


@dataclass(frozen=True, slots=True)
class Listing:
    """A table of texts; its `name` is for screen readers."""

    name: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]


def found_html(request: AskRequest, answer: Answer, visual_queries: Sequence[str] = ()) -> HTML:
    """Return the account of an answer: queries, evidence, model notes, cost, time per stage.

    `visual_queries` are the image-seeking forms of the queries, in their order.
    """
    return render(
        "web/ask/templates/account.html",
        queries=_queries(answer, visual_queries),
        previous=request.question.earlier,
        told=method_spec(answer.method).earlier,
        found_in=f"Found, in {MODE_NAMES[answer.mode]}",
        evidence=_evidence(answer.evidence),
        knowledge=_knowledge(answer.evidence),
        answered=_method_and_cost(answer),
        time=bars_html(answer.timings),
    )


def _queries(answer: Answer, visual_queries: Sequence[str]) -> Listing:
    """List each query with its image-seeking form, if pixels were searched, and the number of evidence it found."""
    heads = ["", "Query", "Hits used"]
    if has_visual := answer.mode != "text" and len(visual_queries) == len(answer.queries):
        heads.insert(2, "Compared with page images")
    rows = []
    for number, query in enumerate(answer.queries, 1):
        hits = sum(number in e.found_by for e in answer.evidence)
        forms = (query, visual_queries[number - 1]) if has_visual else (query,)
        rows.append((str(number), *forms, count_of(hits, "hit")))
    return Listing("Queries", heads, rows)


def _evidence(evidence: Sequence[Evidence]) -> Listing:
    """List the evidence with the score by which it is ranked, and the score of each view (text, page image)."""
    views = [view for view in VIEW_NAMES if any(view in dict(e.by_view) for e in evidence)]
    rows = [
        (
            e.label,
            f"{e.document}, page {e.element.page}",
            KIND_NAMES.get(e.element.kind, e.element.kind),
            ", ".join(map(str, e.found_by)),
            f"{e.score:.3f}",
            *(f"{scores[view]:.3f}" if view in (scores := dict(e.by_view)) else "\u2013" for view in views),
            shorten(e.element.text, 90),
        )
        for e in evidence
    ]
    heads = ("", "Place", "Kind", "Found by query", "Score", *(VIEW_NAMES[view] for view in views), "Begins")
    return Listing("What was found", heads, rows)


def _knowledge(evidence: Sequence[Evidence]) -> Listing:
    rows = [(e.label, shorten(e.knowledge, 400)) for e in evidence if e.knowledge]
    return Listing("Knowledge", ("", "What the model noted, without seeing the question"), rows)


def _method_and_cost(answer: Answer) -> list[str]:
    """Return sentences on the method and, if a model wrote the answer, on its calls, tokens and cost."""
    lines = [f"The answer was {provenance(answer)}."]
    usage = answer.usage
    if usage.calls:
        lines.append(
            f"{count_of(usage.calls, 'call')}: {count_of(usage.prompt_tokens, 'token')} and "
            f"{count_of(usage.images, 'image')} in, {count_of(usage.completion_tokens, 'token')} out, "
            f"{usage.seconds:.1f} s at the model."
        )
    if usage.cost:
        lines.append(f"Cost: {usage.cost:.4f}.")
    return lines


def bars_html(timings: dict[str, float]) -> HTML:
    """Draw the seconds of each stage as a bar, in percent of the longest, and the total as text."""
    stages = {name: seconds for name, seconds in timings.items() if name != "total"}
    longest = max(stages.values(), default=0.0) or 1.0
    rows = [(STAGE_NAMES.get(name, name), 100 * seconds / longest, seconds) for name, seconds in stages.items()]
    total = timings.get("total", sum(stages.values()))
    return render("web/ask/templates/stages.html", stages=rows, total=total)


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
