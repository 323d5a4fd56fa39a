"""A page with everything that was found on it: boxes by kind over its image, a legend, a list to read. Pure.

It is the fastest way to see why an answer failed: a part that is not boxed here cannot be found or cited.
`ui/web/static/collections.js` finds its way by data attributes: `data-piece` is the number of an element on its page,
`data-kind` a kind to be hidden.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from ui.show import HTML, message_html, render
from ui.web.viewer import address, srcset

if TYPE_CHECKING:
    from indexing import Element
    from ui.web.collection_service import PageDetail

NO_PAGE = message_html("Click the name of a document to see its pages as they were parsed.")
_MISSING = message_html("This page could not be read.", "Nothing on this page can be found or cited.", "error")
_EMPTY = message_html("Nothing was found on this page.", "It may be empty, or a picture without any text.")
_SOURCES = {"layer": "from the text of the file", "ocr": "read off the pixels", "file": "the image itself"}
_HIDDEN = ("group",)
"""The kinds that are not shown until they are asked for: groups lie over everything else."""


def browser_html(collection: str, page_detail: PageDetail) -> HTML:
    """Return the page, its boxes and its elements in reading order; groups come last and are hidden at first."""
    src = address(collection, page_detail.document.id, page_detail.page.number)
    kinds: Counter[str] = Counter(e.kind for e in page_detail.elements)
    return render(
        "web/collections/templates/page.html",
        document=page_detail.document,
        page=page_detail.page,
        src=src,
        srcset=srcset(src),
        trouble=_MISSING if page_detail.page.number in page_detail.document.failed_pages else "",
        kinds=sorted(kinds.items(), key=lambda pair: (pair[0] in _HIDDEN, -pair[1])),
        hidden=_HIDDEN,
        pieces=[(e, e.text or "(no text)", _origin(e)) for e in page_detail.elements],
        nothing=_EMPTY,
    )


def _origin(element: Element) -> str:
    """Return `under Costs > Staff; joins 3 others; from the text of the file`."""
    section = f"under {' > '.join(element.section)}; " if element.section else ""
    parts = f"made of {len(element.parts)} others; " if element.parts else ""
    return section + parts + _SOURCES.get(element.source, element.source)
