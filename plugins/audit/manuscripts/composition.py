"""The values of a manuscript, and blocks -> a manuscript: its text, and its statements with their places."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, Literal

from indexing import RAISED_DIGITS, BBox
from indexing.language import sentence_spans, without_note_marks
from rag.attribution import BIBLIOGRAPHY_HEADINGS, ENTRY, MOST_STATEMENTS, AnswerStatement, plain

Form = Literal["text", "html", "docx", "pages"]
"""The form of a file: plain text or Markdown, a web page, a Word file, or pages (PDF, EPUB, XPS and images)."""
PassageKind = Literal["heading", "text", "item", "head", "row", "note", "entry"]
"""The kind of a passage: `head` is the first row of a table, `note` a footnote, `entry` stands in a bibliography."""


@dataclass(frozen=True, slots=True)
class ParagraphPlace:
    """A place in a Word file: `paragraph` counts from 0, text boxes and notes included; text[start:end] of it."""

    paragraph: int
    start: int
    end: int

    def to_json(self) -> dict[str, Any]:
        """Return plain values for `--json`."""
        return {"paragraph": self.paragraph, "start": self.start, "end": self.end}


@dataclass(frozen=True, slots=True)
class PagePlace:
    """A place on a page: `page` counts from 1, `boxes` are its lines or cells in fractions of the displayed page."""

    page: int
    boxes: tuple[BBox, ...]

    def to_json(self) -> dict[str, Any]:
        """Return plain values for `--json`."""
        return {"page": self.page, "boxes": [list(box.as_tuple()) for box in self.boxes]}


Place = ParagraphPlace | PagePlace
Locate = Callable[[int, int], tuple[Place, ...]]
"""A function that returns the places in the file of text[start:end] of a block."""


def _nowhere(_start: int, _end: int) -> tuple[Place, ...]:
    """Return no place: plain text has only the offsets of its characters."""
    return ()


@dataclass(frozen=True, slots=True)
class Link:
    """A link in a block: text[start:end] leads to `address`, or to a footnote with the text `note`."""

    start: int
    end: int
    address: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, heading, list item or table row, as it is read from a file.

    `level` is that of a heading (from 1), or the depth of an item (from 0). A row has its `cells` and those of the
    `head` above it, and its text is the cells with bars between them. `label` is the number that a list gives an item,
    `bold` is True if all letters are bold.
    """

    kind: PassageKind
    text: str
    level: int = 0
    cells: tuple[str, ...] = ()
    head: tuple[str, ...] = ()
    links: tuple[Link, ...] = ()
    locate: Locate = _nowhere
    label: str = ""
    bold: bool = False


@dataclass(frozen=True, slots=True)
class PlacedStatement(AnswerStatement):
    """A statement of a manuscript: text[start:end] of it, at `places` in its file.

    `links` are the addresses that its words lead to, `footnotes` the texts of the footnotes that they point to.
    """

    start: int = 0
    end: int = 0
    places: tuple[Place, ...] = ()
    links: tuple[str, ...] = ()
    footnotes: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the place of the statement, and what it points to, as plain values for `--json`."""
        record: dict[str, Any] = {"start": self.start, "end": self.end, "places": [p.to_json() for p in self.places]}
        record |= {"links": list(self.links)} if self.links else {}
        return record | ({"footnotes": list(self.footnotes)} if self.footnotes else {})


@dataclass(frozen=True, slots=True)
class Manuscript:
    """A text to check: `text` is its content in reading order, with one or more lines for each block.

    Of plain text and Markdown it is the source itself. `notes` tell the reader about problems in reading it.
    """

    name: str
    form: Form
    text: str
    statements: Sequence[PlacedStatement]
    notes: tuple[str, ...] = ()


CONTENTS = "it is a line of a list of contents"
COPYRIGHT = "it says whose the text is"
_CONTENTS_NAMES = frozenset(
    ["contents", "table of contents", "inhalt", "inhaltsverzeichnis", "table des mati\u00e8res", "sommaire",
     "contenido", "\u00edndice", "indice", "sum\u00e1rio", "list of figures", "list of tables"]
)  # fmt: skip
_NUMBER = re.compile(r"^(?:\d{1,2}|[A-Z]|[IVX]{1,5})(?:\.\d{1,2}){0,4}[.)]?\s+(?=\S)")
_LEADER = re.compile(r"(?:[.\u2026]\s?){4}\s?(?:\d{1,4}|[ivxl]{1,6})$")
BULLET = re.compile(r"^(?:[-*+\u2022\u2023\u25aa\u25cf\u25e6\u2043\u00b7\u2013\uf0b7]|\(?\d{1,3}[.)]|\(?[a-z][.)])\s+")
_MARK = re.compile(r"(?<=[a-z)%\"\u201d][.!?])(?:\d{1,3}|[*\u2020\u2021])(?=\s|$)")
"""The mark of a footnote after the end of a sentence: a number that stands at a letter's full stop is no decimal."""
_NOTE_NUMBER = re.compile(rf"^(?:[{RAISED_DIGITS}\d]{{1,3}}|[*\u2217\u2020\u2021\u00a7]{{1,3}})\s*(?=[A-Z\u201c\"])")
_WORD = re.compile(r"[^\W\d_]{3}|[\u3040-\u9fff]")
_HEADING_CHARS = 200
"""The most characters of a heading that later statements stand under."""


class _Composer:
    """Takes blocks in order, adds up their text and statements, and keeps the headings and lead-ins above the next."""

    def __init__(self) -> None:
        self.statements: list[PlacedStatement] = []
        self.texts: list[str] = []
        self._length = 0
        self._above: list[tuple[int, str]] = []
        self._bibliography_level = 0
        self._contents = False
        self._title = ""
        """Title of the whole text: running text need not repeat it."""

    def take(self, block: Block) -> None:
        """Add a block's text and statements."""
        start = self._length
        kind = self._kind(block)
        self.texts.append(block.text)
        self._length += len(block.text) + 1
        self.statements += list(self._statements_of(block, kind, start))

    def _kind(self, block: Block) -> PassageKind:
        """Return the kind of a block: those under the heading of a bibliography are its entries."""
        if block.kind == "heading":
            name = _NUMBER.sub("", block.text).strip(" :.").casefold()
            self._contents = name in _CONTENTS_NAMES
            if name in BIBLIOGRAPHY_HEADINGS:
                self._bibliography_level = block.level or 1
            elif self._bibliography_level and block.level <= self._bibliography_level:
                self._bibliography_level = 0
            return "heading"
        return "entry" if self._bibliography_level and block.kind in ("text", "item", "row", "head") else block.kind

    def _statements_of(self, block: Block, kind: PassageKind, at: int) -> Iterator[PlacedStatement]:
        """Yield the statements of a block of this kind, which begins at character `at` of the text."""
        if kind in ("row", "head"):
            self._above = [(depth, lead) for depth, lead in self._above if depth < 2]
        under = tuple(lead for _, lead in self._above)
        span = (0, len(block.text))
        if kind == "head" or not any(c.isalnum() for c in block.text):
            return
        if kind == "heading":
            yield from self._heading_statements(block, at)
        elif kind == "entry":
            yield _place_statement(block, span, at, block.text, under, remark=ENTRY)
        elif _LEADER.search(block.text[-300:]) or (self._contents and block.text.rstrip()[-1] not in ".!?"):
            yield _place_statement(block, span, at, block.text, under, remark=CONTENTS)
        elif block.text.startswith("\u00a9"):
            yield _place_statement(block, span, at, block.text, under, remark=COPYRIGHT)
        elif kind == "row":
            pairs = zip_longest(block.cells, block.head[: len(block.cells)], fillvalue="")
            text = "; ".join(f"{name}: {cell}" if name else cell for cell, name in pairs if cell)
            yield _place_statement(block, span, at, text, under)
        else:
            yield from self._sentences_of(block, kind, at)

    def _heading_statements(self, block: Block, at: int) -> Iterator[PlacedStatement]:
        """Yield the statement of a heading, which only names what follows unless it has a number or full stop."""
        number = _NUMBER.match(block.text)
        span = (number.end() if number else 0, len(block.text))
        name = block.text[span[0] :]
        names = not re.search(r"\d|[.!?]$", name)
        if not self.statements and number is None:  # a section has a number, a title none
            self._title = name.rstrip(":")
        yield _place_statement(block, span, at, name, (), heading=names)
        self._above = [(0, name.rstrip(":"))] if names and len(name) <= _HEADING_CHARS else []

    def _sentences_of(self, block: Block, kind: PassageKind, at: int) -> Iterator[PlacedStatement]:
        """Yield the sentences of a paragraph, of a footnote or of an item of a list."""
        if kind == "note":  # at the end of a page, or of the text
            number = _NOTE_NUMBER.match(block.text)
            first = number.end() if number else 0
            for start, end in _complete_spans(block.text[first:]):
                span = (first + start, first + end)
                yield _place_statement(block, span, at, _strip_marks(block.text[slice(*span)]), ())
            return
        item = kind == "item"
        bullet = BULLET.match(block.text) if item else None
        begin = bullet.end() if bullet else 0
        depth = 2 + block.level if item else 1
        self._above = [(d, lead) for d, lead in self._above if d < depth]
        under = tuple(lead for _, lead in self._above if item or lead != self._title)
        text = block.text[begin:]
        leads = False
        for start, end in _complete_spans(text):
            if any(c.isalnum() for c in text[start:end]):
                leads = text[start:end].endswith(":")
                span = (begin + start, begin + end)
                yield _place_statement(block, span, at, _strip_marks(text[start:end]), under, heading=leads, item=item)
        label, colon, _ = text.partition(":")
        if leads:
            self._above.append((depth, text[sentence_spans(text)[-1][0] :].strip().rstrip(":")))
        elif item and len(text) < _HEADING_CHARS:
            self._above.append((depth, plain(label if colon else text)))


def _place_statement(
    block: Block, span: tuple[int, int], at: int, text: str, under: tuple[str, ...], *,
    heading: bool = False, item: bool = False, remark: str = "",
) -> PlacedStatement:  # fmt: skip
    """Return the statement in a span of a block, which begins at character `at` of the text."""
    start, end = span
    links = [link for link in block.links if link.start < end and link.end > start]
    return PlacedStatement(
        " ".join(text.split()),
        under,
        heading,
        item,
        remark,
        at + start,
        at + end,
        block.locate(start, end),
        tuple(dict.fromkeys(link.address for link in links if link.address)),
        tuple(dict.fromkeys(link.note for link in links if link.note)),
    )


def _complete_spans(text: str) -> list[tuple[int, int]]:
    """Return the spans of sentences; one without a word ("Q4.") is joined with the sentence before it.

    The mark of a footnote after the end of a sentence ("rose.2 Then") belongs to it.
    """
    spans: list[tuple[int, int]] = []
    for start, end in sentence_spans(_MARK.sub(lambda match: ")" * len(match[0]), text)):
        lone = bool(spans) and not _WORD.search(text, start, end)
        spans.append((spans.pop()[0] if lone else start, end))
    return spans


def _strip_marks(text: str) -> str:
    """Return a sentence without the marks of footnotes."""
    plain = without_note_marks(text)
    return _MARK.sub("", text if plain == text else " ".join(plain.split()))


def build_manuscript(name: str, form: Form, blocks: Iterable[Block], notes: Iterable[str] = ()) -> Manuscript:
    """Return the manuscript of blocks; those after the last statement that can be checked are left out."""
    composer = _Composer()
    for block in blocks:
        if block.text.strip():
            composer.take(block)
        if len(composer.statements) > MOST_STATEMENTS:
            break
    text = "\n".join(composer.texts)
    return Manuscript(name, form, text, composer.statements, tuple(notes))
