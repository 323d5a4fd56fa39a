"""Segments: what stands in a document under one heading, of which evidence packages are made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from indexing import Collection, Element
from rag.llm import in_line

KINDS = ("text", "list", "table", "picture")
LEAST_CHARS, MOST_CHARS = 60, 1500
"""The bounds of a text, list or table that is shown: less says nothing alone, more is no single piece of evidence."""
LEAST_AREA = 0.01
"""The least share of the page of a picture: smaller ones are signs and rules."""
MOST_ELEMENTS = 8
"""The most elements of a segment; what is longer becomes several."""
OPENING = 160


@dataclass(frozen=True, slots=True)
class Segment:
    """A run of elements under one heading, in reading order; where there are no headings, those of a page."""

    heading: str
    elements: tuple[Element, ...]

    @property
    def doc_id(self) -> str:
        """The document that it stands in."""
        return self.elements[0].doc_id

    def told(self) -> str:
        """Return the segment as a line of a prompt: its pages, its kinds, its heading, the words it opens with."""
        first, last = self.elements[0].page, self.elements[-1].page
        pages = f"page {first}" if first == last else f"pages {first} to {last}"
        kinds = ", ".join(dict.fromkeys(e.kind for e in self.elements))
        opening = " ".join(e.text or e.caption for e in self.elements)[:OPENING]
        return f"{pages} ({kinds}) {in_line(self.heading) or 'no heading'}: {in_line(opening)}"


def segments_of(collection: Collection, doc_id: str, first: int, last: int) -> tuple[Segment, ...]:
    """Return the segments of the pages `first` to `last` of a document, those without usable elements left out."""
    pages = collection.elements_on([(doc_id, number) for number in range(first, last + 1)])
    fit = [e for page in pages for e in page if fits(e)]
    made: list[Segment] = []
    for (section, _), run in groupby(fit, lambda e: (e.section, 0 if e.section else e.page)):
        elements = tuple(run)
        made += [
            Segment(" / ".join(section[-2:]), elements[start : start + MOST_ELEMENTS])
            for start in range(0, len(elements), MOST_ELEMENTS)
        ]
    return tuple(made)


def fits(element: Element) -> bool:
    """Return True for an element that can be evidence by itself."""
    if element.kind == "picture":
        return element.bbox.area >= LEAST_AREA and len(element.text) <= MOST_CHARS
    return element.kind in KINDS and LEAST_CHARS <= len(element.text) <= MOST_CHARS


def uniform(elements: Sequence[Element]) -> str:
    """Say why elements are too much alike for a package, of two pages and two kinds at least; empty when not."""
    if len({(e.doc_id, e.page) for e in elements}) < 2:
        return "evidence of one page"
    return "evidence of one kind" if len({e.kind for e in elements}) < 2 else ""
