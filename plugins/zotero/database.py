"""The database of a Zotero library, opened for reading alone: nothing is locked, and nothing of it is written.

Zotero holds its database under an exclusive lock while it runs, so that SQLite's own way of reading would wait in vain.
The file is opened as immutable, which asks for no lock. Where a transaction lies beside it (`-wal`, `-journal`), the
file and its transaction are copied, and the copy is read. Whoever reads looks up before and after if the file changed.
"""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

from indexing import LibraryUnreadable

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


def read_steadily(database: Path, read: Callable[[sqlite3.Connection], T]) -> T:
    """Return the outcome of `read` of a database that did not change meanwhile. Raises LibraryUnreadable."""
    for _ in range(ATTEMPTS):
        before = _stamps(database)
        try:
            with _opened(database) as connection:
                _check_tables(connection, database)
                found = read(connection)
        except sqlite3.Error as error:
            if _stamps(database) == before:
                raise LibraryUnreadable(f"{database}: {_said(error)}") from None
            continue
        if _stamps(database) == before:
            return found
    raise LibraryUnreadable(f"{database}: {_BUSY}")


def _said(error: sqlite3.Error) -> str:
    if getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_INTERRUPT:
        return f"not read within {SECONDS:.0f} seconds: export the library as Better BibTeX JSON and index that"
    return f"a Zotero database that cannot be read ({error}): open it in Zotero, which repairs it, or {_HINT}"


def _parts(database: Path) -> list[Path]:
    """Return the database and the transactions beside it that are not empty."""
    beside = (database.with_name(f"{database.name}-{end}") for end in ("wal", "journal"))
    return [database, *(path for path in beside if _open_transaction(path))]


def _open_transaction(path: Path) -> bool:
    """Return True for a transaction that is not done: the head of one that is done is zeros, or nothing."""
    try:
        with path.open("rb") as file:
            return any(file.read(8))
    except FileNotFoundError:
        return False


def _stamps(database: Path) -> list[tuple[str, int, int]]:
    try:
        return [(part.name, (info := part.stat()).st_size, info.st_mtime_ns) for part in _parts(database)]
    except OSError as error:
        raise LibraryUnreadable(
            f"{database}: cannot be read ({error.strerror}): check its permissions, or {_HINT}"
        ) from None


@contextlib.contextmanager
def _opened(database: Path) -> Iterator[sqlite3.Connection]:
    """Yield a connection that reads and obeys nothing in the schema. Raises LibraryUnreadable, sqlite3.Error."""
    try:
        with database.open("rb") as file:
            head = file.read(len(_HEAD))
    except OSError as error:
        raise LibraryUnreadable(
            f"{database}: cannot be read ({error.strerror}): check its permissions, or {_HINT}"
        ) from None
    if head != _HEAD:
        raise LibraryUnreadable(f"{database}: not an SQLite database: {_HINT}")
    with contextlib.ExitStack() as stack:
        address = f"{database.absolute().as_uri()}?mode=ro&immutable=1"
        parts = _parts(database)
        if len(parts) > 1:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="vouch-zotero-"))
            address = f"{_copied(parts, Path(folder)).as_uri()}?mode=rw"
        connection = stack.enter_context(contextlib.closing(sqlite3.connect(address, uri=True)))
        _restrict(connection)
        yield connection


def _copied(parts: list[Path], folder: Path) -> Path:
    """Copy a database with its transactions; return the copy."""
    try:
        if sum(part.stat().st_size for part in parts) > MOST_COPIED:
            raise LibraryUnreadable(f"{parts[0]}: too large to copy while it is open: close Zotero first")
        for part in parts:
            shutil.copyfile(part, folder / part.name)
    except OSError as error:
        told = f"{parts[0]}: cannot be copied to {folder} ({error.strerror}): free some space there, or close Zotero"
        raise LibraryUnreadable(told) from None
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
    """Refuse a database that is no library of Zotero 5 or later, and one whose tables are not plain tables."""
    rows = connection.execute("SELECT name, substr(sql, 1, 100) FROM sqlite_master WHERE type = 'table' LIMIT 5000")
    tables = {str(name): " ".join(str(sql).upper().split()) for name, sql in rows}
    missing = [name for name in NEEDED if not tables.get(name, "").startswith("CREATE TABLE")]
    if missing:
        raise LibraryUnreadable(f"{database}: not a Zotero library (it has no table {missing[0]}): {_HINT}")
    columns = {str(row[1]) for row in connection.execute("PRAGMA table_info(itemAttachments)")}
    if not {"parentItemID", "linkMode", "path"} <= columns:
        raise LibraryUnreadable(f"{database}: a library from Zotero 4 or older: open it once in a newer version")
