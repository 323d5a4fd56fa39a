"""The values of a manuscript: its text in passages, its statements, and the place of each in the file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from indexing import BBox
from rag.attribution import AnswerStatement

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
    """Return no place: a text has no other than its characters."""
    return ()


@dataclass(frozen=True, slots=True)
class Link:
    """A link in a block: text[start:end] leads to `address`, or to a footnote that says `note`."""

    start: int
    end: int
    address: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, heading, item or row as a reader takes it out of a file.

    `level` is that of a heading (from 1), or how deep an item stands (from 0). A row has its `cells` and those of the
    `head` above it, and its text is the cells with bars between them.
    """

    kind: PassageKind
    text: str
    level: int = 0
    cells: tuple[str, ...] = ()
    head: tuple[str, ...] = ()
    links: tuple[Link, ...] = ()
    locate: Locate = _nowhere


@dataclass(frozen=True, slots=True)
class ManuscriptPassage:
    """A block in the text of a manuscript, text[start:end]; kind and level as `Block` has them."""

    kind: PassageKind
    start: int
    end: int
    level: int = 0


@dataclass(frozen=True, slots=True)
class PlacedStatement(AnswerStatement):
    """A statement of a manuscript: it stands at text[start:end] of it, and at `places` in its file.

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
    """A text that somebody wrote: `text` is what it says, in reading order, a line or more a passage.

    Of plain text and Markdown it is the source itself. `notes` say what a reader should know of how it was read.
    """

    name: str
    form: Form
    text: str
    passages: Sequence[ManuscriptPassage]
    statements: Sequence[PlacedStatement]
    notes: tuple[str, ...] = ()
