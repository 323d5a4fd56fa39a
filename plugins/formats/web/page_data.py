"""A page as the script in the browser reports it: blocks, words and cells with their places, checked before use.

All places are CSS pixels from the top left of the document, (x0, y0, x1, y1).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, get_args

from indexing import Kind, raised

Place = tuple[float, float, float, float]
_FARTHEST = 1e8


@dataclass(frozen=True, slots=True)
class WebWord:
    """A word, or the part of it on one line: its text, its place, what stands before it in the source.

    `before` is "" where it goes on right behind the word before; `link` the number of its link, -1 without; `number` is
    how the browser knows it.
    """

    text: str
    place: Place
    before: str
    link: int
    number: int

    def on(self, top: int, bottom: int) -> bool:
        """Return True if its middle stands between `top` and `bottom`."""
        return top <= (self.place[1] + self.place[3]) / 2 < bottom


@dataclass(frozen=True, slots=True)
class WebCell:
    """A cell of a table: its place in the grid, from 0, its place on the page, its words."""

    row: int
    col: int
    row_span: int
    col_span: int
    header: bool
    place: Place
    words: tuple[WebWord, ...]


@dataclass(frozen=True, slots=True)
class WebBlock:
    """A paragraph, heading, list item, caption, table or picture, in the order of the source.

    `figure` numbers what belongs together: a picture or table and its caption; -1 for what stands alone.
    """

    kind: Kind
    level: int
    code: bool
    figure: int
    place: Place
    words: tuple[WebWord, ...] = ()
    cells: tuple[WebCell, ...] = ()

    @property
    def all_words(self) -> tuple[WebWord, ...]:
        """The words, of a table those of its cells."""
        return self.words or tuple(word for cell in self.cells for word in cell.words)


@dataclass(frozen=True, slots=True)
class WebPage:
    """A page: its size, its blocks, the addresses that it links to, what it states of itself, what was left out.

    `hidden` are words that nobody sees, `missing` the pictures that are not there, `outside` the frames and plug-ins,
    which are never read; `cut` is True where the page has more than is read of one.
    """

    width: float
    height: float
    blocks: tuple[WebBlock, ...]
    links: tuple[str, ...]
    hidden: int
    missing: int
    outside: int
    cut: bool
    about: dict[str, str] = field(default_factory=dict)


def page_data(reported: dict[str, Any], outside: int) -> WebPage:
    """Return what the script reported, with everything that is no number or no place left out."""
    about = {key: " ".join(clean(reported.get(key)).split()) for key in ("title", "language", "url", "date", "author")}
    return WebPage(
        _length(reported["width"]), _length(reported["height"]),
        tuple(block for one in reported["blocks"] if (block := _block(one)) is not None),
        tuple(map(clean, reported["links"])), int(reported["hidden"]), int(reported["missing"]), outside,
        bool(reported["cut"]), about,
    )  # fmt: skip


def clean(text: object) -> str:
    """Return a text without control characters (line ends and tabs stay) and without halves of characters."""
    return "".join(
        c for c in str(text or "") if (c >= " " or c in "\n\t") and not "\ud800" <= c <= "\udfff" and c != "\x7f"
    )


def around(places: Sequence[Place]) -> Place | None:
    """Return the smallest place around all of them, None around none."""
    if not places:
        return None
    left, top, right, bottom = zip(*places, strict=True)
    return min(left), min(top), max(right), max(bottom)


def _block(reported: dict[str, Any]) -> WebBlock | None:
    kind = reported["kind"]
    cells = tuple(cell for one in reported["cells"] if (cell := _cell(one)) is not None)
    words = _words(reported["words"])
    place = (
        _place(reported["box"]) if kind == "picture" else around([*(w.place for w in words), *(c.place for c in cells)])
    )
    if place is None or kind not in get_args(Kind):
        return None
    return WebBlock(kind, int(reported["level"]), bool(reported["code"]), int(reported["figure"]), place, words, cells)


def _cell(reported: dict[str, Any]) -> WebCell | None:
    place, words = _place(reported["box"]), _words(reported["words"])
    if place is None or not words:
        return None
    row, col, row_span, col_span = (int(reported[key]) for key in ("row", "col", "row_span", "col_span"))
    return WebCell(row, col, row_span, col_span, bool(reported["header"]), place, words)


def _words(reported: list[list[Any]]) -> tuple[WebWord, ...]:
    words: list[WebWord] = []
    for text, x0, y0, x1, y1, before, link, number, above in reported:
        place, shown = _place([x0, y0, x1, y1]), clean(text).replace("\n", "").replace("\t", "")
        if above:
            shown = raised(shown, words[-1].text if words and not before else "")
        if place is not None and shown:
            words.append(WebWord(shown, place, clean(before), int(link), int(number)))
    return tuple(words)


def _place(reported: list[Any]) -> Place | None:
    x0, y0, x1, y1 = map(_length, reported)
    return (x0, y0, x1, y1) if x0 < x1 and y0 < y1 else None


def _length(value: object) -> float:
    number = float(value) if isinstance(value, int | float) else math.nan
    return number if abs(number) < _FARTHEST else 0.0
