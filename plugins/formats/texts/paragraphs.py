"""Plain text -> blocks: paragraphs, headings that are underlined, items of lists, and lines that keep their breaks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from indexing import IndexingSettings, Metadata, NoPages, TooLarge
from indexing.conversion import Attachment, Rendition
from plugins.formats.texts.decoding import read_text
from plugins.formats.typesetting import SourceBlock, typeset

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
