"""Headings -> the section path of each element, carried from page to page.

Pages are parsed apart from one another, so this runs afterwards, over the pages of a document in order.
"""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from indexing.parse.running_lines import RunningLines
from indexing.parse.term_lines import INDENT, MAX_HEADING_CHARS, WIDEST
from indexing.types import Element, Page, ParsedPage

MAX_DEPTH = 4
SLACK = INDENT / 2
"""The difference of the left edges of lines that are set in alike, as a share of the page's width."""
COLUMN = 2 * WIDEST
"""The most share of it by which what belongs to a term is set in."""
_NUMBERING = re.compile(
    r"^(?:chapter|section|part|kapitel|chapitre)?\s*(\d{1,2}(?:\.\d{1,2})*|[A-Z](?:\.\d{1,2})+)\.?\s+\S", re.IGNORECASE
)


class Outline:
    """An outline that follows the headings of one document: `place` takes its pages in order."""

    def __init__(self) -> None:
        """Start above the first heading."""
        self._running = RunningLines()
        self._path: list[tuple[float, str]] = []
        self._terms: list[tuple[float, str]] = []

    def place(self, parsed: ParsedPage) -> ParsedPage:
        """Return the page with the section of each element set; a heading's own section is the path above it.

        A group gets the section of its first member. A term heads what is set in further, up to the next heading. A
        running title is told from text first.
        """
        parsed = self._running.told(parsed)
        sections: dict[str, tuple[str, ...]] = {}
        placed: list[Element] = []
        for element in parsed.elements:
            if element.parts:
                section = sections.get(element.parts[0], ())
            else:
                section = self._term(element) if element.id in parsed.terms else self._element(element, parsed.page)
            sections[element.id] = section
            placed.append(replace(element, section=section))
        return replace(parsed, elements=tuple(placed))

    def _element(self, element: Element, page: Page) -> tuple[str, ...]:
        """Return the section of an element; what stands below a heading is in its section from now on."""
        if element.kind != "heading" or not element.text or len(element.text) > MAX_HEADING_CHARS:
            if element.kind in ("text", "list"):
                self._leave_terms(element)
            return self._titles()
        rank = _rank(element, page.height)
        while self._path and self._path[-1][0] >= rank:
            self._path.pop()
        self._terms = []
        section = self._titles()
        self._path = [*self._path, (rank, element.text)][-MAX_DEPTH:]
        return section

    def _term(self, element: Element) -> tuple[str, ...]:
        """Return the section of a heading that is a term; what is set in below is in that of the term from now on."""
        self._leave_terms(element)
        section = self._titles()
        self._terms.append((element.bbox.x0, element.text))
        return section

    def _leave_terms(self, element: Element) -> None:
        """Leave the terms that an element is not set in below; one far to the right is in another column."""
        x0 = element.bbox.x0
        self._terms = [(left, text) for left, text in self._terms if left + SLACK < x0 <= left + COLUMN]

    def _titles(self) -> tuple[str, ...]:
        return tuple(title for _, title in (*self._path, *self._terms)[-MAX_DEPTH:])


def _rank(heading: Element, page_height: float) -> float:
    """Return the rank of a heading: a lower one stands higher in the outline.

    It goes by numbering where there is one, else by the height of its words in points. Both share one scale, so that
    numbered and unnumbered headings of one document nest: sizes are below 0.
    """
    match = _NUMBERING.match(heading.text)
    size = (
        float(np.median(heading.words.boxes[:, 3] - heading.words.boxes[:, 1])) * page_height
        if len(heading.words)
        else 0.0
    )
    depth = match.group(1).count(".") if match else 0
    return depth * 0.001 - round(size)
