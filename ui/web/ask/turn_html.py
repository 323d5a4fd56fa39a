"""A turn as HTML: the question, the answer as far as it has come, and the actions on it. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from configs import offered_exports
from ui.show import HTML, SEARCHED_NAMES, answer_html, message_html, provenance, render
from ui.web.ask.how_found_html import found_html

if TYPE_CHECKING:
    from ui.show import Moment
    from ui.web.ask.turns import AskRequest, Turn


def turn_html(turn: Turn, moment: Moment, *, latest: bool = True) -> HTML:
    """Return the whole turn at a `moment`; an earlier one (not `latest`) is folded up under its question."""
    return render(
        "web/ask/templates/turn.html",
        id=turn.id,
        question=turn.asked.question.text,
        how=_how(turn.asked, moment),
        body=_body(turn, moment),
        busy=moment.state == "busy",
        latest=latest,
    )


def _how(asked: AskRequest, moment: Moment) -> str:
    """Return `Asked of annual-reports, as a follow-up. Text and images were searched; the answer is quoted.`."""
    answer, number = moment.answer, len(asked.question.documents)
    within = f"{'one document' if number == 1 else f'{number} documents'} in " if number else ""
    image = ", with an image" if asked.question.image else ""
    later = ", as a follow-up" if asked.question.earlier else ""
    fitting = f", where {asked.question.where}" if asked.question.where else ""
    said = f"Asked of {within}{asked.collection}{fitting}{image}{later}."
    if answer is None:
        return said
    return f"{said} {SEARCHED_NAMES[answer.mode]}; the answer is {provenance(answer)}."


def _body(turn: Turn, moment: Moment) -> HTML:
    """Return the answer, with its export menu and how it came about; or the part of it so far, and the present step."""
    answer = moment.answer
    if answer is None:
        so_far = moment.so_far
        state = _state(moment, begun=bool(so_far.sentences))
        return render("web/ask/templates/unfinished.html", id=turn.id, answer=so_far, state=state)
    return render(
        "web/ask/templates/finished.html",
        id=turn.id,
        answer=answer_html(answer, turn.id, turn.keeping.judged if turn.keeping else None),
        keeping=turn.keeping,
        notes=answer.notes,
        downloads=offered_exports(cites=bool(answer.citations)),
        found=found_html(turn.asked, answer, moment.visual_queries),
    )


def _state(moment: Moment, *, begun: bool) -> HTML:
    """Return the present step; the part already shown of an answer that had `begun` stays."""
    if moment.state == "failed":
        kept = " The part answered so far is above." if begun else ""
        return message_html("That did not work.", moment.error + kept, "error")
    if moment.state == "stopped":
        return message_html("Stopped.", "You can ask again at any time; nothing was lost.")
    return message_html(moment.doing + "\u2026", kind="busy")
