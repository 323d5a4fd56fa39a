"""A Word file -> blocks: its package, opened safely, its paragraphs with their runs, and the kind of each.

Reading a file and writing comments into it number the paragraphs alike, by `read_paragraphs`.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from indexing import spell
from plugins.audit.errors import DocumentUnreadable
from plugins.audit.manuscripts.composition import Block, Link, ParagraphPlace, PassageKind, Place

if TYPE_CHECKING:
    from docx.document import Document

MOST_UNPACKED = 300_000_000
"""The most bytes that a Word file may unpack to, pictures included."""
MOST_MARKUP = 40_000_000
"""The most bytes of its XML: a book has ten million."""
MOST_PARTS = 5000
_MACROS = ("vbaproject.bin", "vbadata.xml")


def open_docx(data: bytes, name: str) -> Document:
    """Open a Word file without loading what it refers to. Raises DocumentUnreadable if it is unsafe or damaged."""
    if data.startswith(b"\xd0\xcf\x11\xe0"):
        raise DocumentUnreadable(
            f"{name}: it is a locked or old Word file: save it as .docx without a password, and check that"
        )
    _check_sizes(data, name)
    import docx
    from docx.opc.exceptions import OpcError
    from lxml import etree

    try:
        return docx.Document(io.BytesIO(data))
    except (OpcError, etree.LxmlError, zipfile.BadZipFile, KeyError, ValueError, AttributeError, OSError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0][:120]
        raise DocumentUnreadable(
            f"{name}: cannot be read as a Word file ({reason}): open it in a word processor and save it again"
        ) from None


def _check_sizes(data: bytes, name: str) -> None:
    """Raise DocumentUnreadable for a zip bomb, by the sizes in the archive's directory, and for macros."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = archive.infolist()
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError):
        raise DocumentUnreadable(f"{name}: it is damaged or cut short: get it again") from None
    names = {entry.filename.lower() for entry in entries}
    if "word/document.xml" not in names:
        raise DocumentUnreadable(f"{name}: it is a ZIP archive, not a Word file: unpack it, and check the files in it")
    if any(each.endswith(_MACROS) for each in names):
        raise DocumentUnreadable(f"{name}: it contains macros: save it as .docx without them, and check that")
    size = sum(entry.file_size for entry in entries)
    markup = sum(entry.file_size for entry in entries if entry.filename.lower().endswith((".xml", ".rels")))
    if size > MOST_UNPACKED or markup > MOST_MARKUP or len(entries) > MOST_PARTS:
        raise DocumentUnreadable(
            f"{name}: unpacks to {size // 1_000_000:,} MB ({markup // 1_000_000:,} MB of text) in "
            f"{len(entries):,} parts, which exceeds the limits: check it in parts"
        )


def external_targets(document: Document) -> tuple[str, ...]:
    """Return the addresses, links apart, that a word processor loads when it opens the file: templates, pictures."""
    targets = [
        relation.target_ref
        for part in document.part.package.iter_parts()
        for relation in part.rels.values()
        if relation.is_external and not relation.reltype.endswith("/hyperlink")
    ]
    return tuple(dict.fromkeys(targets))


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
    are the offsets of footnote marks with the keys of the notes, `note` is the key of the note that it is in, `boxes`
    are its text boxes with their runs. `length` counts the visible characters of the runs read so far.
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
        self._read_body(document.element.body, None, 0)
        for kind in ("footnotes", "endnotes"):
            self._read_notes(kind)

    def _read_body(self, parent: Node, cell: tuple[int, int, int] | None, depth: int, anchor: Node = None) -> None:
        for node in parent if depth < MOST_DEPTH else ():
            if node.tag == f"{W}p":
                self._read_paragraph(node, cell, anchor, depth)
            elif node.tag == f"{W}tbl":
                self._read_table(node, depth, anchor)
            elif node.tag in (f"{W}sdt", f"{W}sdtContent", f"{W}ins", f"{W}moveTo", f"{W}customXml", f"{W}smartTag"):
                self._read_body(node, cell, depth + 1, anchor)

    def _read_table(self, table: Node, depth: int, anchor: Node) -> None:
        number, self._tables = self._tables, self._tables + 1
        for row, line in enumerate(table.iter(f"{W}tr")):
            if _table_of(line) is not table or line.find(f"{W}trPr/{W}del") is not None:
                continue
            column = 0
            for cell in line.iter(f"{W}tc"):
                if _table_of(cell) is table:
                    self._read_body(cell, (number, row, column), depth + 1, anchor)
                    span = cell.find(f"{W}tcPr/{W}gridSpan")
                    column += max(number_of(span, 1), 1)

    def _read_paragraph(self, node: Node, cell: tuple[int, int, int] | None, anchor: Node, depth: int) -> DocxParagraph:
        """Append a paragraph, then those of its text boxes, whose comments go to the run at `anchor`."""
        paragraph = DocxParagraph(len(self.paragraphs), node, cell=cell, anchor=anchor)
        self.paragraphs.append(paragraph)
        parts: list[str] = []
        self._read_inline(node, paragraph, parts, depth)
        paragraph.text = "".join(parts)
        for box, run in paragraph.boxes:
            self._read_body(box, None, depth + 1, anchor if anchor is not None else run)
        return paragraph

    def _read_inline(self, node: Node, paragraph: DocxParagraph, parts: list[str], depth: int) -> None:
        """Add the runs inside a node; those that are deleted or hidden are left out."""
        for child in node if depth < MOST_DEPTH else ():
            if child.tag == f"{W}r":
                self._read_run(child, paragraph, parts)
            elif child.tag == f"{W}hyperlink":
                begin = paragraph.length
                self._read_inline(child, paragraph, parts, depth + 1)
                relation = self._rels.get(child.get(f"{_R}id", ""))
                if relation is not None and relation.is_external:
                    paragraph.links.append((begin, paragraph.length, relation.target_ref[:2000]))
            elif child.tag not in _LEFT_OUT and isinstance(child.tag, str) and child.tag.startswith(W):
                self._read_inline(child, paragraph, parts, depth + 1)

    def _read_run(self, run: Node, paragraph: DocxParagraph, parts: list[str]) -> None:
        """Add the visible text of a run to a paragraph, its footnote marks and text boxes; nothing of a hidden run."""
        if is_on(run.find(f"{W}rPr/{W}vanish")):
            return
        begin = paragraph.length
        align = run.find(f"{W}rPr/{W}vertAlign")
        above = align is not None and align.get(f"{W}val") == "superscript"
        for child in run:
            text = visible_text(child)
            if text:
                parts.append(spell(text, parts, above=above))
                paragraph.length += len(text)
            elif child.tag in (f"{W}footnoteReference", f"{W}endnoteReference"):
                key = f"{child.tag.removeprefix(W).removesuffix('Reference')}s:{child.get(f'{W}id', '')}"
                self._marks.setdefault(key, run)
                paragraph.marks.append((paragraph.length, key))
            elif child.tag not in _LEFT_OUT:
                paragraph.boxes += [(box, run) for box in _boxes(child)]
        if paragraph.length > begin:
            paragraph.runs.append((begin, run))

    def _read_notes(self, kind: str) -> None:
        """Add the notes of a kind, footnotes or endnotes, that the running text refers to."""
        from docx.oxml.parser import parse_xml

        relations = [r for r in self._rels.values() if r.reltype.endswith(f"/{kind}") and not r.is_external]
        for relation in relations[:1]:
            for note in parse_xml(relation.target_part.blob):
                mark = self._marks.get(f"{kind}:{note.get(f'{W}id', '')}")
                first = len(self.paragraphs)
                if mark is not None and note.get(f"{W}type") in (None, "normal"):
                    self._read_body(note, None, 1, mark)
                for paragraph in self.paragraphs[first:]:
                    paragraph.note = f"{kind}:{note.get(f'{W}id', '')}"


def visible_text(child: Node) -> str:
    """Return the visible characters of a child of a run; "" for other elements."""
    return (child.text or "") if child.tag == f"{W}t" else _SIGNS.get(child.tag, "")


def _boxes(node: Node) -> list[Node]:
    """Return the contents of the text boxes in a drawing, without the copies in its fallback."""
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
    """Return True for a property of WordprocessingML that is present and not switched off."""
    return switch is not None and switch.get(f"{W}val", "true") not in ("0", "false", "off", "none")


def number_of(node: Node, default: int) -> int:
    """Return the number of a property, from 0 to 63; `default` if it is missing or has none."""
    value = node.get(f"{W}val", "") if node is not None else ""
    return min(int(value), 63) if value.isascii() and value.isdigit() and len(value) < 4 else default


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
        style_name = (name.get(f"{W}val") or "").strip() if name is not None else ""
        kind = _kind_of_style(style, style_name)
        parent = style.find(f"{W}basedOn")
        if kind is None and parent is not None:
            kind = styles.get(parent.get(f"{W}val") or "")
        if key and kind:
            styles[key] = kind
    return styles


def _kind_of_style(style: Node, name: str) -> tuple[PassageKind, int] | None:
    """Return the kind and level of a paragraph style by its name or outline level; None for running text."""
    level = style.find(f"{W}pPr/{W}outlineLvl")
    heading = _NAMED.match(name)
    if heading:
        return "heading", int(heading[1])
    if name.lower() in ("title", "subtitle"):
        return "heading", 1
    if level is not None and number_of(level, 9) < 9:
        return "heading", number_of(level, 9) + 1
    match = _LISTED.match(name)
    return ("item", int(match[1] or 1) - 1) if match else None


def _block(paragraph: DocxParagraph, styles: dict[str, tuple[PassageKind, int]], notes: dict[str, str]) -> Block:
    """Return the block of a paragraph outside of tables."""
    properties = paragraph.node.find(f"{W}pPr")
    kind: PassageKind = "note" if paragraph.note else "text"
    level = 0
    if properties is not None and not paragraph.note:
        style = properties.find(f"{W}pStyle")
        kind, level = styles.get(style.get(f"{W}val") or "" if style is not None else "", ("text", 0))
        numbering = properties.find(f"{W}numPr")
        if numbering is not None and kind != "heading" and number_of(numbering.find(f"{W}numId"), 1) != 0:
            kind, level = "item", number_of(numbering.find(f"{W}ilvl"), level)
    links = [Link(start, end, address) for start, end, address in paragraph.links]
    links += [Link(max(at - 1, 0), at + 1, note=notes[key]) for at, key in paragraph.marks if key in notes]

    def locate(start: int, end: int) -> tuple[Place, ...]:
        return (ParagraphPlace(paragraph.number, start, end),)

    bold = bool(paragraph.runs) and all(is_on(run.find(f"{W}rPr/{W}b")) for _, run in paragraph.runs)
    return Block(kind, paragraph.text, level, links=tuple(links), locate=locate, bold=bold)


@dataclass(frozen=True, slots=True)
class _Row:
    cells: tuple[str, ...]
    paragraphs: tuple[DocxParagraph, ...]

    def locate(self, _start: int, _end: int) -> tuple[Place, ...]:
        """Return the places of all paragraphs of the row."""
        return tuple(ParagraphPlace(p.number, 0, len(p.text)) for p in self.paragraphs if p.text.strip())


def _rows(paragraphs: Sequence[DocxParagraph]) -> Iterator[Block]:
    """Yield the rows of one table. Its first row is its header if it names columns and others follow.

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
        is_head = n == 0 and len(by_row) > 1 and _are_column_names(cells)
        head = cells if is_head else head
        yield Block("head" if is_head else "row", " | ".join(cells), cells=cells, head=head, locate=line.locate)


def _are_column_names(cells: Sequence[str]) -> bool:
    """Return True for cells that name columns: without numbers other than years."""
    texts = [cell for cell in cells if cell]
    return len(texts) > 1 and all(not re.search(r"\d", cell) or re.fullmatch(r"\D{0,12}\d{4}", cell) for cell in texts)
