"""A PDF, or another file with pages -> blocks, in the order in which they are read, each word with its box.

A paragraph continues over lines, columns and pages: running heads, page numbers, figures and footnotes in between are
no part of it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from indexing import RAISED_DIGITS, BBox, Element, ParsedPage
from indexing.language import sentence_spans
from plugins.audit.manuscripts.composition import BULLET, Block, PagePlace, PassageKind, Place
from rag.attribution import MOST_STATEMENTS

REPEATED = 3
"""The least pages with the same short line for it to be a running head, even if it is not marked as one."""
_SHORT = 90
_WAITS = 5
"""The most blocks between two parts of a paragraph: figures, captions and footnotes."""
_ENDED = re.compile(rf"[.!?:;\u2026\u3002][)\]\"'\u201d\u2019\u00bb\d{RAISED_DIGITS}]*$")
_FOOTNOTE = re.compile(rf"^(?:[*\u2217\u2020\u2021\u00a7]|[\d{RAISED_DIGITS}]{{1,2}}(?=[A-Z]))")
_KINDS: dict[str, PassageKind] = {"heading": "heading", "list": "item", "footnote": "note"}


@dataclass(slots=True)
class _Part:
    """A part of a block: text[start:end] of it is element.text[at:]."""

    start: int
    end: int
    element: Element
    at: int


@dataclass(slots=True)
class _OpenBlock:
    """A block to which further parts may be added; `waits` counts the blocks after it."""

    kind: PassageKind
    text: str
    parts: list[_Part]
    level: int = 0
    cells: tuple[str, ...] = ()
    head: tuple[str, ...] = ()
    boxes: tuple[BBox, ...] = ()
    waits: int = field(default=0)

    def grow(self, element: Element) -> None:
        """Append an element, after a blank or, where a hyphen broke a word, directly."""
        broken = len(self.text) > 1 and self.text[-1] in "-\u2010" and self.text[-2].islower()
        self.text = self.text[:-1] if broken and element.text[0].islower() else f"{self.text} "
        start = len(self.text)
        self.text += element.text
        self.parts.append(_Part(start, len(self.text), element, 0))

    def block(self) -> Block:
        """Return the block with the parts added so far."""
        return Block(self.kind, self.text, self.level, self.cells, self.head, locate=self._locate)

    def _locate(self, start: int, end: int) -> tuple[Place, ...]:
        """Return the places of text[start:end], one for each page."""
        places: dict[int, list[BBox]] = {}
        for part in self.parts:
            if part.start < end and start < part.end:
                element = part.element
                inside = (max(start, part.start) - part.start + part.at, min(end, part.end) - part.start + part.at)
                boxes = self.boxes or element.words.line_boxes(*inside) or (element.bbox,)
                places.setdefault(element.page, []).extend(boxes)
        return tuple(PagePlace(page, tuple(boxes)) for page, boxes in places.items())


def page_blocks(pages: Iterable[ParsedPage]) -> Iterator[Block]:
    """Yield the blocks of pages; reading ends with the page that exceeds the limit of statements."""
    waiting: list[Element] = []
    statements = 0
    for page in pages:
        for element in page.elements:
            if element.kind in ("group", "header", "footer", "picture") or not element.text.strip():
                continue
            waiting.append(element)
            statements += len(element.cells) or len(sentence_spans(element.text))
        if statements > 2 * MOST_STATEMENTS:  # half of it may be rows' cells and repeated lines
            break
    running = _running_heads(waiting)
    yield from (each.block() for each in _join_paragraphs([e for e in waiting if _short_line(e) not in running]))


def _short_line(element: Element) -> str:
    """Return a short line without its numbers, as running heads repeat it; "" for a longer text."""
    return re.sub(r"\d+", "", element.text).strip().casefold() if len(element.text) <= _SHORT else ""


def _running_heads(elements: Sequence[Element]) -> frozenset[str]:
    """Return the short lines that are on several pages and do not end like a sentence."""
    counts: Counter[str] = Counter()
    for _, line in {(e.page, _short_line(e)) for e in elements if e.kind in ("text", "heading", "caption", "footnote")}:
        counts[line] += 1
    return frozenset(line for line, count in counts.items() if line and count >= REPEATED and line[-1] not in ".!?:")


def _join_paragraphs(elements: Sequence[Element]) -> list[_OpenBlock]:
    """Return the blocks of a manuscript, with the parts of each paragraph joined."""
    blocks: list[_OpenBlock] = []
    pending: list[_OpenBlock] = []
    page = 0  # the last one of which a paragraph was taken
    for element in elements:
        pending = [b for b in pending if b.waits < _WAITS and element.page - b.parts[-1].element.page < 2]
        before = _unfinished_paragraph(pending, element, first=element.page != page) if element.kind == "text" else None
        page = element.page if element.kind in ("text", "list") else page
        if before is not None:
            before.grow(element)
            pending = [] if _ENDED.search(before.text) else [before]
        elif element.kind == "table":
            blocks += _rows(element)
        else:
            blocks.append(_block(element))
            for block in pending:
                block.waits += 1
            if blocks[-1].kind in ("text", "item") and element.kind != "caption" and not _ENDED.search(element.text):
                pending.append(blocks[-1])
    return blocks


def _block(element: Element) -> _OpenBlock:
    """Return a new block with one element."""
    kind = _KINDS.get(element.kind, "text")
    if kind == "text" and _FOOTNOTE.match(element.text):
        kind = "note"
    elif kind == "text" and element.kind == "text" and BULLET.match(element.text) and not element.text[0].isdigit():
        kind = "item"
    level = len(element.section) + 1 if kind == "heading" else 0
    return _OpenBlock(kind, element.text, [_Part(0, len(element.text), element, 0)], level)


def _unfinished_paragraph(open_blocks: Sequence[_OpenBlock], element: Element, *, first: bool) -> _OpenBlock | None:
    """Return the paragraph that an element continues; None if it begins a new one.

    It continues one in lower case; as the `first` of its page also a long paragraph of the page before.
    """
    prose = [block for block in open_blocks if len(block.text.split()) > 6] or open_blocks
    text = element.text.lstrip("(\"'\u201c\u2018")
    if not prose or not text or BULLET.match(text):
        return None
    last = prose[-1]
    if text[0].islower():
        return last if len(text) > 25 or _ENDED.search(text) else None
    before = last.parts[-1].element.page == element.page - 1
    hangs = last.text[-1] in ",-\u2013\u2014"
    turned = first and before and (hangs or not last.waits) and len(last.text.split()) > 6
    prosaic = last.text[0].isalnum() and (last.text[-1].isalnum() or hangs)
    return last if turned and prosaic else None


def _rows(table: Element) -> Iterator[_OpenBlock]:
    """Yield the rows of a table; its first ones, of header cells, name the columns of the others."""
    cells = table.cells
    if not cells:
        yield _OpenBlock("text", table.text, [_Part(0, len(table.text), table, 0)])
        return
    head: dict[int, str] = {}
    for row in sorted({cell.row for cell in cells}):
        row_cells = sorted((cell for cell in cells if cell.row == row), key=lambda cell: cell.col)
        texts = [" ".join(table.text[cell.start : cell.end].split()) for cell in row_cells]
        is_head = all(cell.header for cell in row_cells)
        column_names = tuple(head.get(cell.col, "") for cell in row_cells)
        for cell, text in zip(row_cells, texts, strict=True) if is_head else ():
            for col in range(cell.col, cell.col + cell.col_span):
                head[col] = f"{head.get(col, '')} {text}".strip()
        row_text = " | ".join(texts)
        part = _Part(0, len(row_text), table, row_cells[0].start)
        boxes = tuple(cell.bbox for cell in row_cells)
        yield _OpenBlock("head" if is_head else "row", row_text, [part], 0, tuple(texts), column_names, boxes)
