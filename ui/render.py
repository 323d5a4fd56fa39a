"""An answer as HTML: sentences with numbered chips and verdicts, sources. Pure; everything is escaped.

`ui/viewer.js` finds its way by data attributes: `data-cite` is a citation's number, `data-answer` the answer it is of.
"""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ui.cited import quote_to_show, shown_citations
from ui.sanitize import clean, shorten
from ui.wording import KIND_NAMES, NO_PROOF, confidence, looked_at, no_answer, verdict_counts, why

if TYPE_CHECKING:
    from rag import Answer, Citation, Sentence

# Gradio fills its own templates into HTML values: a brace or a dollar sign of a document must not look like one.
_TEMPLATE = str.maketrans({"{": "&#123;", "}": "&#125;", "$": "&#36;", "`": "&#96;", "\\": "&#92;"})
_MARKS = {
    "supported": '<path d="M4 8.5l2.6 2.6L12 5.4"/>',
    "partial": '<path d="M3.6 9.2c1.5-2.4 3-2.4 4.4-1.2s2.900 1.200 4.400-1.200"/>',
    "unsupported": '<path d="M8 3.800v5"/><path d="M8 11.700v.300"/>',
    "unchecked": "",
}


def escape(text: str) -> str:
    """Text from anywhere as HTML text or attribute value."""
    return html.escape(clean(text), quote=True).translate(_TEMPLATE)


def answer_html(answer: Answer, key: str = "") -> str:
    """The sentences, each with its numbers and its verdict; or, when Vouch abstained, where it looked.

    `key` ties it to the viewer of the same key, where a page has several answers.
    """
    if answer.abstained:
        return _abstention(answer)
    return (
        f'<section class="v-answer" data-answer="{escape(key)}" aria-label="Answer">{sentences_html(answer)}'
        f'<p class="v-summary">{escape(verdict_counts(answer))}</p>'
        f'<p class="v-summary">{_footing(answer)}</p>{_sources(answer)}</section>'
    )


def sentences_html(answer: Answer) -> str:
    """The sentences alone: also of an answer that is not complete yet."""
    return "".join(sentence_html(s, answer.numbers(s)) for s in answer.sentences)


def sentence_html(sentence: Sentence, numbers: Sequence[int], said: str = "") -> str:
    """A sentence under the numbers of its citations; an unproven one gets none, since a number promises a box.

    `said` is its text as HTML, where something in it is marked.
    """
    verdict = sentence.verdict
    numbers = () if verdict == "unsupported" else numbers
    chips = "".join(
        _chip(n, f"Source {n}: {c.document}, page {c.page}") for n, c in zip(numbers, sentence.citations, strict=False)
    )
    reason = escape(why(sentence))
    mark = (
        f'<span class="v-mark v-{verdict}" tabindex="0" role="img" aria-label="{reason}" data-tip="{reason}">'
        f'<svg viewBox="0 0 16 16" aria-hidden="true"><circle cx="8" cy="8" r="7"/>{_MARKS[verdict]}</svg></span>'
    )
    note = f'<span class="v-note">{escape(NO_PROOF)}</span>' if verdict == "unsupported" else ""
    cites = " ".join(map(str, numbers))
    return (
        f'<p class="v-sentence" data-cites="{cites}"><span class="v-text">{said or escape(sentence.text)}</span> '
        f'<span class="v-proof">{chips}{mark}</span>{note}</p>'
    )


def _chip(number: int, label: str) -> str:
    """The button that leads to a citation's box."""
    return f'<button type="button" class="v-cite" data-cite="{number}" aria-label="{escape(label)}">{number}</button>'


def _sources(answer: Answer) -> str:
    """The list of sources: one button each, with the quoted words where the answer says them otherwise."""
    rows = "".join(_source(n, c, quote_to_show(answer, c)) for n, c in shown_citations(answer))
    return f'<h3 class="v-heading">Sources</h3><ol class="v-sources">{rows}</ol>' if rows else ""


def _source(number: int, citation: Citation, quote: str) -> str:
    """One source."""
    quoted = f'<q class="v-quote">{escape(shorten(quote, 220))}</q>' if quote else ""
    kind = KIND_NAMES.get(citation.kind, citation.kind)
    return (
        f'<li><button type="button" class="v-source" data-cite="{number}"><span class="v-number">{number}</span>'
        f'<span class="v-place">{escape(citation.document)}<span class="v-where">page {citation.page}, {escape(kind)}'
        f"</span></span>{quoted}</button></li>"
    )


def _abstention(answer: Answer) -> str:
    """That nothing answers, and where Vouch looked; or why there was nothing to look at."""
    advice = "" if answer.nothing else '<p class="v-summary">Asking in the documents\u2019 own words often helps.</p>'
    places = "".join(f"<li>{escape(name)}, {escape(pages)}</li>" for name, pages in looked_at(answer))
    looked = f'<p>It looked closest at:</p><ul class="v-looked">{places}</ul>' if places else ""
    return (
        '<section class="v-answer v-abstained" aria-label="No answer">'
        f'<p class="v-sentence">{escape(no_answer(answer))}</p>{looked}'
        f'{advice}<p class="v-summary">{_footing(answer)}</p></section>'
    )


def _footing(answer: Answer) -> str:
    """`confidence 84%, 0.21 s`."""
    seconds = answer.timings.get("total", sum(answer.timings.values()))
    return ", ".join(filter(None, (confidence(answer), f"{seconds:.2f} s")))


def message_html(title: str, detail: str = "", kind: str = "quiet") -> str:
    """A note to the reader: `kind` is quiet (nothing here yet), busy or error."""
    more = f"<p>{escape(detail)}</p>" if detail else ""
    role = "alert" if kind == "error" else "status"
    return f'<div class="v-message v-{escape(kind)}" role="{role}"><p class="v-lead">{escape(title)}</p>{more}</div>'


def examples_html(questions: Sequence[str]) -> str:
    """Buttons that ask a question with one click."""
    if not questions:
        return ""
    buttons = "".join(f'<button type="button" class="v-example" data-ask>{escape(q)}</button>' for q in questions)
    return f'<div class="v-examples"><span>Try</span>{buttons}</div>'
