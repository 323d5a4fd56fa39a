"""Heads and feet of pages: what runs along and is not searched, and what the first page alone says of the document.

The layout model takes a running title for text or a heading where a page holds little else, and a logo for a picture;
they are known by the pages before. The margins of the first page tell what a document is, and are searched: its number,
its date, the journal it appeared in.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Literal

import numpy as np

from indexing.parse.term_lines import LARGER, letter_height
from indexing.types import Element, ParsedPage

MARGIN = 0.08
"""The most of a page's height that running titles and numbers take at its head and at its foot."""
EDGE, PLACE = 0.15, 0.01
"""The share of a page's height at its head and foot in which lines run that no page before has as a header or footer,
and the most by which the same line, or logo, moves from page to page."""
BACK = 2
"""The pages back to which a line is known: left and right pages have titles of their own."""
LOGO = 0.06
"""The most area of a logo, as a share of the page's."""
LINE = 40
"""The characters from which an element is running text, by whose letters a page's other lines are large or small."""
_NUMBER = re.compile(r"\d+")
_WORD, _FIGURE = re.compile(r"[^\W\d_]{2,}"), re.compile(r"\d{3}")


class RunningLines:
    """The heads and feet of one document: `mark_page` takes its pages in order."""

    def __init__(self) -> None:
        """Start without any."""
        self._known: set[tuple[str, str]] = set()
        self._before: list[list[Element]] = []

    def mark_page(self, parsed: ParsedPage) -> ParsedPage:
        """Mark text in a margin of a page as header or footer where an earlier page has the same text.

        Numbers in it may differ. So are headings, and logos, that stand in the same place as before. Those of the first
        page become text if they have words and a figure of 3 digits.
        """
        sizes = [letter_height(e) for e in parsed.elements if e.kind in ("text", "list") and len(e.text) > LINE]
        body = float(np.median(sizes)) if sizes else 0.0
        elements = tuple(self._as_before(element, body) for element in parsed.elements)
        self._known |= {(e.kind, _normalised_text(e)) for e in elements if e.kind in ("header", "footer")}
        self._before = [*self._before, [e for e in parsed.elements if _is_logo(e) or _side(e)]][-2 * BACK :]
        if parsed.page.number == 1:
            elements = tuple(replace(e, kind="text") if _tells_the_document(e) else e for e in elements)
        return replace(parsed, elements=elements)

    def _as_before(self, element: Element, body: float) -> Element:
        """Return an element as a header or footer if it runs; `body` is the height of the page's running text."""
        side = _side(element)
        if side and element.kind in ("text", "heading"):
            margin = element.kind == "text" and min(element.bbox.y1, 1 - element.bbox.y0) < MARGIN
            small = letter_height(element) < LARGER * body
            lines = (e for page in self._before[-BACK:] for e in page if e.text == element.text)
            is_known = (side, _normalised_text(element)) in self._known
            if (margin and is_known) or (small and any(abs(e.bbox.y0 - element.bbox.y0) < PLACE for e in lines)):
                return replace(element, kind=side)
        if _is_logo(element) and sum(any(_same_place(e, element) for e in page) for page in self._before) >= BACK:
            return replace(element, kind="header" if element.bbox.y0 < 0.5 else "footer")
        return element


def _is_logo(element: Element) -> bool:
    return element.kind == "picture" and element.bbox.area < LOGO


def _side(element: Element) -> Literal["header", "footer"] | None:
    """Return "header" for what stands at the head of a page, "footer" at its foot, else None."""
    if element.bbox.y1 < EDGE:
        return "header"
    return "footer" if element.bbox.y0 > 1 - EDGE else None


def _same_place(one: Element, other: Element) -> bool:
    pairs = zip(one.bbox.as_tuple(), other.bbox.as_tuple(), strict=True)
    return one.kind == other.kind and all(abs(a - b) < PLACE for a, b in pairs)


def _tells_the_document(element: Element) -> bool:
    has_words = element.kind in ("header", "footer") and len(_WORD.findall(element.text)) > 1
    return has_words and _FIGURE.search(element.text) is not None


def _normalised_text(element: Element) -> str:
    return _NUMBER.sub("#", " ".join(element.text.split()))
