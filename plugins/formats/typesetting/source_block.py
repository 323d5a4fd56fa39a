"""The blocks that a text is made of before it is laid out on pages."""

from __future__ import annotations

from dataclasses import dataclass, field

from indexing import Kind
from indexing.conversion import lines_place, range_place


@dataclass(frozen=True, slots=True)
class SourceBlock:
    """A block of a source text to be laid out (`typeset`): its kind, its text, its place in the source.

    `level` is that of a heading, from 1, and the depth of a list item, from 0. `place` is how a citation names the
    place: "line 3", "lines 3-7". A table has `rows` of plain texts in place of a text, the first `header_rows` of them
    heads; `places` are those of its cells, row by row, such as "B7" (empty where cells have none). `code` keeps line
    breaks and spaces.
    """

    kind: Kind
    text: str = ""
    level: int = 0
    place: str = ""
    code: bool = False
    rows: tuple[tuple[str, ...], ...] = ()
    header_rows: int = 0
    places: tuple[tuple[str, ...], ...] = ()
    caption: str = ""
    image: bytes = field(default=b"", repr=False)

    def rows_place(self, first: int, count: int) -> str:
        """Return the place of `count` rows of a table, the first counted from 0: "Sheet 2, A7:C9", "rows 7-9"."""
        if self.places:
            places = [place for row in self.places[first : first + count] for place in row if place]
            if not places:
                return self.place
            return range_place(self.place, places[0].partition(":")[0], places[-1].rpartition(":")[2])
        body = len(self.rows) - self.header_rows
        at = max(0, first - self.header_rows)
        return lines_place(self.place, body, at, count - max(0, self.header_rows - first))
