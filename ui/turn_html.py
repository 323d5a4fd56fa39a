"""A turn as HTML: the question, the answer as far as it has come, what can be done with it. Pure; all is escaped."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ui.found_html import found_html
from ui.render import answer_html, escape, message_html, sentences_html
from ui.wording import METHOD_NAMES, MODE_NAMES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rag import Answer
    from ui.turns import Asked, Moment, Turn

_DOWNLOADS = (
    ("html", "HTML, one file"),
    ("markdown", "Markdown with pictures"),
    ("pdf", "PDF with highlights"),
    ("json", "JSON"),
)


def turn_html(turn: Turn, moment: Moment, *, latest: bool = True) -> str:
    """The whole turn at a `moment`; an earlier one (not `latest`) is folded up under its question."""
    asked = turn.asked
    title = (
        f'<span class="v-asked">{escape(asked.question)}</span><span class="v-how">{escape(_how(asked, moment))}</span>'
    )
    body = _body(turn, moment)
    if latest:
        busy = ' aria-busy="true"' if moment.state == "busy" else ""
        return (
            f'<article class="v-turn" data-turn="{turn.id}"{busy}><h2 class="v-turn-head">{title}</h2>{body}</article>'
        )
    return (
        f'<details class="v-turn v-earlier" data-turn="{turn.id}"><summary class="v-turn-head">{title}</summary>{body}'
        "</details>"
    )


def _how(asked: Asked, moment: Moment) -> str:
    """`annual-reports, text and image, quoted`."""
    answer = moment.answer
    said = [asked.collection]
    if len(asked.documents) == 1:
        said.append("one document")
    elif asked.documents:
        said.append(f"{len(asked.documents)} documents")
    if answer is not None:
        said += [MODE_NAMES[answer.mode], METHOD_NAMES[answer.method]]
    if asked.image:
        said.append("with an image")
    if asked.previous:
        said.append("as a follow-up")
    return ", ".join(said)


def _body(turn: Turn, moment: Moment) -> str:
    answer = moment.answer
    if answer is not None:
        return f"{answer_html(answer, turn.id)}{_tools(turn, answer, moment.looks)}"
    partial = sentences_html(moment.so_far)
    read = f'<section class="v-answer" data-answer="{turn.id}" aria-label="Answer, not complete">{partial}</section>'
    if moment.state == "failed":
        kept = " What was answered by then stands above." if partial else ""
        return f"{read if partial else ''}{message_html('That did not work.', moment.error + kept, 'error')}"
    if moment.state == "stopped":
        return f"{read if partial else ''}{message_html('Stopped.', 'Ask again when you like; nothing was lost.')}"
    return f"{read if partial else ''}{message_html(moment.doing + chr(0x2026), kind='busy')}"


def _tools(turn: Turn, answer: Answer, looks: Sequence[str]) -> str:
    """The export menu and how the answer came about."""
    links = "".join(
        f'<li><a href="vouch/export/{turn.id}/{form}" download>{escape(name)}</a></li>'
        for form, name in _DOWNLOADS
        if form != "pdf" or answer.citations
    )
    return (
        f'<div class="v-turn-tools"><details class="v-menu"><summary>Export</summary><ul>{links}</ul></details>'
        '<details class="v-found"><summary>How it found this</summary>'
        f"{found_html(turn.asked, answer, looks)}</details></div>"
    )
