"""Blocks -> a manuscript: its text in passages, and its statements, each under what stands above it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from indexing import RAISED_DIGITS
from indexing.language import sentence_spans, without_note_marks
from rag.attribution import ENTRY, MOST_STATEMENTS, plain
from rag.manuscripts.types import Block, Form, Manuscript, ManuscriptPassage, PassageKind, PlacedStatement

CONTENTS = "it is a line of a list of contents"
COPYRIGHT = "it says whose the text is"
_CONTENTS_NAMES = frozenset(
    ["contents", "table of contents", "inhalt", "inhaltsverzeichnis", "table des mati\u00e8res", "sommaire",
     "contenido", "\u00edndice", "indice", "sum\u00e1rio", "list of figures", "list of tables"]
)  # fmt: skip
_BIBLIOGRAPHIES = frozenset(
    [
        "references", "reference list", "list of references", "bibliography", "works cited", "literature cited",
        "literature",
        "sources cited", "further reading", "literatur", "literaturverzeichnis", "quellenverzeichnis", "quellen",
        "références", "bibliographie", "références bibliographiques", "referencias", "bibliografía",
        "referencias bibliográficas", "bibliografia", "riferimenti bibliografici", "referências",
    ]
)  # fmt: skip
_NUMBER = re.compile(r"^(?:\d{1,2}|[A-Z]|[IVX]{1,5})(?:\.\d{1,2}){0,4}[.)]?\s+(?=\S)")
_LEADER = re.compile(r"(?:[.\u2026]\s?){4}\s?(?:\d{1,4}|[ivxl]{1,6})$")
_BULLET = re.compile(r"^(?:[-*+\u2022\u2023\u25aa\u25cf\u25e6\u2043\u00b7\u2013\uf0b7]|\(?\d{1,3}[.)]|\(?[a-z][.)])\s+")
_MARK = re.compile(r"(?<=[a-z)%\"\u201d][.!?])(?:\d{1,3}|[*\u2020\u2021])(?=\s|$)")
"""The mark of a footnote after the end of a sentence: a number that stands at a letter's full stop is no decimal."""
_NOTE_NUMBER = re.compile(rf"^(?:[{RAISED_DIGITS}\d]{{1,3}}|[*\u2217\u2020\u2021\u00a7]{{1,3}})\s*(?=[A-Z\u201c\"])")
_WORD = re.compile(r"[^\W\d_]{3}|[\u3040-\u9fff]")
_HEADING_CHARS = 200
"""The most characters of a heading that later statements stand under."""


class _Composer:
    """A composer that takes blocks in order, and keeps what the next ones stand under."""

    def __init__(self) -> None:
        self.statements: list[PlacedStatement] = []
        self.passages: list[ManuscriptPassage] = []
        self.texts: list[str] = []
        self._length = 0
        self._above: list[tuple[int, str]] = []
        self._cited = 0
        self._contents = False
        self._title = ""
        """Title of the whole text: running text need not repeat it."""

    def take(self, block: Block) -> None:
        """Add a block's passage and statements."""
        start = self._length
        kind = self._kind(block)
        self.texts.append(block.text)
        self._length += len(block.text) + 1
        self.passages.append(ManuscriptPassage(kind, start, start + len(block.text), block.level))
        self.statements += list(self._statements_of(block, kind, start))

    def _kind(self, block: Block) -> PassageKind:
        """Return the kind of a block: what stands under the heading of a bibliography is an entry of it."""
        if block.kind == "heading":
            name = _NUMBER.sub("", block.text).strip(" :.").casefold()
            self._contents = name in _CONTENTS_NAMES
            if name in _BIBLIOGRAPHIES:
                self._cited = block.level or 1
            elif self._cited and block.level <= self._cited:
                self._cited = 0
            return "heading"
        return "entry" if self._cited and block.kind in ("text", "item", "row", "head") else block.kind

    def _statements_of(self, block: Block, kind: PassageKind, at: int) -> Iterator[PlacedStatement]:
        if kind in ("row", "head"):
            self._above = [(depth, lead) for depth, lead in self._above if depth < 2]
        under = tuple(lead for _, lead in self._above)
        whole = (0, len(block.text))
        if kind == "head" or not any(c.isalnum() for c in block.text):
            return
        if kind == "heading":
            yield from self._heading_statements(block, at)
        elif kind == "entry":
            yield _place_statement(block, whole, at, block.text, under, remark=ENTRY)
        elif _LEADER.search(block.text[-300:]) or (self._contents and block.text.rstrip()[-1] not in ".!?"):
            yield _place_statement(block, whole, at, block.text, under, remark=CONTENTS)
        elif block.text.startswith("\u00a9"):
            yield _place_statement(block, whole, at, block.text, under, remark=COPYRIGHT)
        elif kind == "row":
            text = "; ".join(f"{name}: {cell}" if name else cell for name, cell in _label_cells(block) if cell)
            yield _place_statement(block, whole, at, text, under)
        else:
            yield from self._sentences_of(block, kind, at)

    def _heading_statements(self, block: Block, at: int) -> Iterator[PlacedStatement]:
        """Yield a heading, which names what follows, or says something itself: "Revenue rose by 12%."."""
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
        if kind == "note":  # it stands at the end of a page, or of all
            number = _NOTE_NUMBER.match(block.text)
            first = number.end() if number else 0
            for start, end in _whole(block.text[first:]):
                span = (first + start, first + end)
                yield _place_statement(block, span, at, _strip_marks(block.text[slice(*span)]), ())
            return
        item = kind == "item"
        bullet = _BULLET.match(block.text) if item else None
        begin = bullet.end() if bullet else 0
        depth = 2 + block.level if item else 1
        self._above = [(d, lead) for d, lead in self._above if d < depth]
        under = tuple(lead for _, lead in self._above if item or lead != self._title)
        text = block.text[begin:]
        leads = False
        for start, end in _whole(text):
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


def _whole(text: str) -> list[tuple[int, int]]:
    """Return the spans of sentences; a piece without a word ("Q4.") belongs to the sentence before it.

    The mark of a footnote that stands after the end of a sentence ("rose.2 Then") is a part of it.
    """
    spans: list[tuple[int, int]] = []
    for start, end in sentence_spans(_MARK.sub(lambda found: ")" * len(found[0]), text)):
        lone = bool(spans) and not _WORD.search(text, start, end)
        spans.append((spans.pop()[0] if lone else start, end))
    return spans


def _strip_marks(text: str) -> str:
    """Return a sentence without the marks of footnotes."""
    plain = without_note_marks(text)
    return _MARK.sub("", text if plain == text else " ".join(plain.split()))


def _label_cells(block: Block) -> Iterator[tuple[str, str]]:
    """Yield the cells of a row, each after the name of its column."""
    for number, cell in enumerate(block.cells):
        yield (block.head[number] if number < len(block.head) else ""), cell


def build_manuscript(name: str, form: Form, blocks: Iterable[Block], notes: Iterable[str] = ()) -> Manuscript:
    """Build the manuscript of some blocks; those after the last statement that can be checked are left out."""
    composer = _Composer()
    for block in blocks:
        if block.text.strip():
            composer.take(block)
        if len(composer.statements) > MOST_STATEMENTS:
            break
    text = "\n".join(composer.texts)
    return Manuscript(name, form, text, composer.passages, composer.statements, tuple(notes))
