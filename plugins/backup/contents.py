"""BackupContents: lists the files of a backup with sizes and checksums; it is the backup's first file.

A backup is a tar file without compression, so that a person can read it without Vouch:

backup.json                        these contents
collections/NAME/collection.json   and the tables at one version, the copies of the documents
home/.bibliographies/NAME.sqlite   what stands beside the collections (`home_databases`)
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from indexing import BackupUnreadable, CollectionDamaged, is_collection_name, relative_path, sha256_digest
from indexing.storage import StoredFile
from indexing.store import RECORD

CONTENTS = "backup.json"
COLLECTIONS, HOME = "collections", "home"
MOST_CONTENTS = 256 << 20
"""The most bytes of the contents: a million files."""
_BESIDE = (".bibliographies/*.sqlite", "state.sqlite")
"""The databases beside the collections, by their keys in the folder of the home on this machine.

To include another SQLite file of the home in backups, add its pattern; a star takes no slash.
"""
_FILES = (RECORD, "verified.sqlite")
"""The files of a collection that a backup holds; the second is in backups made before December 2026 alone."""
_TABLES = "db"
"""The folder of its tables; those of a version that `vouch reindex` has made lie below the folder of its number."""


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class BackedUpFile(_Model):
    """A file of a backup by its path in it."""

    path: str
    size: int = Field(ge=0)
    sha256: Annotated[str, AfterValidator(sha256_digest)]


class BackedUpCollection(_Model):
    """A collection of a backup, with the numbers of its documents and pages."""

    name: str
    documents: int = Field(ge=0)
    pages: int = Field(ge=0)


class BackupContents(_Model):
    """The contents of a backup: `made_at` is its time, in ISO 8601."""

    vouch_backup: Literal[1] = 1
    made_at: str
    collections: tuple[BackedUpCollection, ...]
    files: tuple[BackedUpFile, ...]

    @model_validator(mode="after")
    def _reject_invalid(self) -> BackupContents:
        names = {each.name for each in self.collections}
        paths = [file.path for file in self.files]
        if len(names) < len(self.collections) or not all(map(is_collection_name, names)):
            raise ValueError("its collections have invalid names")
        if len(set(paths)) < len(paths):
            raise ValueError("it has two files with the same path")
        for path in paths:
            if not _is_allowed(path, names):
                raise ValueError(f"{path!r:.200} is not a valid path in a backup")
        if lacking := sorted(name for name in names if f"{COLLECTIONS}/{name}/{RECORD}" not in set(paths)):
            raise ValueError(f"collection {lacking[0]} has no {RECORD}")
        return self

    @property
    def size(self) -> int:
        """The bytes of all files."""
        return sum(file.size for file in self.files)

    def of_home(self) -> tuple[StoredFile, ...]:
        """Return the databases of the home that are in the backup, by their keys in the home."""
        start = f"{HOME}/"
        return tuple(StoredFile(f.path[len(start) :], f.size) for f in self.files if f.path.startswith(start))


def contents_of(content: bytes) -> BackupContents:
    """Parse the table of contents of a backup. Raises BackupUnreadable, also for paths outside a backup's folders."""
    try:
        return BackupContents.model_validate_json(content)
    except (ValidationError, RecursionError) as error:
        message = error.errors()[0]["msg"] if isinstance(error, ValidationError) else "it is nested too deeply"
        raise BackupUnreadable(f"{CONTENTS} cannot be read ({message}): this is not a backup of this version") from None


def _is_allowed(path: str, names: set[str]) -> bool:
    """Return True for a path in a collection of the backup, or of a database beside the collections."""
    try:
        top, name, *rest = relative_path(path).split("/")
    except ValueError:
        return False
    if top == HOME:
        key = "/".join([name, *rest])
        return any(key.count("/") == pattern.count("/") and fnmatchcase(key, pattern) for pattern in _BESIDE)
    if top != COLLECTIONS or name not in names:
        return False
    if len(rest) > 2 and rest[0] == "versions" and rest[1].isascii() and rest[1].isdigit():
        rest = rest[2:]
        return len(rest) > 1 and rest[0] == _TABLES
    return (len(rest) == 1 and rest[0] in _FILES) or (len(rest) > 1 and rest[0] in (_TABLES, "sources"))


def home_databases(folder: Path) -> Iterator[str]:
    """Yield the keys of the databases beside the collections that exist in the folder of a home."""
    for pattern in _BESIDE:
        yield from sorted(path.relative_to(folder).as_posix() for path in folder.glob(pattern) if path.is_file())


def copy_database(source: Path, target: Path) -> None:
    """Copy a consistent state of a database while other processes may write to it. Raises CollectionDamaged."""
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
