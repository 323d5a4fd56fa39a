"""A Zotero data folder -> its files with their records: its database is opened for reading alone, nothing is locked.

Zotero holds its database under an exclusive lock while it runs, so an ordinary connection would wait in vain.
The file is opened as immutable, which asks for no lock. Where a transaction lies beside it (`-wal`, `-journal`), the
file and its transaction are copied, and the copy is read. The caller checks that the file did not change.

A path in a library is only followed into the folders where such files may be.
"""

from __future__ import annotations

import contextlib
import json
import re
import shutil
import sqlite3
import tempfile
import time
from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any, NamedTuple, TypeVar

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
from plugins.zotero.records import (
    MOST_FILES,
    MOST_NAMES,
    READ_SUFFIXES,
    Creator,
    LibraryEntry,
    authors_of,
    collection_path,
    csl_of,
    iso_date,
    language_code,
    one_line,
    texts,
)

T = TypeVar("T")
SECONDS = 300.0
"""The seconds that a library may take to be read."""
MOST_COPIED = 8 * 1024**3
"""The bytes of a database that is copied."""
ATTEMPTS = 3
NEEDED = (
    "items", "itemTypes", "itemData", "itemDataValues", "fields", "creators", "creatorTypes", "itemCreators",
    "itemAttachments", "itemTags", "tags", "collections", "collectionItems", "deletedItems",
)  # fmt: skip
"""The tables that are read."""
_HEAD = b"SQLite format 3\0"
_STEPS = 100_000
_MOST_VALUE = 50_000_000
_HINT = "give the folder that Zotero shows under Settings, Advanced, Files and Folders (it contains zotero.sqlite)"
_BUSY = "Zotero keeps writing to it: close Zotero, then run the same command again"

MOST_COLLECTIONS = 50_000
_ATTACHMENTS = """
    SELECT a.itemID, a.parentItemID, a.linkMode, substr(a.path, 1, 4096), substr(i.key, 1, 40)
    FROM itemAttachments a JOIN items i ON i.itemID = a.itemID
    WHERE a.path IS NOT NULL AND a.linkMode IN (0, 1, 2)
      AND a.itemID NOT IN (SELECT itemID FROM deletedItems)
      AND (a.parentItemID IS NULL OR a.parentItemID NOT IN (SELECT itemID FROM deletedItems))
    ORDER BY a.itemID LIMIT ?"""
_TYPE = "SELECT t.typeName FROM items i JOIN itemTypes t ON t.itemTypeID = i.itemTypeID WHERE i.itemID = ?"
_FIELDS = """
    SELECT f.fieldName, substr(v.value, 1, ?) FROM itemData d
    JOIN fields f ON f.fieldID = d.fieldID JOIN itemDataValues v ON v.valueID = d.valueID
    WHERE d.itemID = ? LIMIT 300"""
_CREATORS = """
    SELECT t.creatorType, substr(c.firstName, 1, 500), substr(c.lastName, 1, 500), c.fieldMode
    FROM itemCreators ic JOIN creators c ON c.creatorID = ic.creatorID
    JOIN creatorTypes t ON t.creatorTypeID = ic.creatorTypeID
    WHERE ic.itemID = ? ORDER BY ic.orderIndex LIMIT ?"""
_TAGS = """
    SELECT substr(t.name, 1, 200) FROM itemTags it JOIN tags t ON t.tagID = it.tagID
    WHERE it.itemID = ? ORDER BY t.name LIMIT 200"""
_IN_COLLECTIONS = "SELECT collectionID FROM collectionItems WHERE itemID = ? LIMIT 200"
_COLLECTIONS = "SELECT collectionID, parentCollectionID, substr(collectionName, 1, 200) FROM collections LIMIT ?"
_EXTRA = 20_000


class AttachmentRow(NamedTuple):
    """An attachment in the database: its `key`, its link `mode`, its `path`, and the entry of its work.

    The record of the entry is empty for a file that belongs to no work.
    """

    key: str
    mode: int
    path: str
    entry: LibraryEntry


def read_steadily(database: Path, read: Callable[[sqlite3.Connection], T]) -> T:
    """Return the result of `read` on a database that did not change meanwhile. Raises LibraryUnreadable."""
    for _ in range(ATTEMPTS):
        before = _stamps(database)
        try:
            with _open(database) as connection:
                _check_tables(connection, database)
                result = read(connection)
        except sqlite3.Error as error:
            if _stamps(database) == before:
                raise LibraryUnreadable(f"{database}: {_reason(error)}") from None
            continue
        if _stamps(database) == before:
            return result
    raise LibraryUnreadable(f"{database}: {_BUSY}")


def _reason(error: sqlite3.Error) -> str:
    if getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_INTERRUPT:
        return f"not read within {SECONDS:.0f} seconds: copy a part of the library to another and index that"
    return f"a Zotero database that cannot be read ({error}): open it in Zotero, which repairs it, or {_HINT}"


def _parts(database: Path) -> list[Path]:
    """Return the database file and the files of open transactions: a finished one begins with zeros."""
    beside = (database.with_name(f"{database.name}-{end}") for end in ("wal", "journal"))
    return [database, *(path for path in beside if _head(path, 8).strip(b"\0"))]


def _head(path: Path, size: int) -> bytes:
    """Return the first bytes of a file, b"" if it does not exist. Raises LibraryUnreadable."""
    try:
        with path.open("rb") as file:
            return file.read(size)
    except FileNotFoundError:
        return b""
    except OSError as error:
        raise _access_error(path, error) from None


def _access_error(path: Path, error: OSError) -> LibraryUnreadable:
    return LibraryUnreadable(f"{path}: cannot be read ({error.strerror}): check its permissions, or {_HINT}")


def _stamps(database: Path) -> list[tuple[str, int, int]]:
    try:
        return [(part.name, (info := part.stat()).st_size, info.st_mtime_ns) for part in _parts(database)]
    except OSError as error:
        raise _access_error(database, error) from None


@contextlib.contextmanager
def _open(database: Path) -> Iterator[sqlite3.Connection]:
    """Yield a read-only connection that does not trust the schema. Raises LibraryUnreadable, sqlite3.Error."""
    if _head(database, len(_HEAD)) != _HEAD:
        raise LibraryUnreadable(f"{database}: not an SQLite database: {_HINT}")
    with contextlib.ExitStack() as stack:
        address = f"{database.absolute().as_uri()}?mode=ro&immutable=1"
        parts = _parts(database)
        if len(parts) > 1:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="vouch-zotero-"))
            address = f"{_copy(parts, Path(folder)).as_uri()}?mode=rw"
        connection = stack.enter_context(contextlib.closing(sqlite3.connect(address, uri=True)))
        _restrict(connection)
        yield connection


def _copy(parts: list[Path], folder: Path) -> Path:
    """Copy a database with its transactions; return the copy."""
    try:
        if sum(part.stat().st_size for part in parts) > MOST_COPIED:
            raise LibraryUnreadable(f"{parts[0]}: too large to copy while it is open: close Zotero first")
        for part in parts:
            shutil.copyfile(part, folder / part.name)
    except OSError as error:
        raise LibraryUnreadable(
            f"{parts[0]}: cannot be copied to {folder} ({error.strerror}): free some space there, or close Zotero"
        ) from None
    return folder / parts[0].name


def _restrict(connection: sqlite3.Connection) -> None:
    """Let a connection read tables, for a limited time, and nothing else."""
    ends = time.monotonic() + SECONDS
    connection.set_progress_handler(lambda: int(time.monotonic() > ends), _STEPS)
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MOST_VALUE)
    connection.text_factory = lambda data: data.decode("utf-8", "replace")
    for pragma in ("trusted_schema = OFF", "cell_size_check = ON", "query_only = ON", "mmap_size = 0"):
        connection.execute(f"PRAGMA {pragma}")


def _check_tables(connection: sqlite3.Connection, database: Path) -> None:
    """Raise LibraryUnreadable unless these are the plain tables of a library of Zotero 5 or later."""
    rows = connection.execute("SELECT name, substr(sql, 1, 100) FROM sqlite_master WHERE type = 'table' LIMIT 5000")
    tables = {str(name): " ".join(str(sql).upper().split()) for name, sql in rows}
    missing = [name for name in NEEDED if not tables.get(name, "").startswith("CREATE TABLE")]
    if missing:
        raise LibraryUnreadable(f"{database}: not a Zotero library (it has no table {missing[0]}): {_HINT}")
    columns = {str(row[1]) for row in connection.execute("PRAGMA table_info(itemAttachments)")}
    if not {"parentItemID", "linkMode", "path"} <= columns:
        raise LibraryUnreadable(f"{database}: a library from Zotero 4 or older: open it once in a newer version")


def attachments(connection: sqlite3.Connection) -> list[AttachmentRow]:
    """Return the attachments that are files and not in the bin, in the order in which they were added.

    Raises TooLarge for too many, and sqlite3.Error.
    """
    rows = connection.execute(_ATTACHMENTS, (MOST_FILES + 1,)).fetchall()
    if len(rows) > MOST_FILES:
        raise TooLarge(f"more than {MOST_FILES:,} attachments: copy a part of the library to another and index that")
    names = _collection_paths(connection)
    results = []
    for item, parent, mode, path, key in rows:
        work = parent if isinstance(parent, int) else item
        tags = (row[0] for one in dict.fromkeys((item, work)) for row in connection.execute(_TAGS, (one,)))
        paths = {names.get(row[0], "") for row in connection.execute(_IN_COLLECTIONS, (work,))}
        record = _record(connection, work) if isinstance(parent, int) else {}
        entry = LibraryEntry(record, texts(tags), tuple(sorted(paths - {""})))
        results.append(AttachmentRow(one_line(key), int(mode), str(path), entry))
    return results


def _record(connection: sqlite3.Connection, item: int) -> dict[str, Any]:
    kind = connection.execute(_TYPE, (item,)).fetchone()
    fields = {str(name): str(value) for name, value in connection.execute(_FIELDS, (_EXTRA, item))}
    people = connection.execute(_CREATORS, (item, MOST_NAMES)).fetchall()
    creators = [
        Creator(str(role), one_line(given), one_line(family), mode == 1) for role, given, family, mode in people
    ]
    return csl_of(str(kind[0]) if kind else "", fields, creators)


def _collection_paths(connection: sqlite3.Connection) -> Mapping[int, str]:
    """Return the path of each collection that is not in the bin, by its number."""
    deleted_ids: set[object] = set()
    if connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'deletedCollections' LIMIT 1").fetchone():
        deleted_ids = {row[0] for row in connection.execute("SELECT collectionID FROM deletedCollections")}
    rows = connection.execute(_COLLECTIONS, (MOST_COLLECTIONS,)).fetchall()
    parents = {number: (parent, name) for number, parent, name in rows if number not in deleted_ids}
    return {number: collection_path(number, parents) for number in parents}


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
    """Return the full path of a file. Raises FileMissing with the reason `absent`, or NotReadable."""
    try:
        exists = file.is_file()
    except (OSError, ValueError) as error:
        raise NotReadable(f"{file}: cannot be accessed ({error}): check the name") from None
    if not exists:
        raise FileMissing(f"{file}: {absent}")
    return file.absolute()
