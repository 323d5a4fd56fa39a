"""The evidence viewer as HTML: cited pages with their boxes, thumbnails, the cited text to copy. Pure.

A page is an image under an SVG in page fractions, so no zoom or screen can shift a box. `ui/web/static/viewer.js` finds
its way by data attributes: `data-answer` ties a viewer to its answer, `data-cite` is a number of that answer,
`data-page` a page.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ui.show import HTML, message_html, render
from ui.web.viewer.images import WIDTHS, srcset

if TYPE_CHECKING:
    from indexing import BBox
    from rag import Citation
    from ui.web.viewer.pages import CitedPage

NO_PAGE = message_html("The cited page appears here, with the proof boxed.")
_NOTHING = message_html("No page to show.", "The answer cites no place in the documents.")
_MOST_LINES = 400
"""The most lines that are shown of the text of one element."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """A page with the marks drawn on it.

    `again` are the numbers whose element another one has tinted already, one that proves before others; `words` are the
    lines of the cited elements that have text, by number.
    """

    view: CitedPage
    srcset: str
    again: frozenset[int]
    words: Sequence[tuple[int, Citation, Sequence[str]]]
    thumb_height: int


def viewer_html(pages: Sequence[CitedPage], key: str = "", *, hidden: bool = False, question: str = "") -> HTML:
    """Return the cited pages, the first one open; `viewer.js` changes between them without asking the server.

    `key` ties the viewer to the answer of the same key, where a page has several; `question` is what heat maps are for.
    """
    if not pages:
        return empty_viewer_html(_NOTHING, key, hidden=hidden)
    return render(
        "web/viewer/templates/viewer.html",
        key=key,
        question=question,
        hidden=hidden,
        sheets=[_sheet(view) for view in pages],
        citations=sum(len(view.items) for view in pages),
        pointed=any(citation.role == "unconfirmed" for view in pages for _, citation in view.items),
        thumb_width=WIDTHS[0],
    )


def empty_viewer_html(message: str, key: str = "", *, hidden: bool = False) -> HTML:
    """Return a viewer that has nothing but a `message` to show."""
    return render("web/viewer/templates/empty.html", message=message, key=key, hidden=hidden)


def _sheet(view: CitedPage) -> Sheet:
    first: dict[BBox, int] = {}
    for number, citation in sorted(view.items, key=lambda item: item[1].role != "proves"):
        first.setdefault(citation.bbox, number)
    texts = [(n, c, view.texts.get(n, "")) for n, c in view.items]
    return Sheet(
        view,
        srcset(view.src),
        frozenset(n for n, c in view.items if first[c.bbox] != n),
        [(n, c, text.splitlines()[:_MOST_LINES]) for n, c, text in texts if text.strip()],
        max(20, min(88, round(44 * view.height / view.width))),
    )
