"""Headings -> the section path of each element, carried from page to page.

Pages are parsed apart from one another, so this runs afterwards, over the pages of a document in order.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from indexing.parse.running_lines import RunningLines
from indexing.parse.term_lines import INDENT, MAX_HEADING_CHARS, WIDEST, letter_height
from indexing.parse.typography import Level, level_of, title_of
from indexing.types import Element, Page, ParsedPage

MAX_DEPTH = 4
SLACK = INDENT / 2
"""The difference of the left edges of lines that are set in alike, as a share of the page's width."""
COLUMN = 2 * WIDEST
"""The most share of it by which what belongs to a term is set in."""
LARGER, READ_LARGER = 1.02, 1.15
"""The height of a heading's letters in units of another's from which it stands above it, if numbers do not tell; the
same of recognised letters, whose heights vary."""
SMALL_CAPITALS = 1.35
"""The height of the letters of a heading in units of another's up to which their numbers tell which stands above."""
SLIDE_TITLE = 0.25
"""The share of a slide's height in which its title begins."""


@dataclass(slots=True)
class _Open:
    """A heading whose section is open: its text, the height of its letters in points, its level by number, its page.

    `alone` is True while nothing but headings follows on its page, a slide.
    """

    title: str
    size: float
    level: Level | None
    page: int
    alone: bool


class Outline:
    """An outline that follows the headings of one document: `place` takes its pages in order."""

    def __init__(self) -> None:
        """Start above the first heading."""
        self._running = RunningLines()
        self._path: list[_Open] = []
        self._terms: list[tuple[float, str]] = []

    def place(self, parsed: ParsedPage) -> ParsedPage:
        """Return the page with the section of each element set; a heading's own section is the path above it.

        A group gets the section of its first member. A term heads what is set in further, up to the next heading. A
        running title is told from text first.
        """
        parsed = self._running.mark_page(parsed)
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
            if element.kind not in ("header", "footer"):
                for opened in self._path:
                    opened.alone &= opened.page != page.number
            return self._titles()
        level = level_of(element.text, [(o.level, o.title) for o in self._path])
        opened = _Open(title_of(element.text), page.height * letter_height(element), level, page.number, alone=True)
        self._path = self._path[: self._above(opened, element, page)]
        self._terms = []
        section = self._titles()
        self._path = [*self._path, opened][-MAX_DEPTH:]
        return section

    def _above(self, new: _Open, heading: Element, page: Page) -> int:
        """Return how many of the open headings stay open: those that a heading stands below.

        By their numbers, where both have one and letters of about the same height; else by the height of the letters.
        The title of a slide closes those of earlier slides, unless they stand alone on theirs.
        """
        depth, size, level = len(self._path), new.size, new.level
        if page.width > page.height and heading.bbox.y0 < SLIDE_TITLE:
            depth = next((n for n, o in enumerate(self._path) if o.page != page.number and not o.alone), depth)
        first = 0
        if level is not None:
            for n, opened in enumerate(self._path[:depth]):
                if opened.level is None or opened.size > SMALL_CAPITALS * size or size > SMALL_CAPITALS * opened.size:
                    continue
                if opened.level >= level:
                    depth = n
                    break
                first = n + 1
        larger = READ_LARGER if heading.source == "ocr" else LARGER
        return next((n for n in range(first, depth) if self._path[n].size < larger * size), depth)

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
        return (*(o.title for o in self._path), *(title for _, title in self._terms))[-MAX_DEPTH:]
