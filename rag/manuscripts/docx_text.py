"""A Word file -> its paragraphs, with their runs: of text boxes and notes too, nothing that is deleted or hidden.

What reads a file and what writes comments into it number the paragraphs alike, by `read_paragraphs`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from indexing import spelled

if TYPE_CHECKING:
    from docx.document import Document

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_LEFT_OUT = frozenset(
    [f"{W}{tag}" for tag in ("del", "moveFrom", "pPr", "rPr", "sectPr", "instrText", "delText")] + [_FALLBACK]
)
_SIGNS = {f"{W}tab": "\t", f"{W}br": "\n", f"{W}cr": "\n", f"{W}noBreakHyphen": "-", f"{W}ptab": "\t"}
MOST_DEPTH = 60
"""The depth of tables and boxes within one another beyond which nothing is read."""
Node = Any
"""An element of lxml: python-docx's own classes carry no types for its paragraphs' inside."""


@dataclass(slots=True)
class DocxParagraph:
    """A paragraph: `text`, and the runs that it is made of, each with the character that it begins at.

    `anchor` is the run in the running text at which a comment may stand for a paragraph that takes none itself: that of
    its footnote's mark, or the one that holds its text box; None for a paragraph that is running text itself. `marks`
    are the characters at which footnotes are pointed to, `note` is the key of the one that it belongs to, `boxes` are
    the text boxes that stand in it, with their runs. A run is counted once what it shows was added to `length`.
    """

    number: int
    node: Node
    text: str = ""
    length: int = 0
    runs: list[tuple[int, Node]] = field(default_factory=list)
    links: list[tuple[int, int, str]] = field(default_factory=list)
    marks: list[tuple[int, str]] = field(default_factory=list)
    anchor: Node = None
    note: str = ""
    cell: tuple[int, int, int] | None = None
    boxes: list[tuple[Node, Node]] = field(default_factory=list)


def read_paragraphs(document: Document) -> list[DocxParagraph]:
    """Return the paragraphs of a Word file in the order in which they are read: its body, text boxes, then notes.

    Those of a table know their cell: (table, row, column), each from 0.
    """
    return _Reader(document).paragraphs


class _Reader:
    """A reader of a file's paragraphs."""

    def __init__(self, document: Document) -> None:
        self.paragraphs: list[DocxParagraph] = []
        self._tables = 0
        self._rels = document.part.rels
        self._marks: dict[str, Node] = {}  # "footnotes:3" -> the run of its mark
        self._body(document.element.body, None, 0)
        for kind in ("footnotes", "endnotes"):
            self._notes(kind)

    def _body(self, parent: Node, cell: tuple[int, int, int] | None, depth: int, anchor: Node = None) -> None:
        for node in parent if depth < MOST_DEPTH else ():
            if node.tag == f"{W}p":
                self._paragraph(node, cell, anchor, depth)
            elif node.tag == f"{W}tbl":
                self._table(node, depth, anchor)
            elif node.tag in (f"{W}sdt", f"{W}sdtContent", f"{W}ins", f"{W}moveTo", f"{W}customXml", f"{W}smartTag"):
                self._body(node, cell, depth + 1, anchor)

    def _table(self, table: Node, depth: int, anchor: Node) -> None:
        number, self._tables = self._tables, self._tables + 1
        for row, line in enumerate(table.iter(f"{W}tr")):
            if _table_of(line) is not table or line.find(f"{W}trPr/{W}del") is not None:
                continue
            column = 0
            for cell in line.iter(f"{W}tc"):
                if _table_of(cell) is table:
                    self._body(cell, (number, row, column), depth + 1, anchor)
                    span = cell.find(f"{W}tcPr/{W}gridSpan")
                    column += max(number_of(span, 1), 1)

    def _paragraph(self, node: Node, cell: tuple[int, int, int] | None, anchor: Node, depth: int) -> DocxParagraph:
        paragraph = DocxParagraph(len(self.paragraphs), node, cell=cell, anchor=anchor)
        self.paragraphs.append(paragraph)
        parts: list[str] = []
        self._inline(node, paragraph, parts, depth)
        paragraph.text = "".join(parts)
        for box, run in paragraph.boxes:
            self._body(box, None, depth + 1, anchor if anchor is not None else run)
        return paragraph

    def _inline(self, node: Node, paragraph: DocxParagraph, parts: list[str], depth: int) -> None:
        """Add the runs inside a node; those that are deleted or hidden are left out."""
        for child in node if depth < MOST_DEPTH else ():
            if child.tag == f"{W}r":
                self._read_run(child, paragraph, parts)
            elif child.tag == f"{W}hyperlink":
                begin = paragraph.length
                self._inline(child, paragraph, parts, depth + 1)
                relation = self._rels.get(child.get(f"{_R}id", ""))
                if relation is not None and relation.is_external:
                    paragraph.links.append((begin, paragraph.length, relation.target_ref[:2000]))
            elif child.tag not in _LEFT_OUT and isinstance(child.tag, str) and child.tag.startswith(W):
                self._inline(child, paragraph, parts, depth + 1)

    def _read_run(self, run: Node, paragraph: DocxParagraph, parts: list[str]) -> None:
        if is_on(run.find(f"{W}rPr/{W}vanish")):
            return
        begin = paragraph.length
        align = run.find(f"{W}rPr/{W}vertAlign")
        above = align is not None and align.get(f"{W}val") == "superscript"
        for child in run:
            text = visible_text(child)
            if text:
                parts.append(spelled(text, parts, above=above))
                paragraph.length += len(text)
            elif child.tag in (f"{W}footnoteReference", f"{W}endnoteReference"):
                key = f"{child.tag.removeprefix(W).removesuffix('Reference')}s:{child.get(f'{W}id', '')}"
                self._marks.setdefault(key, run)
                paragraph.marks.append((paragraph.length, key))
            elif child.tag not in _LEFT_OUT:
                paragraph.boxes += [(box, run) for box in _boxes(child)]
        if paragraph.length > begin:
            paragraph.runs.append((begin, run))

    def _notes(self, kind: str) -> None:
        """Add the notes that the running text has the marks of."""
        from docx.oxml.parser import parse_xml

        related = [r for r in self._rels.values() if r.reltype.endswith(f"/{kind}") and not r.is_external]
        for relation in related[:1]:
            for note in parse_xml(relation.target_part.blob):
                mark = self._marks.get(f"{kind}:{note.get(f'{W}id', '')}")
                first = len(self.paragraphs)
                if mark is not None and note.get(f"{W}type") in (None, "normal"):
                    self._body(note, None, 1, mark)
                for paragraph in self.paragraphs[first:]:
                    paragraph.note = f"{kind}:{note.get(f'{W}id', '')}"


def visible_text(child: Node) -> str:
    """Return the characters that a child of a run shows."""
    return (child.text or "") if child.tag == f"{W}t" else _SIGNS.get(child.tag, "")


def _boxes(node: Node) -> list[Node]:
    """Return the texts of the text boxes that a drawing holds, each once: its fallback says the same again."""
    boxes = []
    for box in node.iter(f"{W}txbxContent"):
        above = box.getparent()
        while above is not node and above.tag not in (_FALLBACK, f"{W}txbxContent"):
            above = above.getparent()
        if above is node and node.tag != _FALLBACK:
            boxes.append(box)
    return boxes


def _table_of(node: Node) -> Node:
    above = node.getparent()
    while above is not None and above.tag != f"{W}tbl":
        above = above.getparent()
    return above


def is_on(switch: Node) -> bool:
    """Return True for a property of WordprocessingML that is there, and not said to be off."""
    return switch is not None and switch.get(f"{W}val", "true") not in ("0", "false", "off", "none")


def number_of(node: Node, default: int) -> int:
    """Return the number that a property has, within 0 to 63; `default` for one that is not there, or has none."""
    value = node.get(f"{W}val", "") if node is not None else ""
    return min(int(value), 63) if value.isascii() and value.isdigit() and len(value) < 4 else default
