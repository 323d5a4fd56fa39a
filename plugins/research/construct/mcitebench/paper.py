"""A paper as it can be cited: its paragraphs, figures and tables with section and number, and its numbered lines.

The elements of an index are taken as they are but where numbers of lines stand in the margin: those are taken out of
the texts that they were read into, and what they glued together is parted where the page leaves room.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from indexing import NUMBERED_NAME, BBox, Collection, Document, Element, numbered_name

Box = tuple[float, float, float, float]
MARGIN = 0.2
"""The share of a page's width, on either side, in which numbers of lines stand."""
ALIGNED = 0.012
"""The most that right edges of one column of numbers differ, in fractions of the width."""
FEWEST = 5
"""The fewest numbers in a row that are a numbering of lines."""
MOST_SKIPPED = 3
"""The largest step from one number to the next: a number may not have been read."""


@dataclass(frozen=True, slots=True)
class MarginLine:
    """A numbered line: its page, from 1, and its top, bottom and the right edge of its number, in fractions."""

    number: int
    page: int
    y0: float
    y1: float
    edge: float


def margin_lines(page: int, words: Iterable[tuple[str, Box]]) -> tuple[MarginLine, ...]:
    """Return the numbered lines of a page, top down, given its words with their boxes in fractions; none without any.

    It is the longest column of aligned numbers in a margin that count upwards as they go down.
    """
    numbers = sorted(
        (
            MarginLine(int(text), page, box[1], box[3], box[2])
            for text, box in words
            if len(text) <= 4 and text.isascii() and text.isdigit() and (box[2] < MARGIN or box[0] > 1 - MARGIN)
        ),
        key=lambda line: line.edge,
    )
    best: Sequence[MarginLine] = ()
    column: list[MarginLine] = []
    for line in numbers:
        if column and line.edge - column[0].edge > ALIGNED:
            best, column = max(best, _counted(column), key=len), []
        column.append(line)
    best = max(best, _counted(column), key=len)
    return tuple(best) if len(best) >= FEWEST else ()


def is_margin_number(text: str, box: Box, lines: Sequence[MarginLine]) -> bool:
    """Return True for a word that is one of these numbers, and no word of the text beside them."""
    return text.isdigit() and bool(lines) and abs(box[2] - lines[0].edge) <= 2 * ALIGNED


def _counted(column: Sequence[MarginLine]) -> Sequence[MarginLine]:
    """Return the longest run of a column, top down, in which each number is a little greater than the one above."""
    best: list[MarginLine] = []
    run: list[MarginLine] = []
    for line in sorted(column, key=lambda line: line.y0):
        if run and not 0 < line.number - run[-1].number <= MOST_SKIPPED:
            best, run = max(best, run, key=len), []
        run.append(line)
    return max(best, run, key=len)


Modality = Literal["text", "figure", "table"]
KINDS: Mapping[str, Modality] = {"text": "text", "list": "text", "table": "table", "picture": "figure"}
LEAST_CHARS, MOST_CHARS = 40, 4000
"""The characters of a paragraph that can be evidence."""
LEAST_AREA = 0.004
"""The least share of a page that a figure or a table covers."""
ROOM = 1.6
"""The distance between the tops of two lines, in heights of a line, from which they are two paragraphs."""
_NUMBERED_HEADING = re.compile(
    r"(?:appendix\s{1,3})?(\d{1,2}(?:\.\d{1,2}){0,3}|(?-i:[A-H])(?:\.\d{1,2}){0,3})[.:]?(?=\s|$)", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class PaperPart:
    """A paragraph, figure or table: `bbox` in fractions of page `page`, from 1; `section` is its number ("4.2", "B").

    `name` is that of a figure or table ("Figure 2"); it and `section` are empty where the paper gives none. `caption`
    is without the name.
    """

    id: str
    page: int
    kind: Modality
    text: str
    bbox: BBox
    section: str = ""
    name: str = ""
    caption: str = ""


@dataclass(frozen=True, slots=True)
class Paper:
    """A paper: its parts in reading order, and its numbered lines by their number."""

    document: Document
    parts: tuple[PaperPart, ...]
    lines: Mapping[int, MarginLine]


def read_paper(collection: Collection, document: Document) -> Paper:
    """Return a document of a collection as a paper. Raises IndexingError."""
    pages = [collection.page_elements(document.id, number) for number in range(1, document.n_pages + 1)]
    return paper_of(document, pages)


def paper_of(document: Document, pages: Sequence[Sequence[Element]]) -> Paper:
    """Return the paper that the elements of these pages, each in reading order, make."""
    parts: dict[str, PaperPart] = {}
    lines: dict[int, MarginLine] = {}
    section = ""
    for number, elements in enumerate(pages, 1):
        numbered = margin_lines(number, (word for element in elements if not element.parts for word in _words(element)))
        for line in numbered:
            lines.setdefault(line.number, line)
        for kind, part in _page_parts(elements, numbered):
            if kind == "heading":
                section = _section_of(part.text, section)
                continue
            placed = replace(part, section=section)
            same = next((p for p in parts.values() if p.name and (p.name, p.page) == (placed.name, number)), None)
            if same is not None:  # the panels of a figure
                parts[same.id] = replace(same, bbox=BBox.union((same.bbox, placed.bbox)))
            else:
                parts[placed.id] = placed
    return Paper(document, tuple(parts.values()), lines)


def _page_parts(elements: Sequence[Element], numbered: Sequence[MarginLine]) -> list[tuple[str, PaperPart]]:
    """Return headings and parts; a page with numbered lines has one column, which is read from its top."""
    found = [pair for element in elements if not element.parts for pair in _of_element(element, numbered)]
    return sorted(found, key=lambda pair: pair[1].bbox.y0) if numbered else found


def _of_element(element: Element, numbered: Sequence[MarginLine]) -> Iterator[tuple[str, PaperPart]]:
    kind = KINDS.get(element.kind)
    blocks = list(_blocks(element, numbered))
    if element.kind == "heading":
        yield from (("heading", PaperPart(element.id, element.page, "text", text, box)) for text, box in blocks[:1])
    elif kind in ("figure", "table") and element.bbox.area >= LEAST_AREA:
        caption = re.sub(r"^(?:\d{3,4} ){1,50}", "", element.caption) if numbered else element.caption
        name, caption = _name_of(caption, kind)
        name = name or (_name_of(element.text[:200], kind)[0] if kind == "table" else "")
        yield (
            kind,
            PaperPart(element.id, element.page, kind, element.text[:MOST_CHARS], element.bbox, "", name, caption),
        )
    elif kind == "text" or _is_body(element, numbered):
        for n, (text, box) in enumerate(blocks):
            if LEAST_CHARS <= len(text) <= MOST_CHARS:
                yield "text", PaperPart(f"{element.id}.{n}" if n else element.id, element.page, "text", text, box)


def _is_body(element: Element, numbered: Sequence[MarginLine]) -> bool:
    """Return True for a text taken for a header or footer because of the numbers that were read into it."""
    return (
        element.kind in ("header", "footer")
        and bool(numbered)
        and numbered[0].y0 - 0.01 <= element.bbox.y0
        and element.bbox.y1 <= numbered[-1].y1 + 0.01
    )


def _blocks(element: Element, numbered: Sequence[MarginLine]) -> Iterator[tuple[str, BBox]]:
    """Yield the paragraphs of an element with their boxes, without numbers of lines; all of it where none is in it."""
    words = list(_words(element))
    own = [(text, box) for text, box in words if not is_margin_number(text, box, numbered)]
    if len(own) == len(words):
        yield element.text, element.bbox
        return
    block: list[tuple[str, tuple[float, float, float, float]]] = []
    for text, box in own:
        if block and box[1] - block[-1][1][1] > ROOM * (block[-1][1][3] - block[-1][1][1]):
            yield _joined(block)
            block = []
        block.append((text, box))
    if block:
        yield _joined(block)


def _joined(block: Sequence[tuple[str, tuple[float, float, float, float]]]) -> tuple[str, BBox]:
    boxes = [BBox(*box) for _, box in block]
    return " ".join(text for text, _ in block), BBox.union(boxes)


def _words(element: Element) -> Iterator[tuple[str, tuple[float, float, float, float]]]:
    """Yield the words of an element with their boxes; one whose box is no rectangle on the page is left out."""
    for (start, end), (x0, y0, x1, y1) in zip(element.words.spans.tolist(), element.words.boxes.tolist(), strict=True):
        box = BBox.from_page(x0, y0, x1, y1, 1.0, 1.0)
        if box is not None:
            yield element.text[start:end], box.as_tuple()


def _section_of(heading: str, before: str) -> str:
    """Return the number of a section by its heading, else that of the one before; letters come after numbers."""
    found = _NUMBERED_HEADING.match(heading.strip())
    return found[1] if found and (before or found[1][0].isdigit()) else before


def _name_of(caption: str, kind: Modality) -> tuple[str, str]:
    """Return the name that a caption begins with ("Figure 2"), and the caption after it."""
    found = NUMBERED_NAME.match(caption.strip())
    if found is None or not found.group(kind):
        return "", caption.strip()
    return numbered_name(found).capitalize(), caption.strip()[found.end() :].lstrip(" .:|-–—")
