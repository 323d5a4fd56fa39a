"""Convert files without pages of their own to a PDF and the elements on it, by the formats that plugins add.

`Rendition.pages` has the elements whose places are known from the source (a paragraph of a web page, a row of a sheet);
where it is None, the PDF is parsed like any other.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from indexing.errors import UnsupportedFile
from indexing.metadata import Metadata
from indexing.settings import IndexingSettings
from indexing.types import BBox, Cell, Element, Page, ParsedPage, Words
from vouch.hooks import FileFormat, Target, additions, load


def converted_formats() -> dict[str, FileFormat]:
    """Return the formats that plugins convert, by extension; if two plugins have one, that of the first plugin."""
    return {file_format.suffix: file_format for file_format in reversed(additions("formats"))}


def convert(path: Path, settings: IndexingSettings) -> Rendition:
    """Convert a file whose extension is in `converted_formats`. Raises a FileError if it cannot be read."""
    suffix = path.suffix.lower()
    rendition: Rendition = _load_target(converted_formats()[suffix].converter, path.name)(path, settings)
    return rendition


def _load_target(target: Target, name: str) -> Any:
    """Import the object that a plugin's target names. Raises UnsupportedFile where it cannot be imported."""
    try:
        return load(target)
    except (ImportError, AttributeError) as error:
        raise UnsupportedFile(
            f"{name}: the plugin that reads it cannot be loaded ({target}: {error}): reinstall the plugin"
        ) from None


_LINES = re.compile(r"(?:(?P<of>.*), )?(?P<unit>lines?|rows?) (?P<first>\d+)(?:-(?P<last>\d+))?")
_ADDRESS = re.compile(r"\$?([A-Z]{1,3})\$?([1-9]\d{0,6})")
_RANGE = re.compile(r"([A-Z]{1,3})([1-9]\d{0,6})(?::([A-Z]{1,3})([1-9]\d{0,6}))?")
_SEVERAL = " and "
MOST_NUMBERS = 100_000
"""The most rows of a range that are counted."""
_CELLS = re.compile(r"(?P<of>.*), (?P<cells>[A-Z]{1,3}[1-9]\d{0,6}(?::[A-Z]{1,3}[1-9]\d{0,6})?)")


def lines_place(place: str, total: int, first: int, count: int) -> str:
    """Return the place of `count` lines from line `first` (from 0) of the block at `place`, which has `total` lines.

    Returns `place` itself if it does not name as many lines or rows.
    """
    match = _LINES.fullmatch(place)
    if match is None:
        return place
    start, end = int(match["first"]), int(match["last"] or match["first"])
    if end - start + 1 != total or count == total:
        return place
    return _place_text(match["of"], match["unit"].rstrip("s"), start + first, start + first + count - 1)


def range_place(place: str, first: str, last: str) -> str:
    """Return the place of the cells `first` to `last`, such as "A7", of the table at `place`: "Sheet 2, A7:C9"."""
    match = _CELLS.fullmatch(place)
    of = match["of"] if match else (place if not _ADDRESS.match(place) else "")
    cells = first if first == last else f"{first}:{last}"
    return f"{of}, {cells}" if of else cells


def cell_place(element: Element, cell: Cell) -> str:
    """Return the place of a cell of a table in its source: "Sheet 2, B7", "row 7", or that of the whole table.

    The rows of a table are taken to follow each other in the source, but for those that its place leaves out ("A1:B2
    and A9:B9"). Header rows that are repeated on a further page of the table have the place of the table.
    """
    header_rows = 1 + max((one.row for one in element.cells if one.header), default=-1)
    match = _LINES.fullmatch(element.place)
    if match is not None and match["unit"].startswith("row"):
        row = int(match["first"]) + cell.row - header_rows
        return element.place if cell.header else _place_text(match["of"], "row", row, row)
    if _SEVERAL in element.place:
        return _cell_in_ranges(element, cell, header_rows)
    match = _CELLS.fullmatch(element.place) or re.fullmatch("(?P<of>)(?P<cells>[A-Z]{1,3}[1-9].*)", element.place)
    first = _ADDRESS.match(match["cells"]) if match else None
    if match is None or first is None:
        return element.place
    last = _ADDRESS.fullmatch(match["cells"].rpartition(":")[2])
    row_count = 1 + max(one.row for one in element.cells)
    repeated_rows = header_rows if last and int(last[2]) - int(first[2]) + 1 == row_count - header_rows else 0
    if cell.row < repeated_rows:
        return element.place
    address = f"{_column_letters(_column_number(first[1]) + cell.col)}{int(first[2]) + cell.row - repeated_rows}"
    return f"{match['of']}, {address}" if match["of"] else address


def _cell_in_ranges(element: Element, cell: Cell, header_rows: int) -> str:
    """Return the place of a cell of a table whose place names several ranges, as rows or columns are left out.

    Each range is a run of rows with a run of columns. Returns the place of the table if its cells do not fit them.
    """
    first, *others = element.place.split(_SEVERAL)
    cell_match = _CELLS.fullmatch(first)
    ranges = [_RANGE.fullmatch(place) for place in (cell_match["cells"] if cell_match else first, *others)]
    rows, columns = set[int](), set[int]()
    for match in ranges:
        if match is None:
            return element.place
        rows.update(_bounded_range(int(match[2]), int(match[4] or match[2])))
        columns.update(_bounded_range(_column_number(match[1]), _column_number(match[3] or match[1])))
    row_count = 1 + max(one.row for one in element.cells)
    repeated_rows = header_rows if len(rows) == row_count - header_rows else 0
    row = cell.row - repeated_rows
    if len(rows) != row_count - repeated_rows or row < 0 or cell.col >= len(columns):
        return element.place
    address = f"{_column_letters(sorted(columns)[cell.col])}{sorted(rows)[row]}"
    return f"{cell_match['of']}, {address}" if cell_match else address


def _bounded_range(first: int, last: int) -> range:
    """Return the rows or columns `first` to `last`, cut at `MOST_NUMBERS`: a place can name any number of them."""
    return range(first, min(last, first + MOST_NUMBERS) + 1)


def joined_place(places: Iterable[str]) -> str:
    """Return one place for several, in order: "lines 3-9" for "lines 3-4" and "lines 5-9"; "" for none."""
    distinct = list(dict.fromkeys(place for place in places if place))
    if len(distinct) < 2:
        return distinct[0] if distinct else ""
    first, last = _LINES.fullmatch(distinct[0]), _LINES.fullmatch(distinct[-1])
    if first and last and (first["of"], first["unit"].rstrip("s")) == (last["of"], last["unit"].rstrip("s")):
        end = int(last["last"] or last["first"])
        if int(first["first"]) <= end:
            return _place_text(first["of"], first["unit"].rstrip("s"), int(first["first"]), end)
    return f"{distinct[0]} to {distinct[-1]}"


def cited_place(element: Element, boxes: Sequence[BBox]) -> str:
    """Return the place in the source of cited `boxes` (fractions of the page): of a table, the cells they lie on."""
    if not element.place or not element.cells:
        return element.place
    middles = [((box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2) for box in boxes]
    hit = [c for c in element.cells if not c.header and any(_contains(c.bbox, x, y) for x, y in middles)]
    if not hit:
        return element.place
    top, left = min(c.row for c in hit), min(c.col for c in hit)
    bottom, right = max(c.row for c in hit), max(c.col for c in hit)
    corners = [cell_place(element, c) for c in (_nearest_cell(hit, top, left), _nearest_cell(hit, bottom, right))]
    one, other = (_CELLS.fullmatch(corner) for corner in corners)
    if one and other and corners[0] != corners[1] and one["of"] == other["of"]:
        return f"{corners[0]}:{other['cells']}"
    return joined_place(corners)


def _nearest_cell(cells: Sequence[Cell], row: int, col: int) -> Cell:
    """Return the cell at a row and column, or the one nearest to them."""
    return min(cells, key=lambda c: (abs(c.row - row), abs(c.col - col)))


def _contains(box: BBox, x: float, y: float) -> bool:
    return box.x0 <= x <= box.x1 and box.y0 <= y <= box.y1


def _place_text(of: str | None, unit: str, first: int, last: int) -> str:
    span = f"{unit} {first}" if first == last else f"{unit}s {first}-{last}"
    return f"{of}, {span}" if of else span


def _column_number(letters: str) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - 64
    return number


def _column_letters(number: int) -> str:
    letters = ""
    while number:
        number, rest = divmod(number - 1, 26)
        letters = chr(65 + rest) + letters
    return letters


PAGES_SUFFIX = ".pages.pdf"
"""The end of the name of a rendition's PDF, where a collection keeps it beside the copy of its file."""


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file inside a file, which becomes a document of its own: its name (no path), and its bytes."""

    name: str
    content: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Rendition:
    """A file converted to pages.

    `pdf` has the pages as they look. `pages` are the same pages with their elements in reading order, without ids
    (`place_page` adds those) and groups; None where the pages of the PDF are to be parsed. `pages[n].hidden` counts
    words of the source that the page does not show. `notes` are complete sentences for the report of the run.
    """

    pdf: bytes = field(repr=False)
    pages: tuple[ParsedPage, ...] | None = None
    title: str = ""
    metadata: Metadata = field(default_factory=Metadata)
    notes: tuple[str, ...] = ()
    attachments: tuple[Attachment, ...] = ()


def elements_of(pdf: Path) -> Path:
    """Return the path of the file with the elements of a rendition's PDF, which exists where they are known."""
    return pdf.with_suffix(".jsonl")


def has_elements(pdf: Path | None) -> bool:
    """Return True if the elements of a rendition's PDF are known, so that it need not be parsed."""
    return pdf is not None and elements_of(pdf).is_file()


def write_pages(path: Path, pages: Sequence[ParsedPage]) -> None:
    """Write the pages of a rendition to `path`."""
    with path.open("w", encoding="utf-8") as file:
        for parsed_page in pages:
            page = parsed_page.page
            elements = [_element_record(element) for element in parsed_page.elements]
            record = {"size": [page.width, page.height], "hidden": parsed_page.hidden, "elements": elements}
            file.write(json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n")


def read_page_of(path: Path, number: int) -> ParsedPage:
    """Return page `number` (from 1) of a file that `write_pages` wrote. Raises IndexError if it has no such page."""
    with path.open(encoding="utf-8") as file:
        for at, line in enumerate(file, 1):
            if at == number:
                record = json.loads(line)
                width, height = record["size"]
                elements = tuple(_element(one, number) for one in record["elements"])
                return ParsedPage(Page("", number, width, height), elements, hidden=record["hidden"])
    raise IndexError(f"page {number} of a rendition in {path.name}")


def _element_record(element: Element) -> dict[str, Any]:
    words = element.words
    return {
        "kind": element.kind, "text": element.text, "bbox": element.bbox.as_tuple(), "source": element.source,
        "section": element.section, "caption": element.caption, "place": element.place,
        "words": [words.spans.tolist(), [[round(v, 6) for v in box] for box in words.boxes.tolist()],
                  words.lines.tolist()],
        "cells": [[[c.row, c.col, c.row_span, c.col_span, c.start, c.end], c.bbox.as_tuple(), c.header]
                  for c in element.cells],
    }  # fmt: skip


def _element(record: dict[str, Any], page: int) -> Element:
    spans, boxes, lines = record["words"]
    words = Words(
        np.array(spans, np.int32).reshape(-1, 2),
        np.array(boxes, np.float32).reshape(-1, 4),
        np.array(lines, np.int32),
    )
    cells = tuple(
        Cell(row, col, rows, cols, start, end, BBox(*box), header)
        for (row, col, rows, cols, start, end), box, header in record["cells"]
    )
    return Element(
        "", "", page, record["kind"], record["text"], BBox(*record["bbox"]), record["source"], tuple(record["section"]),
        record["caption"], words, cells, place=record["place"],
    )  # fmt: skip
