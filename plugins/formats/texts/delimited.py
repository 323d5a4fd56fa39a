"""CSV and TSV -> a table, whose rows keep their numbers in the file; a formula is text like any other."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path

from indexing import DamagedFile, IndexingSettings, NoPages, TooLarge
from indexing.conversion import Rendition
from plugins.formats.texts.decoding import MAX_TEXT_MB, read_text
from plugins.formats.texts.paragraphs import lay_out
from plugins.formats.typesetting import SourceBlock

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
