"""A drawn slice of a web page becomes the elements of a page: what is on it and can be seen, with boxes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from indexing import BBox, Cell, Element, Page, ParsedPage, Words
from plugins.formats.web.page_data import Place, WebBlock, WebPage, WebWord, around
from plugins.formats.web.pixels import PageSlice

POINTS = 0.75
"""The points of a CSS pixel."""
MAX_DEPTH, MAX_HEADING_CHARS = 4, 120
LEAST_PICTURE = 24.0
"""The height in CSS pixels of a part of a picture below which it is none of its own."""
_BETWEEN_CELLS = " | "


@dataclass(slots=True)
class _Text:
    """A text that grows word by word, with the places of its words."""

    code: bool = False
    text: str = ""
    spans: list[tuple[int, int]] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)

    def add(self, words: Sequence[WebWord]) -> tuple[int, int]:
        """Write words behind what is there, and return the characters that they take, as (start, end)."""
        start = len(self.text)
        parts = [self.text]
        at, last = start, None
        for word in words:
            between = "" if last is None else self._between(word)
            line = self.lines[-1] if self.lines else 0
            if self.lines and (last is None or not _beside(last, word.place)):
                line += 1
            parts += (between, word.text)
            self.spans.append((at + len(between), at + len(between) + len(word.text)))
            self.places.append(word.place)
            self.lines.append(line)
            at, last = self.spans[-1][1], word.place
        self.text = "".join(parts)
        return start, at

    def _between(self, word: WebWord) -> str:
        if self.code:
            return word.before.replace("\t", "    ")
        return " " if word.before else ""


def _beside(one: Place, other: Place) -> bool:
    """Return True for two words that stand on one line: half of the lower one's height is beside the other."""
    shared = min(one[3], other[3]) - max(one[1], other[1])
    return shared > 0.5 * min(one[3] - one[1], other[3] - other[1])


class WebElements:
    """The elements of a web page, slice by slice; the path of headings goes on from slice to slice."""

    def __init__(self, page: WebPage) -> None:
        """Begin above the first heading."""
        self._page = page
        self._path: list[tuple[int, str]] = []
        self._captions: dict[int, str] = {}
        for block in page.blocks:
            if block.kind == "caption" and block.figure >= 0:
                caption = _Text()
                caption.add(block.words)
                self._captions.setdefault(block.figure, caption.text)

    def of(self, drawn: PageSlice, number: int) -> ParsedPage:
        """Return page `number` with the elements of the next slice. Its size is in points."""
        width, height = self._page.width, float(drawn.bottom - drawn.top)
        elements: list[Element] = []
        hidden = 0
        for block in self._page.blocks:
            if block.place[3] <= drawn.top or block.place[1] >= drawn.bottom:
                continue
            hidden += sum(
                _says(w) for w in block.all_words if w.number in drawn.unseen and w.on(drawn.top, drawn.bottom)
            )
            element = self._element(block, drawn, number)
            if element is not None:
                elements.append(element)
        page = Page("", number, round(width * POINTS, 3), round(height * POINTS, 3))
        return ParsedPage(page, tuple(elements), hidden=hidden)

    def _element(self, block: WebBlock, drawn: PageSlice, number: int) -> Element | None:
        if block.kind == "picture":
            return self._picture(block, drawn, number)
        text, grid = _Text(block.code), []
        if block.cells:
            grid = list(self._cells(block, drawn, text))
        else:
            text.add(drawn.shown(block.words))
        place = around(text.places + [cell_place for *_, cell_place in grid])
        box = self._box(place, drawn) if place else None
        if box is None or not text.text:
            return None
        section = self._section(block, text.text)
        boxes = [self._box(place, drawn) for place in text.places]
        fractions = [found.as_tuple() if found else (0.0, 0.0, 0.0, 0.0) for found in boxes]
        words = Words(
            np.array(text.spans, np.int32).reshape(-1, 2),
            np.array(fractions, np.float32).reshape(-1, 4),
            np.array(text.lines, np.int32),
        )
        cells = tuple(
            Cell(*at, *span, cell_box, header)
            for at, span, header, place in grid
            if (cell_box := self._box(place, drawn)) is not None
        )
        caption = self._captions.get(block.figure, "") if block.kind == "table" else ""
        return Element("", "", number, block.kind, text.text, box, "layer", section, caption, words, cells)

    def _picture(self, block: WebBlock, drawn: PageSlice, number: int) -> Element | None:
        x0, y0, x1, y1 = block.place
        part = (x0, max(y0, drawn.top), x1, min(y1, drawn.bottom))
        box = self._box(part, drawn)
        if box is None or part[3] - part[1] < LEAST_PICTURE:
            return None
        caption = self._captions.get(block.figure, "")
        return Element("", "", number, "picture", "", box, "layer", self._titles(), caption)

    def _cells(
        self, block: WebBlock, drawn: PageSlice, text: _Text
    ) -> Iterator[tuple[tuple[int, int, int, int], tuple[int, int], bool, Place]]:
        """Write the cells of a table that are on a slice, row by row; yield grid, span, header and place of each."""
        row = -1
        for cell in sorted(block.cells, key=lambda one: (one.row, one.col)):
            words = drawn.shown(cell.words)
            if words:
                if row >= 0:
                    text.text += "\n" if cell.row != row else _BETWEEN_CELLS
                span, row = text.add(words), cell.row
                yield (cell.row, cell.col, cell.row_span, cell.col_span), span, cell.header, cell.place

    def _section(self, block: WebBlock, text: str) -> tuple[str, ...]:
        """Return the headings above a block; a heading goes onto the path for what follows it."""
        if block.kind != "heading" or len(text) > MAX_HEADING_CHARS:
            return self._titles()
        while self._path and self._path[-1][0] >= block.level:
            self._path.pop()
        section = self._titles()
        self._path = [*self._path, (block.level, text)][-MAX_DEPTH:]
        return section

    def _titles(self) -> tuple[str, ...]:
        return tuple(title for _, title in self._path)

    def _box(self, place: Place, drawn: PageSlice) -> BBox | None:
        x0, y0, x1, y1 = place
        return BBox.from_page(x0, y0 - drawn.top, x1, y1 - drawn.top, self._page.width, float(drawn.bottom - drawn.top))


def _says(word: WebWord) -> bool:
    return any(c.isalnum() for c in word.text)
