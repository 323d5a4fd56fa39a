"""Heads and feet of pages: what runs along and is not searched, and what the first page alone says of the document.

The layout model takes a running title for text where a page holds little else; it is known by the pages before. The
margins of the first page tell what a document is, and are searched: its number, its date, the journal it appeared in.
"""

from __future__ import annotations

import re
from dataclasses import replace

from indexing.types import Element, ParsedPage

MARGIN = 0.08
"""The most of a page's height that running titles and numbers take at its head and at its foot."""
_NUMBER = re.compile(r"\d+")
_WORD, _FIGURE = re.compile(r"[^\W\d_]{2,}"), re.compile(r"\d{3}")


class RunningLines:
    """The heads and feet of one document: `told` takes its pages in order."""

    def __init__(self) -> None:
        """Start without any."""
        self._known: set[tuple[str, str]] = set()

    def told(self, parsed: ParsedPage) -> ParsedPage:
        """Return the page with text in a margin as its header or footer, where that of an earlier page says the same.

        Numbers in it may differ. Those of the first page become text if they have words and a figure of 3 digits.
        """
        elements = tuple(self._as_before(element) for element in parsed.elements)
        self._known |= {(e.kind, _said(e)) for e in elements if e.kind in ("header", "footer")}
        if parsed.page.number == 1:
            elements = tuple(replace(e, kind="text") if _tells_the_document(e) else e for e in elements)
        return replace(parsed, elements=elements)

    def _as_before(self, element: Element) -> Element:
        if element.kind != "text":
            return element
        if element.bbox.y1 < MARGIN and ("header", _said(element)) in self._known:
            return replace(element, kind="header")
        if element.bbox.y0 > 1 - MARGIN and ("footer", _said(element)) in self._known:
            return replace(element, kind="footer")
        return element


def _tells_the_document(element: Element) -> bool:
    said = element.kind in ("header", "footer") and len(_WORD.findall(element.text)) > 1
    return said and _FIGURE.search(element.text) is not None


def _said(element: Element) -> str:
    return _NUMBER.sub("#", " ".join(element.text.split()))
