"""Lines: the lines of a document in reading order, whatever its format, with the geometry that tells entries apart."""

from __future__ import annotations

from dataclasses import dataclass, field

from indexing import BBox
from rag.attribution.cited import with_accents


@dataclass(frozen=True, slots=True)
class TextLine:
    """A line: its text, its page from 1 (0 where the format has none) and its column, counted through the document.

    `left`, `right`, `top` and `bottom` are points of the page, or of a page as wide as the text has characters; `size`
    is the size of most of its letters in points, `bold` says that most are. `raised` are the spans of its text that
    stand above the line. `new_block` says that the format itself starts a block here: a paragraph, an item of a list.
    """

    text: str
    page: int
    column: int
    left: float
    right: float
    top: float
    bottom: float
    size: float
    bold: bool = False
    box: BBox | None = None
    raised: tuple[tuple[int, int], ...] = ()
    new_block: bool = False
    label: str = field(default="", kw_only=True)
    """The mark that the format gives the line apart from its text: a key, or the number of a list item."""

    @property
    def height(self) -> float:
        """The height of the line in points."""
        return self.bottom - self.top


def plain_lines(text: str) -> list[TextLine]:
    """Return the lines of a plain text, indents and empty lines as geometry. Linear in the text."""
    found: list[TextLine] = []
    top, empty = 0.0, True
    for raw in with_accents(text).split("\n"):
        line = raw.expandtabs(4).rstrip()
        stripped = line.lstrip()
        if not stripped:
            top, empty = top + 12.0, True
            continue
        left = 5.0 * (len(line) - len(stripped))
        found.append(TextLine(stripped, 0, 0, left, left + 5.0 * len(stripped), top, top + 10.0, 10.0, new_block=empty))
        top, empty = top + 12.0, False
    return found


def block_lines(blocks: list[tuple[str, bool, str]]) -> list[TextLine]:
    """Return lines for (text, bold, label) of blocks that the format itself tells apart; breaks inside stay lines."""
    found: list[TextLine] = []
    top = 0.0
    for text, bold, label in blocks:
        top += 12.0
        for number, part in enumerate(filter(None, (" ".join(p.split()) for p in with_accents(text).split("\n")))):
            found.append(
                TextLine(part, 0, 0, 0.0, 5.0 * len(part), top, top + 10.0, 10.0, bold, new_block=not number,
                         label="" if number else label)
            )  # fmt: skip
            top += 12.0
    return found
