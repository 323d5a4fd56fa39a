"""Plain text and CSV -> blocks with their source lines; the bytes are decoded by the encoding they look most like."""

from __future__ import annotations

import codecs
import contextlib
import csv
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from indexing import DamagedFile, IndexingSettings, Metadata, NoPages, TooLarge, UnsupportedFile
from indexing.conversion import Attachment, Rendition
from plugins.formats.typesetting import SourceBlock, typeset

MAX_TEXT_MB = 64
"""The most megabytes of a text; more would be tens of thousands of pages."""
SAMPLE = 65_536
"""The bytes by which an encoding is guessed."""
FEW = 24
"""The bytes beyond ASCII below which a guess is no better than the commonest encoding."""
MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def read_text(path: Path) -> str:
    """Return the text of a file. Raises TooLarge, and UnsupportedFile where it is no text."""
    size = path.stat().st_size
    if size > MAX_TEXT_MB * 1024 * 1024:
        raise TooLarge(f"{path.name}: {size // 1024 // 1024} MB of text, the limit is {MAX_TEXT_MB} MB: split it")
    data = path.read_bytes()
    text = decode(data)
    if "\0" in text:
        raise UnsupportedFile(f"{path.name}: it contains zero bytes, so it is not text: save it as UTF-8 text")
    return text


def decode(data: bytes, charset: str = "") -> str:
    """Decode bytes by their byte order mark, in `charset`, as UTF-8, or in the likeliest encoding. Never raises."""
    for mark, name in MARKS:
        if data.startswith(mark):
            return data.decode(name, "replace")
    for name in (charset, "utf-8"):
        with contextlib.suppress(LookupError, ValueError):
            return data.decode(name)
    return data.decode(_guess_encoding(data), "replace")


def _guess_encoding(data: bytes) -> str:
    """Return the likeliest encoding of bytes, by those around the first one that is not ASCII."""
    from charset_normalizer import from_bytes

    if sum(byte > 127 for byte in data[:SAMPLE]) < FEW:
        return "cp1252"
    first = next((at for at, byte in enumerate(data) if byte > 127), 0)
    start = max(0, first - SAMPLE // 4)
    best = from_bytes(data[start : start + SAMPLE]).best()
    return best.encoding if best is not None else "latin-1"


MAX_CELLS = 1_000_000
DELIMITERS = ",;\t|"
SAMPLE_LINES = 30


def csv_rendition(path: Path, settings: IndexingSettings) -> Rendition:
    """Lay out a file of comma or tab separated values as a table. Raises FileError."""
    text = read_text(path)
    delimiter = "\t" if path.suffix.lower() == ".tsv" else _delimiter(text)
    rows = tuple(_rows(path, text, delimiter))
    while rows and not any(rows[-1]):
        rows = rows[:-1]
    if not rows:
        raise NoPages(f"{path.name}: no row has a value: check that the file has content")
    headers = int(len(rows) > 1 and _is_header(rows[0], rows[1]))
    place = f"rows {1 + headers}-{len(rows)}" if len(rows) > 1 + headers else f"row {len(rows)}"
    return lay_out(path, [SourceBlock("table", place=place, rows=rows, header_rows=headers)], settings)


def _rows(path: Path, text: str, delimiter: str) -> Iterator[tuple[str, ...]]:
    csv.field_size_limit(MAX_TEXT_MB * 1024 * 1024)
    cells = 0
    try:
        for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter):
            cells += len(row)
            if cells > MAX_CELLS:
                raise TooLarge(f"{path.name}: more than {MAX_CELLS:,} cells, which is the limit: split the file")
            yield tuple(row)
    except csv.Error as error:
        raise DamagedFile(f"{path.name}: not a file of separated values ({error}): save it again as CSV") from None


def _delimiter(text: str) -> str:
    """Return the delimiter that splits most of the first lines into equally many cells, and into the most."""
    lines = [line for line in text[:100_000].splitlines() if line.strip()][:SAMPLE_LINES]

    def rank(sign: str) -> tuple[int, int]:
        counts = [len(row) for row in csv.reader(lines, delimiter=sign)]
        most = max(set(counts), key=counts.count)
        return (counts.count(most) if most > 1 else 0, most)

    return max(DELIMITERS, key=rank) if lines else ","


def _is_header(first: tuple[str, ...], second: tuple[str, ...]) -> bool:
    """Return True if the first row names columns: no cell is empty or a number."""
    return all(cell.strip() and not _is_number(cell) for cell in first) and len(first) >= len(second) - 1


def _is_number(cell: str) -> bool:
    try:
        float(cell.strip().replace(",", "").rstrip("%") or "x")
    except ValueError:
        return False
    return True


MOST_LINES = 30
"""The most lines of a block, so that a citation names few lines."""
LEAST_WRAPPED = 45
"""The least length of a line whose end is taken for wrapping at the margin, not for an intended break."""
_ITEM = re.compile(r"(?P<indent>[ \t]*)(?:[-*+•‣◦–]|\d{1,3}[.)])[ \t]+\S")
_BULLET = re.compile(r"^[-*+•‣◦–][ \t]+")
UNDERLINES = "=-~^\"'`#*+.:_"
_COLUMNS = re.compile(r"\S(?:\t| {3,})\S|[|\u2500-\u257f]")


class NumberedLine(NamedTuple):
    """A line of a file and its number, from 1."""

    number: int
    text: str


def text_rendition(path: Path, settings: IndexingSettings) -> Rendition:
    """Lay out a file of plain text. Raises FileError."""
    text = read_text(path)
    blocks = list(log_blocks(text) if path.suffix.lower() == ".log" else paragraph_blocks(text))
    title = next((block.text for block in blocks if block.kind == "heading"), "")
    return lay_out(path, blocks, settings, title)


def lay_out(
    path: Path,
    blocks: Sequence[SourceBlock],
    settings: IndexingSettings,
    title: str = "",
    metadata: Metadata | None = None,
    notes: Sequence[str] = (),
    attachments: Sequence[Attachment] = (),
) -> Rendition:
    """Typeset the blocks of a file; return the pages with its metadata. Raises TooLarge, NoPages."""
    try:
        pages = typeset(blocks, title, settings)
    except (TooLarge, NoPages) as error:
        raise type(error)(f"{path.name}: {error}") from None
    return replace(pages, metadata=metadata or Metadata(), notes=(*notes, *pages.notes), attachments=tuple(attachments))


def paragraph_blocks(text: str, of: str = "") -> Iterator[SourceBlock]:
    """Yield the blocks of a plain text. Their places are lines, after `of` where it is given: "message, lines 3-7"."""
    levels: list[str] = []
    for lines in _groups(text):
        body = 0
        if len(lines) > 1 and _is_underlined(lines[0].text.strip(), lines[1].text.strip()):
            mark, body = lines[1].text.strip()[0], 2
            if mark not in levels:
                levels.append(mark)
            place = line_place(lines[0].number, lines[0].number, of)
            yield SourceBlock("heading", lines[0].text.strip(), levels.index(mark) + 1, place)
        starts = [at for at in range(body, len(lines)) if at == body or _ITEM.match(lines[at].text)]
        for start, end in pairwise((*starts, len(lines))):
            for first in range(start, end, MOST_LINES):
                yield _block(lines[first : min(first + MOST_LINES, end)], of)


def log_blocks(text: str, of: str = "") -> Iterator[SourceBlock]:
    """Yield blocks of at most MOST_LINES lines, which keep their breaks and spaces."""
    for group in _groups(text):
        for first in range(0, len(group), MOST_LINES):
            yield _literal_block(group[first : first + MOST_LINES], of)


def _literal_block(lines: Sequence[NumberedLine], of: str) -> SourceBlock:
    """Return lines as a block that keeps their breaks and spaces."""
    place = line_place(lines[0].number, lines[-1].number, of)
    return SourceBlock("text", "\n".join(line.text for line in lines), code=True, place=place)


def line_place(first: int, last: int, of: str = "") -> str:
    """Return the place of the lines from `first` to `last`, from 1, after `of` where it is given."""
    lines = f"line {first}" if first >= last else f"lines {first}-{last}"
    return f"{of}, {lines}" if of else lines


def _groups(text: str) -> Iterator[list[NumberedLine]]:
    """Yield runs of lines between empty lines. Form feeds end no line, as editors do not count them either."""
    group: list[NumberedLine] = []
    for number, line in enumerate(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), 1):
        if line.strip():
            group.append(NumberedLine(number, line.rstrip()))
        elif group:
            yield group
            group = []
    if group:
        yield group


def _is_underlined(title: str, under: str) -> bool:
    return (
        len(title) <= 120
        and 3 <= len(under) <= 200
        and under[0] in UNDERLINES
        and under == under[0] * len(under)
        and 2 * len(under) >= len(title)
        and title[:1].isalnum()
    )


def _block(lines: Sequence[NumberedLine], of: str) -> SourceBlock:
    """Return a paragraph, an item of a list, or columns, which keep their spaces."""
    place = line_place(lines[0].number, lines[-1].number, of)
    item = _ITEM.match(lines[0].text)
    if item is not None:
        text = " ".join(line.text.strip() for line in lines)
        return SourceBlock("list", _BULLET.sub("", text, count=1), len(item["indent"].expandtabs(4)) // 2, place)
    if sum(_COLUMNS.search(line.text.strip()[:1000]) is not None for line in lines) * 2 > len(lines) > 1:
        return _literal_block(lines, of)
    lengths = [len(line.text) for line in lines[:-1]]
    wrapped = not lengths or sum(length >= LEAST_WRAPPED for length in lengths) * 2 > len(lengths)
    return SourceBlock("text", (" " if wrapped else "\n").join(line.text.strip() for line in lines), place=place)
