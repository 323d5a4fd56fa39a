"""Headings -> the section path of each element, carried from page to page; running titles are no headings.

Pages are parsed apart from one another, so this runs afterwards, over the pages of a document in order. The layout
model takes a running title for text or a heading where a page has little else, and a logo for a picture; they are
recognised by the pages before. The margins of the first page identify a document, and are searched: its number, its
date, the journal it appeared in.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from indexing.parse.headings import Level, level_of, title_of
from indexing.parse.term_lines import LARGER as HEADING
from indexing.parse.term_lines import MAX_HEADING_CHARS, letter_height
from indexing.types import Element, Page, ParsedPage

MAX_DEPTH = 4
LARGER, READ_LARGER = 1.02, 1.15
"""The ratio of the heights of two headings' letters from which the larger one is above the other, if numbers do not
decide; the same of recognised letters, whose heights vary."""
SMALL_CAPITALS = 1.35
"""The ratio of the heights of two headings' letters up to which their numbers decide which one is above."""
SLIDE_TITLE = 0.25
"""The share of a slide's height in which its title begins."""
MARGIN = 0.08
"""The most of a page's height that running titles and numbers take at its head and at its foot."""
EDGE, PLACE = 0.15, 0.01
"""The share of a page's height at its head and foot in which lines run that no page before has as a header or footer,
and the most by which the same line, or logo, moves from page to page."""
BACK = 2
"""The pages back to which a line is known: left and right pages have titles of their own."""
LOGO = 0.06
"""The most area of a logo, as a share of the page's."""
LINE_CHARS = 40
"""The characters from which an element is running text, by whose letters a page's other lines are large or small."""
_NUMBER = re.compile(r"\d+")
_WORD, _FIGURE = re.compile(r"[^\W\d_]{2,}"), re.compile(r"\d{3}")


@dataclass(slots=True)
class _Heading:
    """A heading whose section is open: its text, the height of its letters in points, its level by number, its page.

    `alone` is True while nothing but headings follows on its page, a slide.
    """

    title: str
    size: float
    level: Level | None
    page: int
    alone: bool


class Outline:
    """Tracks the headings of one document: `place` takes its pages in order."""

    def __init__(self) -> None:
        """Start above the first heading."""
        self._running = _RunningLines()
        self._path: list[_Heading] = []

    def place(self, page: ParsedPage) -> ParsedPage:
        """Return the page with the section of each element set; a heading's own section is the path above it.

        A group gets the section of its first member. Running titles become headers or footers first.
        """
        page = self._running.mark_page(page)
        sections: dict[str, tuple[str, ...]] = {}
        placed_elements: list[Element] = []
        for element in page.elements:
            section = sections.get(element.parts[0], ()) if element.parts else self._section_of(element, page.page)
            sections[element.id] = section
            placed_elements.append(replace(element, section=section))
        return replace(page, elements=tuple(placed_elements))

    def _section_of(self, element: Element, page: Page) -> tuple[str, ...]:
        """Return the section of an element; a heading opens its own section for the elements behind it."""
        if element.kind != "heading" or not element.text or len(element.text) > MAX_HEADING_CHARS:
            if element.kind not in ("header", "footer"):
                for outer in self._path:
                    outer.alone &= outer.page != page.number
            return self._titles()
        level = level_of(element.text, [(o.level, o.title) for o in self._path])
        outer = _Heading(title_of(element.text), page.height * letter_height(element), level, page.number, alone=True)
        self._path = self._path[: self._depth_of(outer, element, page)]
        section = self._titles()
        self._path = [*self._path, outer][-MAX_DEPTH:]
        return section

    def _depth_of(self, new: _Heading, heading: Element, page: Page) -> int:
        """Return how many of the open headings stay open: those that are above a new one.

        By their numbers, where both have one and letters of about the same height; else by the height of the letters.
        The title of a slide closes the headings of earlier slides, unless they are alone on theirs.
        """
        depth, size, level = len(self._path), new.size, new.level
        if page.width > page.height and heading.bbox.y0 < SLIDE_TITLE:
            depth = next((n for n, o in enumerate(self._path) if o.page != page.number and not o.alone), depth)
        first = 0
        if level is not None:
            for n, outer in enumerate(self._path[:depth]):
                if outer.level is None or outer.size > SMALL_CAPITALS * size or size > SMALL_CAPITALS * outer.size:
                    continue
                if outer.level >= level:
                    depth = n
                    break
                first = n + 1
        larger = READ_LARGER if heading.source == "ocr" else LARGER
        return next((n for n in range(first, depth) if self._path[n].size < larger * size), depth)

    def _titles(self) -> tuple[str, ...]:
        return tuple(outer.title for outer in self._path)


class _RunningLines:
    """Recognises the headers and footers of one document: `mark_page` takes its pages in order."""

    def __init__(self) -> None:
        """Start with none known."""
        self._running_lines: set[tuple[str, str]] = set()
        self._before: list[list[Element]] = []

    def mark_page(self, page: ParsedPage) -> ParsedPage:
        """Return a page with text in its margins as header or footer where an earlier page has the same text.

        Numbers in it may differ. Headings and logos in the same place as before become headers or footers too. On the
        first page, those with two words and a number of 3 digits become text.
        """
        sizes = [letter_height(e) for e in page.elements if e.kind in ("text", "list") and len(e.text) > LINE_CHARS]
        body = float(np.median(sizes)) if sizes else 0.0
        elements = tuple(self._as_before(element, body) for element in page.elements)
        self._running_lines |= {(e.kind, _normalised_text(e)) for e in elements if e.kind in ("header", "footer")}
        self._before = [*self._before, [e for e in page.elements if _is_logo(e) or _side(e)]][-2 * BACK :]
        if page.page.number == 1:
            elements = tuple(replace(e, kind="text") if _identifies_document(e) else e for e in elements)
        return replace(page, elements=elements)

    def _as_before(self, element: Element, body: float) -> Element:
        """Return an element as header or footer if earlier pages have it; `body` is the text's letter height."""
        side = _side(element)
        if side and element.kind in ("text", "heading"):
            margin = element.kind == "text" and min(element.bbox.y1, 1 - element.bbox.y0) < MARGIN
            small = letter_height(element) < HEADING * body
            lines = (e for page in self._before[-BACK:] for e in page if e.text == element.text)
            is_known = (side, _normalised_text(element)) in self._running_lines
            if (margin and is_known) or (small and any(abs(e.bbox.y0 - element.bbox.y0) < PLACE for e in lines)):
                return replace(element, kind=side)
        if _is_logo(element) and sum(any(_same_place(e, element) for e in page) for page in self._before) >= BACK:
            return replace(element, kind="header" if element.bbox.y0 < 0.5 else "footer")
        return element


def _is_logo(element: Element) -> bool:
    return element.kind == "picture" and element.bbox.area < LOGO


def _side(element: Element) -> Literal["header", "footer"] | None:
    """Return "header" for an element at the top of the page, "footer" for one at its bottom, else None."""
    if element.bbox.y1 < EDGE:
        return "header"
    return "footer" if element.bbox.y0 > 1 - EDGE else None


def _same_place(one: Element, other: Element) -> bool:
    pairs = zip(one.bbox.as_tuple(), other.bbox.as_tuple(), strict=True)
    return one.kind == other.kind and all(abs(a - b) < PLACE for a, b in pairs)


def _identifies_document(element: Element) -> bool:
    """Return True for a header or footer with two words and a number of 3 digits, as a journal or report has."""
    has_words = element.kind in ("header", "footer") and len(_WORD.findall(element.text)) > 1
    return has_words and _FIGURE.search(element.text) is not None


def _normalised_text(element: Element) -> str:
    return _NUMBER.sub("#", " ".join(element.text.split()))
