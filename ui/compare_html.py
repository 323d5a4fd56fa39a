"""A comparison as HTML: a column a contender, what they share, where they disagree, one table. Pure; all is escaped."""

from __future__ import annotations

import base64
import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ui.comparison import Figures, Overlap, Row, joint, overlap
from ui.disagreement import differences, marked_html, said_by
from ui.page_images import WIDTHS, address
from ui.render import escape, message_html, sentence_html
from ui.wording import STAGE_NAMES, counted, looked_at, no_answer, verdict_counts

if TYPE_CHECKING:
    from rag import Answer
    from ui.turns import Moment

MOST_THUMBS = 6
_MOST_PAGES = 12
_MOST_SAID = 12
_SHOWN = 0.005
"""Seconds: a stage that takes less would be shown as 0.00."""


@dataclass(frozen=True, slots=True)
class Side:
    """One column: the title of its contender, how far it is and, when it has answered, what that cost."""

    title: str
    moment: Moment
    figures: Figures | None


def columns_html(sides: Sequence[Side], key: str, collection: str, question: str) -> tuple[str, ...]:
    """The columns in order. Numbers run through all of them, so that one place has one number; `key` ties them to the
    viewer of the evidence, and differences are marked once every column has ended.
    """
    whole, shared = joint([side.moment.sentences for side in sides], question)
    ended = all(side.moment.state != "busy" for side in sides)
    marks = differences([[s.text for s in column] for column in shared]) if ended else ()
    titles = [side.title for side in sides]
    made = []
    for n, (side, column) in enumerate(zip(sides, shared, strict=True)):
        told = [marked_html(s.text, of_s, titles) for s, of_s in zip(column, marks[n], strict=True)] if marks else []
        sentences = "".join(sentence_html(s, whole.numbers(s), told[m] if told else "") for m, s in enumerate(column))
        first: dict[tuple[str, int], int] = {}
        for s in column:
            if s.verdict != "unsupported":
                for number, citation in zip(whole.numbers(s), s.citations, strict=True):
                    first.setdefault((citation.doc_id, citation.page), number)
        made.append(_column(side, key, sentences, _thumbs(side.moment.answer, collection, first)))
    return tuple(made)


def _column(side: Side, key: str, sentences: str, thumbs: str) -> str:
    moment = side.moment
    busy = ' aria-busy="true"' if moment.state == "busy" else ""
    answer = moment.answer
    read = f'<div class="v-answer">{sentences}</div>' if sentences else ""
    body = read + _state(moment) if answer is None else f"{read or _abstained(answer)}{_strip(answer, side.figures)}"
    return (
        f'<section class="v-column" data-answer="{escape(key)}" aria-label="{escape(side.title)}"{busy}>'
        f'<h2 class="v-column-head">{escape(side.title)}</h2>{body}{thumbs}</section>'
    )


def _state(moment: Moment) -> str:
    if moment.state == "failed":
        return message_html("That did not work.", moment.error, "error")
    if moment.state == "stopped":
        return message_html("Stopped.")
    return message_html(moment.doing + "\u2026", kind="busy")


def _abstained(answer: Answer) -> str:
    places = "; ".join(f"{name}, {pages}" for name, pages in looked_at(answer)[:3])
    looked = f"It looked closest at {places}." if places else ""
    return message_html(no_answer(answer), looked)


def _strip(answer: Answer, found: Figures | None) -> str:
    """The figures of one answer, as few words as will do."""
    if found is None:
        return ""
    stages = ", ".join(
        f"{STAGE_NAMES.get(k, k)} {v:.2f}" for k, v in found.seconds.items() if k != "total" and v >= _SHOWN
    )
    total = found.seconds.get("total", sum(found.seconds.values()))
    proven = verdict_counts(answer) if answer.sentences else "no sentence"
    used = ", ".join(f"{m} {share.part} of {share.whole}" for m, share in found.used.items() if share.whole)
    time = ": ".join(filter(None, (f"{total:.2f} s", stages)))
    lines = [("Time", time), ("Proof", proven), ("Cited", used or "no evidence")]
    if found.calls:
        lines.append(("Model", f"{found.tokens:,} tokens, {counted(found.images, 'image')}"))
    rows = "".join(f"<dt>{name}</dt><dd>{escape(said)}</dd>" for name, said in lines)
    return f'<dl class="v-strip">{rows}</dl>'


def _thumbs(answer: Answer | None, collection: str, cited: Mapping[tuple[str, int], int]) -> str:
    """The pages of the evidence, small; those that are cited lead to the first number there."""
    if answer is None or not answer.evidence:
        return ""
    pages = {(e.element.doc_id, e.element.page): e.document for e in answer.evidence}
    order = sorted(pages, key=lambda page: page not in cited)
    thumbs = []
    for doc_id, page in order[:MOST_THUMBS]:
        said = f"{escape(pages[doc_id, page])}, page {page}"
        src = f"{html.escape(address(collection, doc_id, page))}?w={WIDTHS[0]}"
        picture = f'<img src="{src}" alt="" width="56" loading="lazy"><span>p.\u2009{page}</span>'
        if number := cited.get((doc_id, page)):
            thumbs.append(
                f'<button type="button" class="v-mini v-mini-cited" data-cite="{number}" title="{said}, cited" '
                f'aria-label="p.\u2009{page}, cited: show it in {escape(pages[doc_id, page])}">{picture}</button>'
            )
        else:
            thumbs.append(f'<span class="v-mini" title="{said}, retrieved, not cited">{picture}</span>')
    more = f'<span class="v-mini-more">+{len(order) - MOST_THUMBS}</span>' if len(order) > MOST_THUMBS else ""
    return f'<div class="v-minis" role="group" aria-label="Pages of the evidence">{"".join(thumbs)}{more}</div>'


# ---- below the columns ----------------------------------------------------------------------------------------------


def below_html(question: str, sides: Sequence[Side], rows: Sequence[Row], csv: str) -> str:
    """What the answers share, where they disagree and what they cost; nothing while none has been given."""
    answered = [side for side in sides if side.moment.answer is not None]
    if not answered:
        return ""
    answers = [side.moment.answer for side in answered if side.moment.answer is not None]
    titles = [side.title for side in answered]
    together = ""
    if len(answers) > 1:
        said = _said([[s.text for s in a.sentences] for a in answers], titles)
        together = f'<div class="v-together">{said}{_shared(overlap(answers), titles)}</div>'
    return f'<section class="v-compared" aria-label="Compared">{together}{_table(question, sides, rows, csv)}</section>'


def _said(answers: Sequence[Sequence[str]], titles: Sequence[str]) -> str:
    """Numbers and names that are not in all answers; that there are none; or that there is nothing to compare."""
    talking = [n for n, answer in enumerate(answers) if answer]
    head = '<h3 class="v-heading">Where the answers differ</h3>'
    if len(talking) < 2:
        return f'<div>{head}<p class="v-summary">Fewer than two of them say anything.</p></div>'
    found = said_by(answers)
    if not found:
        return f'<div>{head}<p class="v-summary">They name the same numbers and the same names.</p></div>'
    items = "".join(
        f'<li><mark class="v-differs">{escape(said)}</mark> <span class="v-where">{escape(_list(titles, by))}; '
        f"not {escape(_list(titles, missing, 'or'))}</span></li>"
        for said, by, missing in found[:_MOST_SAID]
    )
    more = f'<p class="v-summary">And {len(found) - _MOST_SAID} more.</p>' if len(found) > _MOST_SAID else ""
    return f'<div>{head}<ul class="v-said-by">{items}</ul>{more}</div>'


def _list(titles: Sequence[str], which: Sequence[int], joint_word: str = "and") -> str:
    """`Text-RAG and Multi-RAG`."""
    names = [titles[n] for n in which]
    return f" {joint_word} ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def _shared(found: Overlap, titles: Sequence[str]) -> str:
    """How much evidence they have in common, and who has which page."""
    everyone = "both" if len(titles) == 2 else f"all {len(titles)}"
    said = f"Retrieved by {everyone}: {found.elements} elements, {found.pages} pages."
    pairs = ""
    if len(titles) > 2:
        pairs = "; ".join(f"{titles[i]} and {titles[j]} share {share}" for (i, j), share in found.pairs.items()) + "."
    head = "".join(f'<th scope="col">{escape(title)}</th>' for title in titles)
    body = "".join(
        f'<tr><th scope="row">{escape(use.document)}, p.\u2009{use.page}</th>'
        f"{''.join(map(_use, use.found, use.cited))}</tr>"
        for use in found.uses[:_MOST_PAGES]
    )
    left = len(found.uses) - _MOST_PAGES
    more = f'<p class="v-summary">And {left} more pages.</p>' if left > 0 else ""
    return (
        f'<div><h3 class="v-heading">The evidence they share</h3>'
        f'<p class="v-summary">{escape(said)} {escape(pairs)}</p>'
        '<div class="v-wide" tabindex="0" role="region" aria-label="Pages by answer"><table class="v-table v-uses">'
        f'<thead><tr><th scope="col">Page</th>{head}</tr></thead><tbody>{body}</tbody></table></div>{more}</div>'
    )


def _use(found: bool, cited: bool) -> str:
    """A full ring for a page that is cited, an empty one for one that was retrieved."""
    if not (found or cited):
        return '<td><span class="v-none">\u2013</span></td>'
    word = "cited" if cited else "retrieved"
    return f'<td><span class="v-use v-{word}"></span>{word}</td>'


def _table(question: str, sides: Sequence[Side], rows: Sequence[Row], csv: str) -> str:
    head = "".join(f'<th scope="col">{escape(side.title)}</th>' for side in sides)
    body = "".join(
        f'<tr><th scope="row">{escape(row.label)}</th>{"".join(f"<td>{escape(v)}</td>" for v in row.shown)}</tr>'
        for row in rows
    )
    # A byte order mark: without it spreadsheets take UTF-8 for something else.
    data = base64.b64encode(csv.encode("utf-8-sig")).decode("ascii")
    return (
        '<div class="v-figures"><h3 class="v-heading">Figures</h3><div class="v-wide" tabindex="0" role="region" '
        f'aria-label="Figures"><table class="v-table"><caption class="v-hidden">{escape(question)}</caption>'
        f"<thead><tr><td></td>{head}</tr></thead><tbody>{body}</tbody></table></div>"
        '<p class="v-summary">They answered at the same time, so each '
        "took longer than it would alone. Evidence used is what was retrieved and then cited.</p>"
        f'<a class="v-download" download="comparison.csv" href="data:text/csv;charset=utf-8;base64,{data}">'
        "Download as CSV</a></div>"
    )
