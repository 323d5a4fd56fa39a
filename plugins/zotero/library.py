"""A library at a path: a Zotero data folder or an export -> its files with their records, and what is unread."""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any

from indexing import FileError, FileMissing, LibraryUnreadable, SourceFiles, TooLarge, UnreadFile
from plugins.zotero.database import read_steadily
from plugins.zotero.exports import SUFFIXES, ExportedEntry, read_export
from plugins.zotero.items import LINKED, AttachmentRow, attachments
from plugins.zotero.paths import file_of, linked_file, relative_file, stored_file
from plugins.zotero.types import MOST_CHARS, READ_SUFFIXES, LibraryFile, ZoteroLibrary

_STORED, _RELATIVE = "storage:", "attachments:"
_Named = tuple[str, Callable[[], Path], AttachmentRow | ExportedEntry]
"""The path of a file as it is written, the way to the file, and what is known of it."""


def read_library(path: Path, base: Path | None = None) -> ZoteroLibrary:
    """Read a Zotero data folder (with zotero.sqlite and storage/), its zotero.sqlite, or an export with file paths.

    `base` is the folder of linked files whose paths the library keeps relative to it. Nothing is written or locked.
    Raises LibraryUnreadable where nothing can be read, and TooLarge for a library over the limits.
    """
    try:
        is_folder, is_file = path.is_dir(), path.is_file()
    except (OSError, ValueError) as error:
        raise LibraryUnreadable(f"{path}: cannot be accessed ({error}): check the name") from None
    if is_folder and (path / "zotero.sqlite").is_file():
        return _of_database(path / "zotero.sqlite", base)
    if is_file and path.suffix.lower() == ".sqlite":
        return _of_database(path, base)
    if is_file and path.suffix.lower() in SUFFIXES:
        return _of_export(path)
    if is_folder:
        raise LibraryUnreadable(f"{path}: it contains no zotero.sqlite: give the folder in which Zotero keeps its data")
    if is_file:
        raise LibraryUnreadable(f"{path}: give a Zotero data folder, or an export that ends in {', '.join(SUFFIXES)}")
    raise LibraryUnreadable(f"{path}: no such file or folder: check the spelling")


def _of_database(database: Path, base: Path | None) -> ZoteroLibrary:
    rows = read_steadily(database, attachments)
    if not rows:
        raise LibraryUnreadable(f"{database}: nothing in it has an attached file: add PDFs in Zotero first")
    storage = database.parent / "storage"
    return _gathered([_named_row(row, storage, base) for row in rows])


def _named_row(row: AttachmentRow, storage: Path, base: Path | None) -> _Named:
    if row.path.startswith(_STORED):
        name = row.path.removeprefix(_STORED)
        return name, lambda: stored_file(storage, row.key, name), row
    if row.path.startswith(_RELATIVE) and row.mode == LINKED:
        below = row.path.removeprefix(_RELATIVE)
        return below, lambda: _below(base, below), row
    return row.path, lambda: linked_file(row.path), row


def _below(base: Path | None, path: str) -> Path:
    if base is None:
        raise FileMissing(f"{path}: linked relative to a base folder: give that folder with --zotero-base")
    return relative_file(base, path)


def _of_export(path: Path) -> ZoteroLibrary:
    entries = read_export(path)
    folder = path.absolute().parent
    return _gathered([(said, _way(folder, said), entry) for entry in entries for said in entry.paths])


def _way(folder: Path, said: str) -> Callable[[], Path]:
    return lambda: file_of(folder, said)


def _gathered(named: Iterable[_Named]) -> ZoteroLibrary:
    """Return the files that are there; a file that several entries name has the record of the first, and all tags."""
    files: dict[Path, LibraryFile] = {}
    unread: list[UnreadFile] = []
    others = chars = 0
    for name, way, known in named:
        if PurePosixPath(name).suffix.lower() not in READ_SUFFIXES:
            others += 1
            continue
        chars += _size(known.record)
        if chars > MOST_CHARS:
            raise TooLarge("the records of the library exceed the limit: export a part of it and index that")
        try:
            path = way()
        except FileError as error:
            unread.append(UnreadFile(Path(name.replace("\0", "")), error))
            continue
        files[path] = _joined(files.get(path), LibraryFile(path, known.record, known.tags, known.collections))
    said = "1 attachment is" if others == 1 else f"{others:,} attachments are"
    notes = [f"{said} not a PDF or EPUB (such as web snapshots): left out"] if others else []
    return ZoteroLibrary(tuple(files.values()), tuple(unread), tuple(notes))


def _size(record: Any) -> int:
    return len(json.dumps(record, ensure_ascii=False))


def _joined(known: LibraryFile | None, file: LibraryFile) -> LibraryFile:
    if known is None:
        return file
    return replace(
        known,
        record=known.record or file.record,
        tags=tuple(dict.fromkeys((*known.tags, *file.tags))),
        collections=tuple(dict.fromkeys((*known.collections, *file.collections))),
    )


def named_files(args: Namespace) -> SourceFiles | None:
    """Return the files of the library that the options name, None where they name none. Raises LibraryUnreadable."""
    base = Path(args.zotero_base) if args.zotero_base else None
    if not args.zotero:
        if base:
            raise LibraryUnreadable(f"--zotero-base {base}: goes with a library: name that with --zotero PATH")
        return None
    if base and not base.is_dir():
        raise LibraryUnreadable(f"--zotero-base {base}: is not a folder: give the one in Zotero's settings")
    library = read_library(Path(args.zotero), base)
    return SourceFiles(library.records, library.unread, library.notes)
