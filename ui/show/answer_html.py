"""An answer as HTML: sentences with numbered chips and verdicts, sources; messages and examples beside it. Pure.

`ui/web/static/viewer.js` finds its way by data attributes: `data-cite` is a citation's number, `data-answer` the answer
it is of.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ui.show.citations import quote_to_show, shown_citations
from ui.show.rendering import HTML, render

if TYPE_CHECKING:
    from rag import Answer
    from ui.state import Feedback


def answer_html(answer: Answer, key: str = "", judged: Mapping[int, Feedback] | None = None) -> HTML:
    """Return the sentences, each with its numbers and its verdict; or, when Vouch abstained, where it looked.

    `key` ties it to the viewer of the same key, where a page has several answers. With `judged`, the judgements of
    some sentences by number, from 1, each sentence has buttons to judge it.
    """
    footing = _footing(answer)
    if answer.abstained:
        return render("show/templates/abstention.html", answer=answer, footing=footing)
    sources = [(n, c, quote_to_show(answer, c)) for n, c in shown_citations(answer)]
    return render("show/templates/answer.html", answer=answer, key=key, sources=sources, footing=footing, judged=judged)


def _footing(answer: Answer) -> str:
    """Return `0.21 s to search and answer`; the page puts before it how long the reader waited."""
    seconds = answer.timings.get("total", sum(answer.timings.values()))
    return f"{seconds:.2f} s to search and answer"


def message_html(title: str, detail: str = "", kind: str = "quiet") -> HTML:
    """Return a note to the reader: `kind` is quiet (nothing here yet), busy or error."""
    return render("show/templates/message.html", title=title, detail=detail, kind=kind)


def examples_html(questions: Sequence[str]) -> str:
    """Return buttons that ask a question with one click."""
    return render("show/templates/examples.html", questions=questions) if questions else ""
