"""The content of the Compare tab at each moment, as HTML: a column a contender, their evidence, the tables below."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from indexing import IndexingError
from ui.show import (
    HTML,
    STAGE_NAMES,
    count_of,
    is_other,
    looked_at,
    message_html,
    missing,
    no_answer,
    public_words,
    render,
    verdict_counts,
)
from ui.web.compare.comparisons import Comparison, Contender
from ui.web.compare.figures import (
    FigureRow,
    Figures,
    PageUse,
    as_csv,
    differences,
    figures,
    joint,
    marked_html,
    overlap,
    said_by,
    shown_cell,
    table,
)
from ui.web.viewer import empty_viewer_html, viewer_html

if TYPE_CHECKING:
    from indexing import Collection
    from rag import Answer, Sentence
    from ui.show import Moment
    from ui.web.open_collections import OpenCollections


_MOST_PAGES = 12
_MOST_SAID = 12
_LEAST_SHOWN = 0.005
"""The seconds below which a stage is not shown: it would be 0.00."""
ShownSentence = tuple["Sentence", tuple[int, ...], str]
"""A sentence, the numbers of its citations, and its text as HTML with its differences marked, "" if not compared."""


@dataclass(frozen=True, slots=True)
class Side:
    """A column: the title of its contender, its progress and, when it has answered, its metrics."""

    title: str
    moment: Moment
    figures: Figures | None


def columns_html(sides: Sequence[Side], key: str, question: str) -> tuple[HTML, ...]:
    """Return each column as HTML. Citations are numbered through all of them, so that one place has one number.

    `key` ties them to the viewer of the evidence. Differences are marked once every answer has ended.
    """
    joint_answer, shared = joint([side.moment.sentences for side in sides], question)
    ended = all(side.moment.state != "busy" for side in sides)
    marks = differences([[s.text for s in column] for column in shared]) if ended else ()
    titles = [side.title for side in sides]
    columns = []
    for n, (side, column) in enumerate(zip(sides, shared, strict=True)):
        texts = [marked_html(s.text, of_s, titles) for s, of_s in zip(column, marks[n], strict=True)] if marks else []
        sentences = [(s, joint_answer.numbers(s), texts[m] if texts else "") for m, s in enumerate(column)]
        columns.append(_column(side, key, sentences))
    return tuple(columns)


def _column(side: Side, key: str, sentences: Sequence[ShownSentence]) -> HTML:
    """Return one column: its sentences or, without any, its progress, failure or abstention."""
    answer = side.moment.answer
    note = _state(side.moment) if answer is None else "" if sentences else _abstention_html(answer)
    return render(
        "web/compare/templates/column.html",
        key=key,
        title=side.title,
        busy=side.moment.state == "busy",
        sentences=sentences,
        missing=missing(answer) if answer and sentences else "",
        note=note,
        strip=_strip(answer, side.figures) if answer and side.figures else (),
    )


def _state(moment: Moment) -> HTML:
    if moment.state == "failed":
        return message_html("That did not work.", moment.error, "error")
    if moment.state == "stopped":
        return message_html("Stopped.")
    return message_html(moment.doing + "\u2026", kind="busy")


def _abstention_html(answer: Answer) -> HTML:
    places = "; ".join(f"{name}, {pages}" for name, pages in looked_at(answer)[:3])
    places_note = f"The closest places were {places}." if places else ""
    return message_html(no_answer(answer), " ".join(filter(None, (missing(answer), places_note))))


def _strip(answer: Answer, metrics: Figures) -> Sequence[tuple[str, str]]:
    """Return the metrics of one answer as short (name, text) pairs: time, proof, citations, model."""
    stages = ", ".join(
        f"{STAGE_NAMES.get(k, k)} {v:.2f}" for k, v in metrics.seconds.items() if k != "total" and v >= _LEAST_SHOWN
    )
    total = metrics.seconds.get("total", sum(metrics.seconds.values()))
    verdicts = verdict_counts(answer) if answer.sentences else "no sentence"
    used = ", ".join(f"{m} {share.part} of {share.whole}" for m, share in metrics.used.items() if share.whole)
    calls = f"{count_of(metrics.calls, 'call')}, {metrics.tokens:,} tokens, {count_of(metrics.images, 'image')}"
    return [
        ("Time", ": ".join(filter(None, (f"{total:.2f} s", stages)))),
        ("Proof", verdicts),
        ("Cited", used or "no evidence"),
        ("Model", calls if metrics.calls else "not called"),
    ]


def below_html(question: str, sides: Sequence[Side], rows: Sequence[FigureRow], csv: str) -> str:
    """Return the common evidence of the answers, their disagreement and their cost; "" before the first answer."""
    pairs = [(side.title, side.moment.answer) for side in sides if side.moment.answer is not None]
    if not pairs:
        return ""
    titles, answers = [title for title, _ in pairs], [answer for _, answer in pairs]
    texts = [[s.text for s in answer.sentences if not is_other(s)] for answer in answers]
    parts, shared = said_by(texts), overlap(answers)
    return render(
        "web/compare/templates/below.html",
        question=question,
        titles=[side.title for side in sides],
        answered=titles,
        comparable=sum(map(bool, texts)) > 1,
        differing=[(what, _list(titles, by), _list(titles, lack, "or")) for what, by, lack in parts[:_MOST_SAID]],
        more_differing=max(0, len(parts) - _MOST_SAID),
        everyone="both" if len(titles) == 2 else f"all {len(titles)}",
        shared=shared,
        uses=[(use.document, use.page, _made_of(use)) for use in shared.uses[:_MOST_PAGES]],
        more_uses=max(0, len(shared.uses) - _MOST_PAGES),
        rows=[(label, [shown_cell(cell) for cell in cells]) for label, cells in rows],
        # A byte order mark: without it spreadsheets take UTF-8 for something else.
        csv=base64.b64encode(csv.encode("utf-8-sig")).decode("ascii"),
    )


def _list(titles: Sequence[str], which: Sequence[int], joint_word: str = "and") -> str:
    """Return `Text and Both`."""
    names = [titles[n] for n in which]
    return f" {joint_word} ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def _made_of(use: PageUse) -> list[str]:
    """Return the use of a page by each answer: "cited", "found", or "" for none."""
    both = zip(use.cited, use.found, strict=True)
    return ["cited" if cited else "found" if retrieved else "" for cited, retrieved in both]


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
