"""The blocks of a text, and the pieces that are drawn, each of which gets a box: words, and parts of long ones.

Control characters, and those that turn the direction of what follows, are left out: what is drawn is what is read.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

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


PIECE_CHARS = 24
"""The most characters of a piece. A line is broken between two of them, if it must."""
BREAK = "\u200b"
"""A place where a line may end, without a width."""
_JOINERS = re.compile("[\u200b-\u200d\ufe0e\ufe0f]")
"""Characters that change the drawing of their neighbours: they are drawn, and are no part of the text."""
_DROPPED = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f"
    "\ud800-\udfff\ufeff\ufff9-\ufffb\ufffe\uffff\U000e0000-\U000e007f]"
)
_ENTITY = re.compile("&(?=[#A-Za-z])")
"""MuPDF reads the names of characters once more where the markup is read already: they are split here."""
_LINE_END = re.compile("\r\n|[\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_WORD = re.compile(r"\S+")
_PART = re.compile("[^/\\-\u2010\u2013\u2014]+[/\\-\u2010\u2013\u2014]*|[/\\-\u2010\u2013\u2014]+")
"""A part of a word up to a stroke, after which a line may end."""
_WIDE = re.compile(
    "[\u3008\u300a\u300c\u300e\u3010\u3014\uff08]{0,3}"
    "[\u2e80-\u3007\u3012\u3013\u301c-\u30ff\u3100-\u312f\u3190-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff"
    "\uff66-\uff9d\U00020000-\U0003134f]"
    "[\u3001\u3002\u3009\u300b\u300d\u300f\u3011\u3015\u30fb\u30fc\uff01\uff09\uff0c\uff0e\uff1a\uff1b\uff1f]{0,3}"
)
"""A character of a script in which a line may end between any two, with the signs that belong to it."""
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")
"""The scripts without spaces whose words only a dictionary tells: Thai, Lao, Burmese, Khmer."""
_LEADING = re.compile("[\u0e40-\u0e44\u0ec0-\u0ec4]")
"""Vowels of Thai and Lao that are written before the consonant that they follow."""
_TRAILING = re.compile("[\u0e30\u0e32\u0e33\u0eb0\u0eb2\u0eb3]")
"""Vowels of Thai and Lao that are written behind their consonant, and are letters to Unicode."""
UNSPACED_CHARS = 8


class Piece(NamedTuple):
    """A piece: `text[start:end]` of its text, what is drawn for it, and the spaces or line end `before` it."""

    start: int
    end: int
    shown: str
    before: str


@dataclass(frozen=True, slots=True)
class PieceText:
    """A text as it is drawn: clean, with its pieces as they are read. `rtl` is True if it runs from the right."""

    text: str
    pieces: tuple[Piece, ...]
    rtl: bool = False


def clean_text(text: str) -> str:
    """Return a text in NFC, its line ends as newlines, without invisible characters."""
    return _DROPPED.sub("", _LINE_END.sub("\n", unicodedata.normalize("NFC", text)))


def plain_line(text: str) -> str:
    """Return a text clean, on one line."""
    return " ".join(_JOINERS.sub("", clean_text(text)).split())


def piece_text(source: str, code: bool = False, most: int = PIECE_CHARS) -> PieceText:
    """Cut a text into pieces of at most `most` characters.

    Where it is `code`, its spaces and line breaks are kept; else runs of spaces are one, and a line break is drawn and
    is a space in the text.
    """
    lines = clean_text(source).strip("\n").split("\n")
    pieces: list[Piece] = []
    parts: list[str] = []
    length = 0
    before = ""
    for line in lines:
        full_line = line.expandtabs(4).rstrip() if code else line
        at = 0
        for word in _WORD.finditer(full_line):
            if code:
                before += full_line[at : word.start()]
            at = word.end()
            if pieces or code:
                parts.append(before if code else " ")
                length += len(parts[-1])
            for part in _split_word(word.group(), most):
                visible = _JOINERS.sub("", part)
                pieces.append(Piece(length, length + len(visible), _ENTITY.sub("&" + BREAK, part), before))
                parts.append(visible)
                length += len(visible)
                before = ""
            before = "" if code else " "
        before = before + "\n" if code else ("\n" if pieces else "")
    return PieceText("".join(parts), tuple(pieces), _is_right_to_left(source))


def _is_right_to_left(text: str) -> bool:
    """Return True if the first letter of a text belongs to a script that runs from the right."""
    for char in text[:2000]:
        direction = unicodedata.bidirectional(char)
        if direction in ("L", "R", "AL"):
            return direction != "L"
    return False


def _split_word(word: str, most: int) -> Iterator[str]:
    """Yield the parts of a word between which a line may end, each of at most `most` characters."""
    if len(word) <= most and word.isascii() and "-" not in word and "/" not in word:
        yield word
        return
    for part in _PART.findall(word):
        at = 0
        for wide in _WIDE.finditer(part):
            yield from _split_long(part[at : wide.start()], most)
            yield wide.group()
            at = wide.end()
        yield from _split_long(part[at:], most)


def _split_long(part: str, most: int) -> Iterator[str]:
    """Cut a text into pieces of at most `most` characters, never between a character and its mark or vowel."""
    mark, most = "", min(most, UNSPACED_CHARS) if _UNSPACED.search(part) else most
    while len(part) > most:
        at = next((at for at in range(most, 1, -1) if not _is_bound(part, at)), most)
        yield mark + part[:at]
        part, mark = part[at:], BREAK
    if part:
        yield mark + part


def _is_bound(text: str, at: int) -> bool:
    """Return True if a text must not be cut before `text[at]`."""
    return (
        unicodedata.category(text[at]).startswith("M")
        or _JOINERS.search(text[at - 1 : at + 1]) is not None
        or _LEADING.match(text[at - 1]) is not None
        or _TRAILING.match(text[at]) is not None
    )
