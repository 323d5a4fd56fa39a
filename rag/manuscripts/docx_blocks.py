"""The paragraphs of a Word file -> blocks: headings, running text, items of lists, rows of tables and footnotes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rag.manuscripts.docx_text import DocxParagraph, Node, W, number_of, read_paragraphs
from rag.manuscripts.types import Block, Link, ParagraphPlace, PassageKind, Place

if TYPE_CHECKING:
    from docx.document import Document

_NAMED = re.compile(r"^(?:heading|titre|\u00fcberschrift|t\u00edtulo|encabezado) ?([1-9])$", re.IGNORECASE)
_LISTED = re.compile(
    r"^(?:list|liste|lista)(?:[ -]?(?:bullet|number|paragraph|continue|aufz\u00e4hlung))? ?([2-9])?$", re.IGNORECASE
)


def docx_blocks(document: Document) -> Iterator[Block]:
    """Yield the blocks of a Word file."""
    paragraphs = read_paragraphs(document)
    styles = _styles(document)
    notes: dict[str, str] = {}
    for paragraph in paragraphs:
        if paragraph.note:
            notes[paragraph.note] = f"{notes.get(paragraph.note, '')} {paragraph.text}".strip()[:1000]
    at = 0
    while at < len(paragraphs):
        paragraph = paragraphs[at]
        end = at + 1
        if paragraph.cell is not None:
            while end < len(paragraphs) and (cell := paragraphs[end].cell) is not None and cell[0] == paragraph.cell[0]:
                end += 1
            yield from _rows(paragraphs[at:end])
        elif paragraph.text.strip():
            yield _block(paragraph, styles, notes)
        at = end


def _styles(document: Document) -> dict[str, tuple[PassageKind, int]]:
    """Return the kind and level of paragraphs by the id of their style; those of running text are left out."""
    styles: dict[str, tuple[PassageKind, int]] = {}
    for style in document.styles.element:
        key, name = style.get(f"{W}styleId"), style.find(f"{W}name")
        named = (name.get(f"{W}val") or "").strip() if name is not None else ""
        kind = _of_style(style, named)
        based = style.find(f"{W}basedOn")
        if kind is None and based is not None:
            kind = styles.get(based.get(f"{W}val") or "")
        if key and kind:
            styles[key] = kind
    return styles


def _of_style(style: Node, name: str) -> tuple[PassageKind, int] | None:
    level = style.find(f"{W}pPr/{W}outlineLvl")
    heading = _NAMED.match(name)
    if heading:
        return "heading", int(heading[1])
    if name.lower() in ("title", "subtitle"):
        return "heading", 1
    if level is not None and number_of(level, 9) < 9:
        return "heading", number_of(level, 9) + 1
    listed = _LISTED.match(name)
    return ("item", int(listed[1] or 1) - 1) if listed else None


def _block(paragraph: DocxParagraph, styles: dict[str, tuple[PassageKind, int]], notes: dict[str, str]) -> Block:
    """Return a paragraph that stands in no table."""
    properties = paragraph.node.find(f"{W}pPr")
    kind: PassageKind = "note" if paragraph.note else "text"
    level = 0
    if properties is not None and not paragraph.note:
        style = properties.find(f"{W}pStyle")
        kind, level = styles.get(style.get(f"{W}val") or "" if style is not None else "", ("text", 0))
        numbered = properties.find(f"{W}numPr")
        if numbered is not None and kind != "heading" and number_of(numbered.find(f"{W}numId"), 1) != 0:
            kind, level = "item", number_of(numbered.find(f"{W}ilvl"), level)
    links = [Link(start, end, address) for start, end, address in paragraph.links]
    links += [Link(max(at - 1, 0), at + 1, note=notes[key]) for at, key in paragraph.marks if key in notes]

    def locate(start: int, end: int) -> tuple[Place, ...]:
        return (ParagraphPlace(paragraph.number, start, end),)

    return Block(kind, paragraph.text, level, links=tuple(links), locate=locate)


@dataclass(frozen=True, slots=True)
class _Row:
    cells: tuple[str, ...]
    paragraphs: tuple[DocxParagraph, ...]

    def locate(self, _start: int, _end: int) -> tuple[Place, ...]:
        """Return the paragraphs of the whole row."""
        return tuple(ParagraphPlace(p.number, 0, len(p.text)) for p in self.paragraphs if p.text.strip())


def _rows(paragraphs: Sequence[DocxParagraph]) -> Iterator[Block]:
    """Yield the rows of one table. Its first row is its head, where it has no number and others follow.

    A table of a single column holds text, not values: each of its paragraphs is one.
    """
    by_row: dict[int, dict[int, list[DocxParagraph]]] = {}
    for paragraph in paragraphs:
        _, row, column = paragraph.cell or (0, 0, 0)
        by_row.setdefault(row, {}).setdefault(column, []).append(paragraph)
    if all(len(row) == 1 for row in by_row.values()):
        yield from (_block(p, {}, {}) for p in paragraphs if p.text.strip())
        return
    head: tuple[str, ...] = ()
    for n, columns in enumerate(by_row.values()):
        cells = tuple(" ".join(" ".join(p.text for p in own).split()) for own in columns.values())
        line = _Row(cells, tuple(p for own in columns.values() for p in own))
        heads = n == 0 and len(by_row) > 1 and _names(cells)
        head = cells if heads else head
        yield Block("head" if heads else "row", " | ".join(cells), cells=cells, head=head, locate=line.locate)


def _names(cells: Sequence[str]) -> bool:
    """Return True for cells that name columns: words, or years."""
    texts = [cell for cell in cells if cell]
    return len(texts) > 1 and all(not re.search(r"\d", cell) or re.fullmatch(r"\D{0,12}\d{4}", cell) for cell in texts)
