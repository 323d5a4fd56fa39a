"""The evidence viewer as HTML: cited pages with their boxes, thumbnails, the cited text to copy. Pure; all is escaped.

A page is an image under an SVG in page fractions, so no zoom or screen can shift a box. `ui/viewer.js` finds its way by
data attributes: `data-answer` ties a viewer to its answer, `data-cite` is a number of that answer, `data-page` a page.
"""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ui.page_images import WIDTHS
from ui.render import escape, message_html
from ui.wording import KIND_NAMES, counted

if TYPE_CHECKING:
    from indexing import BBox
    from rag import Citation
    from ui.page_views import PageView

NO_PAGE = message_html("The cited page appears here, with the proof boxed.")
_NOTHING = message_html("No page to show.", "The answer rests on no place in the documents.")
_THUMB = WIDTHS[0]


def viewer_html(pages: Sequence[PageView], key: str = "", *, hidden: bool = False, question: str = "") -> str:
    """The cited pages, the first one open; `ui/viewer.js` changes between them without asking the server.

    `key` ties the viewer to the answer of the same key, where a page has several; `question` is what heat maps are for.
    """
    if not pages:
        return empty_viewer_html(_NOTHING, key, hidden=hidden)
    sheets = "".join(_sheet(p, hidden=i > 0) for i, p in enumerate(pages))
    thumbs = "".join(_thumb(p, chosen=i == 0) for i, p in enumerate(pages))
    words = "".join(_words(n, c.document, c.page, c.kind, p.texts.get(n, "")) for p in pages for n, c in p.items)
    numbers = sum(len(p.items) for p in pages)
    return (
        f'<section class="v-viewer" data-answer="{escape(key)}" data-look="page" data-question="{escape(question)}" '
        f'aria-label="Evidence"{_hidden(hidden)}>{_bar(numbers)}{sheets}'
        f'<div class="v-below"><div class="v-thumbs" role="group" aria-label="Cited pages">{thumbs}</div>{_LOOKS}</div>'
        '<p class="v-hint" role="status"></p>'
        f'<div class="v-texts">{words}</div></section>'
    )


def empty_viewer_html(message: str, key: str = "", *, hidden: bool = False) -> str:
    """A viewer that has nothing but a `message` (HTML) to show."""
    return f'<section class="v-viewer v-empty" data-answer="{escape(key)}"{_hidden(hidden)}>{message}</section>'


def _bar(numbers: int) -> str:
    return (
        '<div class="v-bar"><h2 class="v-label">Evidence</h2><div class="v-tools">'
        f'<output class="v-count" aria-live="polite">{counted(numbers, "citation")}</output>'
        '<button type="button" data-step="-1" aria-label="Previous citation" title="Previous (k)">\u2039</button>'
        '<button type="button" data-step="1" aria-label="Next citation" title="Next (j)">\u203a</button>'
        '<span class="v-gap"></span>'
        '<button type="button" data-zoom="-1" aria-label="Smaller">\u2212</button>'
        '<output class="v-zoom" aria-label="Zoom">100%</output>'
        '<button type="button" data-zoom="1" aria-label="Larger">+</button></div></div>'
    )


_LOOKS = (
    '<div class="v-looks" role="group" aria-label="What is shown">'
    '<button type="button" data-look="page" aria-pressed="true">Page</button>'
    '<button type="button" data-look="crop" aria-pressed="false">Crop</button>'
    '<button type="button" data-look="heat" aria-pressed="false" '
    'title="Where the page looks most like the question">Heat</button></div>'
)


def _sheet(view: PageView, hidden: bool) -> str:
    """One page: its image, the boxes in page fractions over it, the numbers."""
    boxes = "".join(_group(n, c, c.bbox in {d.bbox for _, d in view.items[:i]}) for i, (n, c) in enumerate(view.items))
    badges = "".join(
        f'<button type="button" class="v-badge" data-cite="{n}" aria-label="Citation {n}" '
        f'style="left:{x:.4%};top:{y:.4%}">{n}</button>'
        for n, (x, y) in view.badges.items()
    )
    name, src = escape(view.document), html.escape(view.src)
    sources = ", ".join(f"{src}?w={width} {width}w" for width in WIDTHS[1:])
    where = f"page {view.page} of {view.n_pages}"
    return (
        f'<figure class="v-page" data-page="{escape(view.key)}" style="--ratio:{view.width / view.height:.6f}"'
        f'{_hidden(hidden)}><figcaption class="v-title"><span class="v-name">{name}</span><span class="v-where">{where}'
        f'</span></figcaption><div class="v-scroll" tabindex="0" role="region" aria-label="{name}, {where}">'
        f'<div class="v-sheet"><img srcset="{sources}" sizes="{_SIZES}" src="{src}?w=1280" loading="lazy" '
        f'decoding="sync" width="{round(view.width)}" height="{round(view.height)}" alt="{name}, {where}">'
        f'<svg viewBox="0 0 1 1" preserveAspectRatio="none" aria-hidden="true">{boxes}</svg>{badges}</div></div>'
        "</figure>"
    )


# Until `viewer.js` has measured it: the right half of the window, or all of it where the halves stand below each other.
_SIZES = "(max-width: 860px) 94vw, (max-width: 1560px) 52vw, 800px"


def _group(number: int, citation: Citation, again: bool) -> str:
    """The boxes of one citation; an element that an earlier one marked already is not tinted twice."""
    element = f'<rect class="v-element{" v-again" if again else ""}" {_rect(citation.bbox)}/>'
    context = "".join(f'<rect class="v-context" {_rect(b)}/>' for b in citation.context)
    lines = "".join(f'<rect class="v-line" {_rect(b)}/>' for b in citation.boxes)
    return f'<g data-cite="{number}">{element}{context}{lines}</g>'


def _rect(box: BBox) -> str:
    """A box as attributes of an SVG rectangle, in page fractions."""
    return (
        f'x="{box.x0:.5f}" y="{box.y0:.5f}" width="{box.x1 - box.x0:.5f}" height="{box.y1 - box.y0:.5f}" '
        'vector-effect="non-scaling-stroke"'
    )


def _thumb(view: PageView, chosen: bool) -> str:
    """A small picture of a page that opens it."""
    numbers = " ".join(str(n) for n, _ in view.items)
    label = f"p.\u2009{view.page} of {view.document}: citations {numbers}"
    return (
        f'<button type="button" class="v-thumb" data-go="{escape(view.key)}" aria-pressed="{_bool(chosen)}" '
        f'aria-label="{escape(label)}" title="{escape(label)}"><img src="{html.escape(view.src)}?w={_THUMB}" alt="" '
        f'width="44" height="{max(20, min(88, round(44 * view.height / view.width)))}" loading="lazy">'
        f"<span>p.\u2009{view.page}</span></button>"
    )


def _words(number: int, document: str, page: int, kind: str, text: str) -> str:
    """The text of a cited element, to read and to copy; shown for the citation that is chosen."""
    if not text.strip():
        return ""
    place = f"{document}, page {page}, {KIND_NAMES.get(kind, kind)}"
    return (
        f'<div class="v-words" data-words="{number}" hidden><p class="v-where"><span class="v-number">{number}</span>'
        f'{escape(place)}<button type="button" data-copy>Copy text</button></p>'
        f'<div class="v-said" tabindex="0" role="region" aria-label="Text of citation {number}">{_lines(text)}</div>'
        "</div>"
    )


def _lines(text: str) -> str:
    """Text with its lines kept: rows of a table stand below each other."""
    return "<br>".join(escape(line) for line in text.splitlines()[:400])


def _hidden(hidden: bool) -> str:
    return " hidden" if hidden else ""


def _bool(value: bool) -> str:
    return "true" if value else "false"
