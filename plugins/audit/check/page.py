"""The content of the Check tab at each moment, as HTML: statements with their verdicts, and their evidence."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from configs import offered_exports
from indexing import IndexingError
from plugins.audit.progress import WorkView
from ui.show import HTML, VERDICT_NAMES, count_of, message_html, public_words, render
from ui.web.viewer import empty_viewer_html, viewer_html

if TYPE_CHECKING:
    from plugins.audit.check.checks import BroughtText, CheckRun, Checks
    from rag import Answer
    from ui.show import Moment

MOST_PAGES = 200
"""The most cited pages that are shown beside a text."""
PENDING = "pending"
"""The verdict, in filters, of a statement that is not checked yet."""
WELCOME = message_html(
    "Check a text against your documents.",
    "Paste a report, a model's answer or a paper, or drop its file. Each statement is searched for in the collection, "
    "gets a verdict, and shows the place that proves it. A source that it cites is read first.",
)
NO_PAGE = message_html("The places that prove or contradict a statement appear here: click a number.")
_NO_COLLECTION = message_html("There are no documents to check against.", "Add some under Collections, then check.")
_NO_TEXT = message_html("There is no text to check.", "Paste one above, or drop a file.")
_WAITING = message_html("The pages appear here as soon as a statement is proven.")
_NOTHING_CITED = message_html("No page to show.", "No statement of this text is proven by a place in the documents.")
_PAUSE = 0.4
"""The least seconds between two renderings of a check in progress."""
_REST = 4
"""The pause as a multiple of the time of the last rendering, at least: a long text is rendered less often."""


def welcome(name: str | None) -> WorkView:
    """Return the view before the first check."""
    return WorkView(WELCOME if name else _NO_COLLECTION, empty_viewer_html(NO_PAGE), busy=False)


def objection(name: str | None, text: BroughtText | None) -> WorkView | None:
    """Return the view for a check that cannot begin; None if it can."""
    if not name:
        return welcome(None)
    if text is None or not text.words:
        return WorkView(_NO_TEXT, empty_viewer_html(NO_PAGE), busy=False)
    return None


def refusal(reason: str) -> str:
    """Return the message for a file that was rejected."""
    return message_html("That file cannot be checked.", reason, "error")


def brought_html(text: BroughtText) -> str:
    """Return the message about a file that was read."""
    words = count_of(text.words, "word")
    return render("plugins.audit:check/templates/brought.html", name=text.name, words_read=words, notes=text.notes)


def follow_check(checks: Checks, run: CheckRun) -> Iterator[WorkView]:
    """Yield views of a check until it ends, at most a few per second."""
    citations_shown = -1
    for moment in run.turn.follow():
        began, busy = time.monotonic(), moment.state == "busy"
        citations = sum(len(sentence.citations) for sentence in moment.checked.values())
        evidence = viewer(checks, run, moment) if not busy or citations != citations_shown else None
        citations_shown = citations
        view = WorkView(run_html(run, moment), evidence, busy)
        took = time.monotonic() - began
        yield view
        if busy:
            time.sleep(max(_PAUSE, _REST * took))


def run_html(run: CheckRun, moment: Moment) -> HTML:
    """Return the statements, unchecked ones too, with their filters and exports."""
    answer = run.answer(moment)
    total = max(len(moment.drafted), len(moment.sentences))
    statements = [(_kind(moment, n), sentence) for n, sentence in enumerate(moment.sentences)]
    return render(
        "plugins.audit:check/templates/check.html",
        id=run.id,
        title=run.text.name,
        how=_how(run),
        state=moment.state,
        doing=moment.doing,
        error=moment.error,
        done=len(moment.checked) if moment.answer is None else total,
        total=total,
        statements=statements,
        answer=_citation_numbers(answer, moment),
        counts=_counts([kind for kind, _ in statements]),
        notes=answer.notes if moment.answer is not None else (),
        downloads=_downloads(answer, moment),
        seconds=moment.answer.timings.get("total") if moment.answer else None,
    )


def viewer(checks: Checks, run: CheckRun, moment: Moment) -> str:
    """Return the pages that the statements cite so far."""
    answer = run.answer(moment)
    if not any(sentence.citations for sentence in answer.sentences):
        return empty_viewer_html(_WAITING if moment.state == "busy" else _NOTHING_CITED, run.id)
    try:
        pages = checks.asking.open_collections.pages(run.turn.request.collection, answer, MOST_PAGES)
    except IndexingError as error:
        return empty_viewer_html(message_html("The pages cannot be shown.", public_words(error), "error"), run.id)
    return viewer_html(pages, run.id, question=answer.question)


def _kind(moment: Moment, number: int) -> str:
    """Return the verdict by which a statement is counted and filtered."""
    if moment.answer is None and number not in moment.checked:
        return PENDING
    return moment.sentences[number].verdict


def _citation_numbers(answer: Answer, moment: Moment) -> dict[int, tuple[int, ...]]:
    """Return the numbers of the citations of each statement that is checked, by its index."""
    order = {citation: n for n, citation in enumerate(answer.citations, 1)}
    return {
        n: tuple(order[citation] for citation in sentence.citations if citation in order)
        for n, sentence in enumerate(moment.sentences)
    }


def _counts(kinds: list[str]) -> list[tuple[str, str, int]]:
    """Return (verdict, its name, number) for the verdicts that occur, in the order of `VERDICT_NAMES`."""
    names = VERDICT_NAMES | {PENDING: "waiting"}
    return [(kind, name, kinds.count(kind)) for kind, name in names.items() if kind in kinds]


def _downloads(answer: Answer, moment: Moment) -> list[tuple[str, str]]:
    """Return the export formats on offer; some only if a page is cited."""
    if moment.state == "busy" or not answer.sentences:
        return []
    cites = any(sentence.citations for sentence in answer.sentences)
    return offered_exports(cites=cites)


def _how(run: CheckRun) -> str:
    """Return `Checked against 2 documents in reports, as an answer to "How many?".`."""
    request, number = run.turn.request, len(run.turn.request.question.documents)
    scope = f"{count_of(number, 'document')} in " if number else ""
    question = f", as an answer to \u201c{request.question.text}\u201d" if request.question.text else ""
    fitting = f", where {request.question.where}" if request.question.where else ""
    return f"Checked against {scope}{request.collection}{fitting}{question}."
