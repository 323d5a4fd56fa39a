"""An answer as HTML: sentences with numbered chips, sources, cited pages with their boxes. Pure; everything is escaped.

`ui/page.js` finds its way by data attributes: `data-cite` is a citation's number, `data-page` a page's key.
"""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ui.cited import Numbered, quote_to_show, shown_citations
from ui.sanitize import clean, shorten
from ui.wording import KIND_NAMES, NO_PROOF, counted, looked_at, verdict_counts, why

if TYPE_CHECKING:
    from indexing import BBox, FileReport, IndexReport, Progress
    from rag import Answer, Citation, Sentence

# Gradio fills its own templates into HTML values: a brace or a dollar sign of a document must not look like one.
_TEMPLATE = str.maketrans({"{": "&#123;", "}": "&#125;", "$": "&#36;", "`": "&#96;", "\\": "&#92;"})
_MARKS = {
    "supported": '<path d="M4 8.5l2.6 2.6L12 5.4"/>',
    "partial": '<path d="M3.6 9.2c1.5-2.4 3-2.4 4.4-1.2s2.900 1.200 4.400-1.200"/>',
    "unsupported": '<path d="M8 3.800v5"/><path d="M8 11.700v.300"/>',
    "unchecked": "",
}


@dataclass(frozen=True, slots=True)
class PageView:
    """A cited page ready to be shown: `src` is an image address, `badges` the left and top of each number on the page.

    `badges` are fractions of the displayed page, like the boxes in `items`.
    """

    doc_id: str
    document: str
    page: int
    n_pages: int
    src: str
    width: int
    height: int
    items: Sequence[Numbered]
    badges: Mapping[int, tuple[float, float]]

    @property
    def key(self) -> str:
        """Names the page in data attributes."""
        return f"{self.doc_id}:{self.page}"


def escape(text: str) -> str:
    """Text from anywhere as HTML text or attribute value."""
    return html.escape(clean(text), quote=True).translate(_TEMPLATE)


def answer_html(answer: Answer) -> str:
    """The sentences, each with its numbers and its verdict; or, when Vouch abstained, where it looked."""
    if answer.abstained:
        return _abstention(answer)
    sentences = "".join(_sentence(answer, s) for s in answer.sentences)
    return (
        f'<section class="v-answer" aria-label="Answer">{sentences}'
        f'<p class="v-summary">{escape(verdict_counts(answer))}</p>'
        f'<p class="v-summary">{_confidence(answer)}</p></section>{_sources(answer)}'
    )


def _sentence(answer: Answer, sentence: Sentence) -> str:
    """A sentence; an unproven one gets no number, since a number promises a box."""
    verdict = sentence.verdict
    numbers = () if verdict == "unsupported" else answer.numbers(sentence)
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
        f'<p class="v-sentence" data-cites="{cites}"><span class="v-text">{escape(sentence.text)}</span> '
        f"{chips}{mark}{note}</p>"
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
    """That nothing answers, and where Vouch looked."""
    places = "".join(f"<li>{escape(name)}, {escape(pages)}</li>" for name, pages in looked_at(answer))
    looked = f'<p>It looked closest at:</p><ul class="v-looked">{places}</ul>' if places else ""
    return (
        '<section class="v-answer v-abstained" aria-label="No answer">'
        f'<p class="v-sentence">Nothing in these documents answers that well enough.</p>{looked}'
        f'<p class="v-summary">Asking in the documents\u2019 own words often helps.</p>'
        f'<p class="v-summary">{_confidence(answer)}</p></section>'
    )


def _confidence(answer: Answer) -> str:
    """`confidence 84%, 0.21 s`."""
    seconds = answer.timings.get("total", sum(answer.timings.values()))
    return f"confidence {answer.confidence:.0%}, {seconds:.2f} s"


def viewer_html(pages: Sequence[PageView]) -> str:
    """The cited pages, the first one open; `ui/page.js` changes between them without asking the server."""
    if not pages:
        return message_html("No page to show: nothing was cited.")
    tabs = "".join(
        f'<button type="button" role="tab" class="v-tab" data-go="{escape(p.key)}" aria-selected="{_bool(i == 0)}" '
        f'title="{escape(p.document)}, page {p.page}">p.\u2009{p.page}</button>'
        for i, p in enumerate(pages)
    )
    sheets = "".join(_sheet(p, hidden=i > 0) for i, p in enumerate(pages))
    return (
        '<section class="v-viewer" aria-label="Evidence"><div class="v-bar">'
        f'<div class="v-tabs" role="tablist" aria-label="Cited pages">{tabs}</div><div class="v-tools">'
        '<button type="button" data-step="-1" aria-label="Previous citation">\u2039</button>'
        f'<output class="v-count" aria-live="polite">{counted(sum(len(p.items) for p in pages), "citation")}</output>'
        '<button type="button" data-step="1" aria-label="Next citation">\u203a</button>'
        '<button type="button" data-zoom="-1" aria-label="Smaller">\u2212</button>'
        '<output class="v-zoom">100%</output>'
        '<button type="button" data-zoom="1" aria-label="Larger">+</button>'
        f"</div></div>{sheets}</section>"
    )


def _sheet(view: PageView, hidden: bool) -> str:
    """One page: its image, the boxes in page fractions over it, the numbers, and the cited text to copy."""
    boxes = "".join(_group(n, c, c.bbox in {d.bbox for _, d in view.items[:i]}) for i, (n, c) in enumerate(view.items))
    badges = "".join(
        f'<button type="button" class="v-badge" data-cite="{n}" aria-label="Citation {n}" '
        f'style="left:{x:.4%};top:{y:.4%}">{n}</button>'
        for n, (x, y) in view.badges.items()
    )
    quotes = "".join(
        f'<li><span class="v-number">{n}</span><span>{escape(c.quote)}</span></li>' for n, c in view.items if c.quote
    )
    return (
        f'<figure class="v-page" data-page="{escape(view.key)}"{" hidden" if hidden else ""}>'
        f'<figcaption class="v-title">{escape(view.document)}<span class="v-where">page {view.page} of {view.n_pages}'
        f'</span></figcaption><div class="v-scroll"><div class="v-sheet">'
        f'<img src="{html.escape(view.src)}" width="{view.width}" height="{view.height}" '
        f'alt="Page {view.page} of {escape(view.document)}">'
        f'<svg viewBox="0 0 1 1" preserveAspectRatio="none" aria-hidden="true">{boxes}</svg>{badges}</div></div>'
        f'<details class="v-copy"><summary>Cited text, to copy</summary><ol>{quotes}</ol></details></figure>'
    )


def _group(number: int, citation: Citation, again: bool) -> str:
    """The boxes of one citation; an element that an earlier one marked already is not tinted twice."""
    element = f'<rect class="v-element{" v-again" if again else ""}" {_rect(citation.bbox)}/>'
    lines = "".join(f'<rect class="v-line" {_rect(b)}/>' for b in citation.boxes)
    return f'<g data-cite="{number}">{element}{lines}</g>'


def _rect(box: BBox) -> str:
    """A box as attributes of an SVG rectangle, in page fractions."""
    return (
        f'x="{box.x0:.5f}" y="{box.y0:.5f}" width="{box.x1 - box.x0:.5f}" height="{box.y1 - box.y0:.5f}" '
        'vector-effect="non-scaling-stroke"'
    )


def _bool(value: bool) -> str:
    return "true" if value else "false"


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


def progress_html(moment: Progress) -> str:
    """How far indexing has come."""
    total = max(1, moment.pages_total)
    rate = f", {moment.pages_per_second:.1f} pages/s" if moment.pages_done else ""
    place = f"file {min(moment.files_done + 1, moment.files_total)} of {moment.files_total}"
    return (
        f'<div class="v-progress" role="status"><p class="v-lead">{escape(shorten(moment.file, 60))}</p>'
        f'<progress max="{total}" value="{min(moment.pages_done, total)}"></progress>'
        f'<p class="v-summary">{place}, page {moment.pages_done} of {moment.pages_total}{rate}</p></div>'
    )


def report_html(report: IndexReport, summary: str) -> str:
    """What became of each file that was uploaded, with the reason where it failed."""
    rows = "".join(_file_row(f) for f in report.files)
    return (
        f'<section class="v-report" role="status"><p class="v-lead">{escape(summary)}</p>'
        f'<ul class="v-files">{rows}</ul></section>'
    )


def _file_row(file: FileReport) -> str:
    """One file: what happened, and each failure with its page."""
    failed = "".join(
        f"<li>{f'page {x.page}: ' if x.page is not None else ''}{escape(x.message)}</li>" for x in file.failures
    )
    detail = "" if file.status == "failed" else f", {counted(file.pages, 'page')}"
    return (
        f'<li class="v-file v-{escape(file.status)}"><span class="v-name">{escape(file.name)}</span>'
        f'<span class="v-where">{escape(file.status)}{detail}</span>{f"<ul>{failed}</ul>" if failed else ""}</li>'
    )
