"""A page with everything that was found on it: boxes by kind over its image, a legend, a list to read. Pure; escaped.

The fastest way to see why an answer failed: what is not boxed here cannot be found or cited. `ui/collections.js` finds
its way by data attributes: `data-piece` is the number of an element on its page, `data-kind` a kind to be hidden.
"""

from __future__ import annotations

import html
from collections import Counter
from typing import TYPE_CHECKING

from ui.page_images import WIDTHS, address
from ui.render import escape, message_html
from ui.sanitize import shorten
from ui.wording import KIND_NAMES

if TYPE_CHECKING:
    from indexing import Element
    from ui.library import Leaf

NO_PAGE = message_html("Click the name of a document to see its pages as they were parsed.")
_SOURCES = {"layer": "from the text of the file", "ocr": "read off the pixels"}
_HIDDEN = ("group",)
"""Kinds that are not shown until they are asked for: groups lie over everything else."""


def browser_html(collection: str, leaf: Leaf) -> str:
    """The page, its boxes and its elements in reading order; groups come last and are hidden at first."""
    document, page = leaf.document, leaf.page
    kinds: Counter[str] = Counter(e.kind for e in leaf.elements)
    where = f"page {page.number} of {document.n_pages}"
    boxes = "".join(_box(n, e) for n, e in enumerate(leaf.elements))
    src = html.escape(address(collection, document.id, page.number))
    sources = ", ".join(f"{src}?w={width} {width}w" for width in WIDTHS[1:])
    missing = page.number in document.failed_pages
    sheet = (
        message_html("This page could not be read.", "Nothing on it can be found or cited.", "error")
        if missing
        else f'<div class="v-sheet"><img src="{src}?w=960" srcset="{sources}" sizes="(max-width: 860px) 92vw, 640px" '
        f'alt="{escape(document.name)}, {where}"><svg viewBox="0 0 1 1" preserveAspectRatio="none" aria-hidden="true">'
        f"{boxes}</svg></div>"
    )
    off = " ".join(f"v-off-{kind}" for kind in _HIDDEN)
    return (
        f'<section class="v-browser {off}" aria-label="Parsed page" style="--ratio:{page.width / page.height:.6f}">'
        f'{_head(document.id, document.name, page.number, document.n_pages)}<div class="v-browser-body">'
        f'<div class="v-browser-page">{sheet}</div>'
        f'<div class="v-pieces">{_legend(kinds)}{_pieces(leaf.elements)}</div>'
        "</div></section>"
    )


def _head(doc_id: str, name: str, number: int, last: int) -> str:
    """The document's name, and the way to its other pages."""

    def turn(to: int, sign: str, label: str) -> str:
        off = "" if 1 <= to <= last else " disabled"
        target = f'data-act="look" data-id="{escape(doc_id)}:{to}"'
        return f'<button type="button" {target} aria-label="{label}"{off}>{sign}</button>'

    return (
        f'<div class="v-bar"><h2 class="v-label v-browser-name">{escape(name)}</h2><div class="v-tools">'
        f'{turn(number - 1, chr(0x2039), "Previous page")}<label>page <input type="number" min="1" max="{last}" '
        f'value="{number}" data-page-of="{escape(doc_id)}"></label> of {last}'
        f"{turn(number + 1, chr(0x203A), 'Next page')}</div></div>"
    )


def _legend(kinds: Counter[str]) -> str:
    """Each kind that is on the page, with its number: a box to hide it."""
    items = "".join(
        f'<label class="v-kind v-kind-{kind}"><input type="checkbox" data-kind="{kind}"'
        f'{"" if kind in _HIDDEN else " checked"}><span class="v-swatch" aria-hidden="true"></span>'
        f"{escape(KIND_NAMES.get(kind, kind))} {number}</label>"
        for kind, number in sorted(kinds.items(), key=lambda pair: (pair[0] in _HIDDEN, -pair[1]))
    )
    return f'<fieldset class="v-legend"><legend class="v-hidden">Kinds shown</legend>{items}</fieldset>'


def _box(number: int, element: Element) -> str:
    box = element.bbox
    return (
        f'<rect class="v-piece-box v-kind-{element.kind}" data-piece="{number}" x="{box.x0:.5f}" y="{box.y0:.5f}" '
        f'width="{box.x1 - box.x0:.5f}" height="{box.y1 - box.y0:.5f}" vector-effect="non-scaling-stroke"/>'
    )


def _pieces(elements: tuple[Element, ...]) -> str:
    """The elements in reading order; one that is chosen shows all of its text."""
    if not elements:
        return message_html("Nothing was found on this page.", "It may be empty, or a picture without any text.")
    rows = "".join(_piece(n, e) for n, e in enumerate(elements))
    return f'<ol class="v-piece-list">{rows}</ol>'


def _piece(number: int, element: Element) -> str:
    kind = KIND_NAMES.get(element.kind, element.kind)
    text = element.text or "(no text)"
    source = _SOURCES.get(element.source, element.source)
    section = f"under {' > '.join(element.section)}; " if element.section else ""
    caption = f'<p class="v-where">Caption: {escape(element.caption)}</p>' if element.caption else ""
    parts = f"joins {len(element.parts)} others; " if element.parts else ""
    lines = "".join(f"<p>{escape(line)}</p>" for line in text.split("\n"))
    return (
        f'<li class="v-kind-{element.kind}">'
        f'<button type="button" class="v-piece" data-piece="{number}" aria-expanded="false">'
        f'<span class="v-swatch" aria-hidden="true"></span><span class="v-piece-kind">{escape(kind)}</span> '
        f'<span class="v-piece-text">{escape(shorten(text, 90))}</span></button>'
        f'<div class="v-piece-whole" data-whole="{number}" hidden>'
        f'<p class="v-where">{escape(section + parts + source)}</p>{caption}'
        f'<div class="v-said">{lines}</div></div></li>'
    )
