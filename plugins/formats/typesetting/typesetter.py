"""Blocks -> a rendition: they are laid out to pages of A4 by MuPDF, and become elements with the boxes of their words.

Blocks are laid out some hundred at a time, each group below the last, so that time grows in proportion to their
number, and memory stays small.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from lxml import etree

from indexing import Element, IndexingSettings, NoPages, Page, ParsedPage
from indexing.conversion import Rendition, lines_place
from plugins.formats.typesetting import markup
from plugins.formats.typesetting.elements import ElementFrame, picture_element, text_element
from plugins.formats.typesetting.pieces import PieceText, SourceBlock, piece_text, plain_line
from plugins.formats.typesetting.sheets import WIDTH, PlacedPiece, Sheets
from plugins.formats.typesetting.tables import TableSetter

GROUP_PIECES = 3000
"""The words that are laid out at a time."""
PARAGRAPH_PIECES = 1200
"""The most words of a paragraph; what is longer is cut."""
MAX_SECTIONS = 4
MAX_HEADING_CHARS = 120
TABLE_SPACE = 100.0
"""Points at the foot of a page on which no table is begun."""
LIST_INDENT = 14
"""Points that an item of a list stands to the right of the one above it in depth."""
MAX_DEPTH = 8
BULLETS = ("•", "-", "*", "–", "☐", "☑")


@dataclass(frozen=True, slots=True)
class Slice:
    """Pieces of a block that are laid out as one paragraph."""

    block: SourceBlock
    content: PieceText
    pieces: range
    frame: ElementFrame


def typeset(blocks: Sequence[SourceBlock], title: str = "", settings: IndexingSettings | None = None) -> Rendition:
    """Lay out blocks to pages. Elements get the sections of the headings above them, and the places of their blocks.

    Raises NoPages if there is nothing to draw, TooLarge over the limit on pages. `title` is not drawn.
    """
    typesetter = Typesetter(settings or IndexingSettings())
    for block in blocks:
        typesetter.add(block)
    return typesetter.finish(plain_line(title))


class Typesetter:
    """Lays out the blocks of one document."""

    def __init__(self, settings: IndexingSettings) -> None:
        """Begin with no page."""
        self._sheets = Sheets(settings)
        self._elements: defaultdict[int, list[Element]] = defaultdict(list)
        self._outline: list[tuple[int, str]] = []
        self._waiting: list[Slice] = []
        self._pieces = 0
        self._unread_pictures = 0

    def finish(self, title: str) -> Rendition:
        """Return the pages of the blocks. Raises NoPages without any."""
        self._flow()
        if not self._elements:
            raise NoPages("nothing in it could be laid out on a page: check that it has content")
        pdf, undrawn = self._sheets.finish(title[:500])
        pages = tuple(
            ParsedPage(Page("", number, *size), tuple(self._elements[number]))
            for number, size in enumerate(self._sheets.sizes, 1)
        )
        return Rendition(pdf, pages, title, notes=self._notes(undrawn))

    def _notes(self, undrawn: int) -> tuple[str, ...]:
        notes = []
        if undrawn:
            notes.append(f"{undrawn} characters have no glyph in our fonts and are drawn as empty boxes.")
        if self._unread_pictures:
            notes.append(f"{self._unread_pictures} pictures could not be read and are left out.")
        if self._sheets.n_lost:
            notes.append(f"{self._sheets.n_lost} pieces do not fit on a page and are left out.")
        return tuple(notes)

    def add(self, block: SourceBlock) -> None:
        """Lay out a block below the last. Raises TooLarge over the limit on pages."""
        section = tuple(text for _, text in self._outline)
        frame = ElementFrame(block.kind, section, plain_line(block.caption), block.place)
        if block.kind == "heading":
            frame = replace(frame, section=self._add_heading(block))
        if block.image:
            self._picture(block, frame)
        if block.rows:
            self._table(block, replace(frame, kind="table"))
        if block.text:
            self._text(block, replace(frame, kind="text") if block.kind in ("picture", "table") else frame)

    def _table(self, block: SourceBlock, frame: ElementFrame) -> None:
        self._flow()
        setter = TableSetter(self._sheets, block, frame)
        self._sheets.ready(setter.width, TABLE_SPACE)
        self._caption(frame)
        self._flow(setter.width)
        for element in setter.elements():
            self._add_element(element)

    def _add_heading(self, heading: SourceBlock) -> tuple[str, ...]:
        """Add a heading to the outline; return the headings above it."""
        level = max(1, heading.level)
        text = plain_line(heading.text)
        if not text or len(text) > MAX_HEADING_CHARS:
            return tuple(above for _, above in self._outline)
        while self._outline and self._outline[-1][0] >= level:
            self._outline.pop()
        path = tuple(above for _, above in self._outline)
        self._outline = [*self._outline, (level, text)][-MAX_SECTIONS:]
        return path

    def _text(self, block: SourceBlock, frame: ElementFrame) -> None:
        """Queue a text in paragraphs of limited length; lay out the queue once it has enough words."""
        content = piece_text(block.text, block.code)
        for first in range(0, len(content.pieces), PARAGRAPH_PIECES):
            pieces = range(first, min(first + PARAGRAPH_PIECES, len(content.pieces)))
            self._waiting.append(Slice(block, content, pieces, frame))
            self._pieces += len(pieces)
            if self._pieces >= GROUP_PIECES:
                self._flow()

    def _caption(self, frame: ElementFrame) -> None:
        if frame.caption:
            self._text(
                SourceBlock("caption", frame.caption, place=frame.place), replace(frame, kind="caption", caption="")
            )

    def _picture(self, block: SourceBlock, frame: ElementFrame) -> None:
        self._flow()
        picture = self._sheets.add_picture(block.image)
        if picture is None:
            self._unread_pictures += 1
        else:
            self._add_element(picture_element(picture.page, picture.rect, self._sheets.sizes[picture.page], frame))
        self._caption(frame)

    def _flow(self, width: float = WIDTH) -> None:
        """Lay out the waiting text, on pages of that width in points."""
        if not self._waiting:
            return
        waiting = self._waiting
        owners = [(at, piece) for at, one in enumerate(waiting) for piece in one.pieces]
        pieces_by_page: dict[tuple[int, int], list[tuple[int, PlacedPiece]]] = {}
        for piece in self._sheets.flow(lambda start, stop: _markup_of(waiting, start, stop), len(owners), width):
            at, number = owners[piece.id]
            pieces_by_page.setdefault((at, piece.page), []).append((number, piece))
        for (at, page), pieces in sorted(pieces_by_page.items(), key=lambda item: item[0]):
            one = waiting[at]
            frame = replace(one.frame, place=_code_place(one, pieces)) if one.block.code else one.frame
            self._add_element(text_element(one.content, pieces, page, self._sheets.sizes[page], frame))
        self._waiting, self._pieces = [], 0

    def _add_element(self, element: Element | None) -> None:
        if element is not None:
            self._elements[element.page].append(element)


def _markup_of(slices: Sequence[Slice], start: int, stop: int) -> str:
    """Return the markup of the pieces with the ids from `start` to `stop`; ids count over all slices, from 0."""
    root = etree.Element("body")
    first_id = 0
    for one in slices:
        pieces = one.pieces[max(0, start - first_id) : max(0, stop - first_id)]
        if pieces:
            _add_slice(root, one, pieces, max(start, first_id))
        first_id += len(one.pieces)
    return markup.html_of(root)


def _add_slice(root: markup.Node, one: Slice, pieces: range, first_id: int) -> None:
    block, name = one.block, str(one.frame.kind)
    if block.code:
        name = "code"
    elif block.kind == "heading":
        name = f"h{min(max(block.level, 1), 4)}"
    node = markup.add_text(root, "p", name, one.content, pieces, first_id)
    if name == "list":
        side = "right" if one.content.rtl else "left"
        node.set("style", f"margin-{side}: {LIST_INDENT * (1 + min(block.level, MAX_DEPTH))}pt; margin-bottom: 3pt")
        if pieces.start == 0 and not _is_marked(one.content.text):
            node.text = f"{BULLETS[0]} {node.text}"


def _is_marked(text: str) -> bool:
    """Return True if an item of a list begins with its own number or bullet."""
    first = text.split(maxsplit=1)[0]
    return (first.endswith((".", ")")) and len(first) <= 6) or first in BULLETS


def _code_place(one: Slice, pieces: Sequence[tuple[int, PlacedPiece]]) -> str:
    """Return the place of the lines of a code block that contain these pieces."""
    text = one.content.text
    start, end = one.content.pieces[pieces[0][0]].start, one.content.pieces[pieces[-1][0]].end
    first = text.count("\n", 0, start)
    return lines_place(one.block.place, text.count("\n") + 1, first, text.count("\n", start, end) + 1)
