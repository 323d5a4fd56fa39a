"""The databases that a home has beside its collections, and how one is copied while it is written.

To include another SQLite file of the home in backups, add its pattern to `PATTERNS`.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from fnmatch import fnmatchcase
from pathlib import Path

from indexing.errors import BackupUnreadable, CollectionDamaged

PATTERNS = (".bibliographies/*.sqlite", "state.sqlite")
"""The keys of these databases, below the folder of the home on this machine; a star takes no slash."""


def is_beside(key: str) -> bool:
    """Return True for the key of such a database."""
    return any(key.count("/") == pattern.count("/") and fnmatchcase(key, pattern) for pattern in PATTERNS)


def beside(folder: Path) -> Iterator[str]:
    """Yield the keys of those that there are in the folder of a home on this machine."""
    for pattern in PATTERNS:
        yield from sorted(path.relative_to(folder).as_posix() for path in folder.glob(pattern) if path.is_file())


def copy_database(source: Path, target: Path) -> None:
    """Copy a consistent state of a database, even while others write into it. Raises CollectionDamaged."""
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        with (
            closing(sqlite3.connect(f"{source.resolve().as_uri()}?mode=ro", uri=True, timeout=60)) as rows,
            closing(sqlite3.connect(target)) as copy,
        ):
            rows.backup(copy)
    except sqlite3.Error as error:
        raise CollectionDamaged(
            f"{source}: this database cannot be copied ({error}): repair it or move it away, then back up again"
        ) from error


def check_database(path: Path) -> None:
    """Raise BackupUnreadable for a file that is not an intact database."""
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as rows:
            result = rows.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.Error as error:
        raise BackupUnreadable(f"{path.name} in the backup is not a database ({error}): use another backup") from None
    if result != ("ok",):
        raise BackupUnreadable(f"{path.name} in the backup is a damaged database: use another backup")
