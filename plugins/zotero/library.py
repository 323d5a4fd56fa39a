"""A Zotero data folder -> its files with their records, and what is unread.

A path in a library is only followed into the folders where such files may be.
"""

from __future__ import annotations

import json
import re
from argparse import Namespace
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path, PurePosixPath, PureWindowsPath

from indexing import (
    FileError,
    FileMissing,
    LibraryUnreadable,
    Metadata,
    NotReadable,
    SourceFiles,
    TooLarge,
    UnreadFile,
)
from plugins.zotero.database import AttachmentRow, attachments, read_steadily
from plugins.zotero.records import READ_SUFFIXES, LibraryEntry, authors_of, iso_date, language_code

MOST_CHARS = 400_000_000
"""The characters of all records of a library together."""
_LINKED = 2
"""Zotero's link mode of a file that lies elsewhere than in its storage."""
_STORED, _RELATIVE = "storage:", "attachments:"
_KEY = re.compile(r"[A-Za-z0-9]{1,32}")
_NamedFile = tuple[str, Callable[[], Path], LibraryEntry]
"""The path of a file as the library has it, a function that returns its checked path, and its entry."""


def library_files(args: Namespace) -> SourceFiles | None:
    """Return the files of the library that the options name, None without one. Raises LibraryUnreadable."""
    base = Path(args.zotero_base) if args.zotero_base else None
    if not args.zotero:
        if base:
            raise LibraryUnreadable(f"--zotero-base {base}: goes with a library: name that with --zotero PATH")
        return None
    if base and not base.is_dir():
        raise LibraryUnreadable(f"--zotero-base {base}: is not a folder: give the one in Zotero's settings")
    return read_library(Path(args.zotero), base)


def read_library(path: Path, base: Path | None = None) -> SourceFiles:
    """Read a Zotero data folder (with zotero.sqlite and storage/), or its zotero.sqlite.

    `base` is the folder of linked files whose paths the library keeps relative to it. Nothing is written or locked.
    Raises LibraryUnreadable where nothing can be read, and TooLarge for a library over the limits.
    """
    try:
        is_folder, is_file = path.is_dir(), path.is_file()
    except (OSError, ValueError) as error:
        raise LibraryUnreadable(f"{path}: cannot be accessed ({error}): check the name") from None
    database = path / "zotero.sqlite" if is_folder else path
    if is_folder and not database.is_file():
        raise LibraryUnreadable(f"{path}: it contains no zotero.sqlite: give the folder in which Zotero keeps its data")
    if not is_folder and not is_file:
        raise LibraryUnreadable(f"{path}: no such file or folder: check the spelling")
    if database.suffix.lower() != ".sqlite":
        raise LibraryUnreadable(f"{path}: give the folder in which Zotero keeps its data, with zotero.sqlite in it")
    rows = read_steadily(database, attachments)
    if not rows:
        raise LibraryUnreadable(f"{database}: nothing in it has an attached file: add PDFs in Zotero first")
    return _source_files([_attachment(row, database.parent / "storage", base) for row in rows])


def _attachment(row: AttachmentRow, storage: Path, base: Path | None) -> _NamedFile:
    """Return a file's name, the function that finds it by its kind of link, and its entry."""
    if row.path.startswith(_STORED):
        name = row.path.removeprefix(_STORED)
        return name, partial(_stored_file, storage, row.key, name), row.entry
    if row.path.startswith(_RELATIVE) and row.mode == _LINKED:
        name = row.path.removeprefix(_RELATIVE)
        return name, partial(_relative_file, base, name), row.entry
    return row.path, partial(_linked_file, row.path), row.entry


def _source_files(named_files: Iterable[_NamedFile]) -> SourceFiles:
    """Return the existing files; a file of several entries gets the record of the first, and all tags."""
    files: dict[Path, LibraryEntry] = {}
    unread_files: list[UnreadFile] = []
    others = chars = 0
    for name, locate, entry in named_files:
        if PurePosixPath(name).suffix.lower() not in READ_SUFFIXES:
            others += 1
            continue
        chars += len(json.dumps(entry.record, ensure_ascii=False))
        if chars > MOST_CHARS:
            raise TooLarge("the records exceed the limit: copy a part of the library to another and index that")
        try:
            path = locate()
        except FileError as error:
            unread_files.append(UnreadFile(Path(name.replace("\0", "")), error))
            continue
        files[path] = files[path].join(entry) if path in files else entry
    count = "1 attachment is" if others == 1 else f"{others:,} attachments are"
    notes = (f"{count} not a PDF or EPUB (such as web snapshots): left out",) if others else ()
    return SourceFiles({path: metadata_of(entry) for path, entry in files.items()}, tuple(unread_files), notes)


def metadata_of(entry: LibraryEntry) -> Metadata:
    """Return the metadata of an entry. Its collections are tags too; the first of them is its folder."""
    return Metadata(
        date=iso_date(entry.record.get("issued", {})),
        author=authors_of(entry.record),
        language=language_code(entry.record.get("language")),
        folder=entry.collections[0] if entry.collections else "",
        tags=tuple(dict.fromkeys((*entry.tags, *entry.collections))),
        record=json.dumps(entry.record, ensure_ascii=False, sort_keys=True) if entry.record else "",
    )


def _stored_file(storage: Path, key: str, name: str) -> Path:
    """Return the file `name` that Zotero keeps under a key. Raises NotReadable, FileMissing.

    A name that leads out of the folder of the key, as by `..` or a link, is refused.
    """
    if not _KEY.fullmatch(key) or name in ("", ".", "..") or {"/", "\\", "\0"} & set(name):
        raise NotReadable(f"{name}: points outside the folder of its library: attach the file again in Zotero")
    return _file_in(storage / key / name, storage, "not on this machine: open it once in Zotero, which downloads it")


def _relative_file(base: Path | None, path: str) -> Path:
    """Return the file at a path below a folder. Raises NotReadable for one that leads out of it, FileMissing."""
    if base is None:
        raise FileMissing(f"{path}: linked relative to a base folder: give that folder with --zotero-base")
    below = PurePosixPath(path)
    if "\0" in path or below.is_absolute() or ".." in below.parts or not below.parts:
        raise NotReadable(f"{path}: points outside {base}: link the file again, below that folder")
    return _file_in(base / below, base, "no such file: check that the whole library was copied")


def _linked_file(path: str) -> Path:
    """Return the file at an absolute path. Raises NotReadable for a path with `..`, FileMissing."""
    absolute = PurePosixPath(path)
    if PureWindowsPath(path).drive and not absolute.is_absolute():
        raise FileMissing(
            f"{path}: a path from another operating system: index on the machine where this library is used"
        )
    if "\0" in path or not absolute.is_absolute() or ".." in absolute.parts:
        raise NotReadable(f"{path}: not an absolute path: link the file again in Zotero")
    return _existing(Path(path), "no such file: restore the linked file, or link it again in Zotero")


def _file_in(file: Path, folder: Path, absent: str) -> Path:
    """Return a file that exists and is in a folder after its links are followed. Raises FileError."""
    path = _existing(file, absent)
    try:
        inside = file.resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError) as error:
        raise NotReadable(f"{file}: cannot be accessed ({error}): check the folder") from None
    if not inside:
        raise NotReadable(f"{file}: a link to outside {folder}: index its target directly")
    return path


def _existing(file: Path, absent: str) -> Path:
    try:
        exists = file.is_file()
    except (OSError, ValueError) as error:
        raise NotReadable(f"{file}: cannot be accessed ({error}): check the name") from None
    if not exists:
        raise FileMissing(f"{file}: {absent}")
    return file.absolute()
