"""The database of a Zotero library, opened for reading alone, and the attachments in it: nothing is locked or written.

Zotero holds its database under an exclusive lock while it runs, so an ordinary connection would wait in vain.
The file is opened as immutable, which asks for no lock. Where a transaction lies beside it (`-wal`, `-journal`), the
file and its transaction are copied, and the copy is read. The caller checks that the file did not change.
"""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from indexing import LibraryUnreadable, TooLarge
from plugins.zotero.records import (
    MOST_FILES,
    MOST_NAMES,
    Creator,
    LibraryEntry,
    collection_path,
    csl_of,
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
