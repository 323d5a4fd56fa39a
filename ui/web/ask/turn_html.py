"""A turn as HTML: the question, the answer so far, how it was found, and the actions on it. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from configs import method_spec, offered_exports
from ui.show import (
    HTML,
    KIND_NAMES,
    MODE_NAMES,
    SEARCHED_NAMES,
    STAGE_NAMES,
    answer_html,
    count_of,
    message_html,
    provenance,
    render,
    shorten,
)

if TYPE_CHECKING:
    from rag import Answer, Evidence
    from ui.show import Moment
    from ui.web.ask.turns import AskRequest, Turn


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
