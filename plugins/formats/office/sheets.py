"""Spreadsheets: laid out by us, so that every cell has its address; only XLS goes through LibreOffice first."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from indexing import IndexingSettings, NoPages
from indexing.conversion import Rendition
from plugins.formats.office.grid import Workbook, sheet_blocks
from plugins.formats.office.libreoffice import OfficeTarget, converted
from plugins.formats.office.ods import read_ods
from plugins.formats.office.packages import OfficePackage, check_ole
from plugins.formats.office.properties import OfficeProperties, properties
from plugins.formats.office.xlsx import read_xlsx

_ODS = OfficeTarget("ods", "calc8", "calc")
_NAMED = 10


def spreadsheet_rendition(path: Path, settings: IndexingSettings) -> Rendition:
    """Lay a spreadsheet out: each sheet a heading with its name, then its tables. Raises the FileError that fits."""
    from plugins.formats.typesetting import typeset

    book, told = read_workbook(path, settings)
    blocks = [block for grid in book.sheets if grid.rows for block in sheet_blocks(grid)]
    if not blocks:
        raise NoPages(f"{path.name}: it has no visible cell with content: show its hidden sheets, or leave it out")
    made = typeset(blocks, told.title or path.stem, settings)
    return Rendition(
        made.pdf, made.pages, told.title, told.metadata, tuple(workbook_notes(path.name, book)) + made.notes
    )


def read_workbook(path: Path, settings: IndexingSettings) -> tuple[Workbook, OfficeProperties]:
    """Return the sheets of a file, and its properties."""
    if path.suffix.lower() == ".xls":
        check_ole(path)
        with tempfile.TemporaryDirectory() as folder:
            newer = Path(folder) / f"{path.stem[:40]}.ods"
            newer.write_bytes(converted(path, _ODS, settings))
            return _opened(newer, settings)
    return _opened(path, settings)


def _opened(path: Path, settings: IndexingSettings) -> tuple[Workbook, OfficeProperties]:
    with OfficePackage(path, settings) as package:
        book = read_ods(package) if "content.xml" in package else read_xlsx(package)
        return book, properties(package)


def workbook_notes(name: str, book: Workbook) -> Iterator[str]:
    """Yield what a workbook has and its pages do not show, a sentence each."""
    if book.hidden:
        named = ", ".join(book.hidden[:_NAMED]) + (", ..." if len(book.hidden) > _NAMED else "")
        yield f"{name}: {_counted(len(book.hidden), 'hidden sheet')} left out: {named}."
    for grid in book.sheets:
        parts = [(grid.hidden_rows, "hidden row"), (grid.hidden_columns, "hidden column")]
        told = " and ".join(_counted(n, what) for n, what in parts if n)
        if told:
            yield f"{name}: {told} of sheet {grid.name} left out."
    if book.others:
        yield f"{name}: {_counted(book.others, 'sheet')} of another kind (such as a chart) left out."
    if book.formulas_without_value:
        yield (
            f"{name}: {_counted(book.formulas_without_value, 'formula')} without a stored result left out: "
            "open the file in an office program and save it again."
        )


def _counted(n: int, what: str) -> str:
    return f"{n:,} {what}{'' if n == 1 else 's'}"
