"""The backup file: the list of its files with checksums, then these; written from a folder, extracted with checks.

A backup is a tar file without compression, so that a person can read it without Vouch:

backup.json                        these contents
collections/NAME/collection.json   and the tables at one version, the copies of the documents
home/.bibliographies/NAME.sqlite   what stands beside the collections (`home_databases`)

The folder is a temporary one on the disk of the home; the next process deletes those of killed ones.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sqlite3
import tarfile
from collections.abc import Iterator
from contextlib import closing
from fnmatch import fnmatchcase
from io import BytesIO
from pathlib import Path
from typing import IO, Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from indexing import BackupUnreadable, CollectionDamaged, is_collection_name, relative_path, sha256_digest
from indexing.storage import FolderRoot, ProcessFolder, StoredFile, write_error
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


_PIECE = 1 << 20
_BLOCK = 512
_MOST_HEADERS = 4096
"""The most bytes of the headers of one file in the archive: tarfile holds them in memory."""
_ENDS = 20 * _BLOCK * 2  # the zeros after the last file: tar pads to records of 20 blocks


@contextlib.contextmanager
def staging_folder(root: FolderRoot) -> Iterator[Path]:
    """Yield a new folder in the home at `root`. Raises DiskFull, CollectionDamaged."""
    above = root.folder / ".backups"
    try:
        staging = ProcessFolder(above)
    except OSError as error:
        raise write_error(above, error) from error
    try:
        yield staging.folder
    finally:
        staging.close()
        with contextlib.suppress(OSError):  # another process has its folder there
            above.rmdir()


def digests(folder: Path) -> tuple[BackedUpFile, ...]:
    """Return the path, size and checksum of all files in a folder."""
    files = []
    for file in FolderRoot(folder).all_files():
        with (folder / file.key).open("rb") as content:
            digest = hashlib.file_digest(content, "sha256").hexdigest()
        files.append(BackedUpFile(path=file.key, size=file.size, sha256=digest))
    return tuple(files)


def write_archive(target: Path, folder: Path, contents: BackupContents) -> None:
    """Write a backup of the files in a folder to `target` atomically. Raises DiskFull, CollectionDamaged."""
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    head = contents.model_dump_json(indent=1).encode()
    try:
        descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with (
            os.fdopen(descriptor, "wb") as out,
            tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as archive,
        ):
            archive.addfile(_member(CONTENTS, len(head)), BytesIO(head))
            for file in contents.files:
                with (folder / file.path).open("rb") as content:
                    archive.addfile(_member(file.path, file.size), content)
            archive.close()
            out.flush()
            os.fsync(out.fileno())
        os.link(part, target)  # unlike a renaming, it takes no other file's place
    except FileExistsError:
        raise
    except OSError as error:
        raise write_error(target, error) from error
    finally:
        part.unlink(missing_ok=True)


def _member(path: str, size: int) -> tarfile.TarInfo:
    member = tarfile.TarInfo(path)
    member.size, member.mode = size, 0o600
    return member


def read_contents(path: Path) -> BackupContents:
    """Return the table of contents of a backup. Raises BackupUnreadable, OSError."""
    with path.open("rb") as content:
        return _read_first_file(path, content)


def extract(path: Path, folder: Path) -> BackupContents:
    """Extract every file of a backup into an empty folder; return its table of contents.

    The files must come in the order of that table, with its sizes and checksums. Raises BackupUnreadable, DiskFull.
    """
    with path.open("rb") as content:
        contents = _read_first_file(path, content)
        content.seek(0)
        with _translate_errors(path), tarfile.open(fileobj=content, mode="r:") as archive:
            archive.next()
            for file in contents.files:
                _extract_next(path, archive, file, folder / file.path)
            if archive.next() is not None:
                raise BackupUnreadable(
                    f"{path} holds files that its table of contents does not list: use another backup"
                )
    return contents


def _read_first_file(path: Path, content: IO[bytes]) -> BackupContents:
    """Read the table of contents, the first file, without tarfile: a hostile header could make it fill the memory."""
    with _translate_errors(path):
        head = tarfile.TarInfo.frombuf(content.read(_BLOCK), "utf-8", "strict")
        if head.type != tarfile.REGTYPE or head.name != CONTENTS or not 0 <= head.size <= MOST_CONTENTS:
            raise BackupUnreadable(f"{path} is not a Vouch backup: give a file that `vouch backup` has written")
        raw = content.read(head.size)
        if len(raw) < head.size:
            raise BackupUnreadable(f"{path} was cut off: use another backup")
    contents = contents_of(raw)
    most = contents.size + len(raw) + (_MOST_HEADERS + _BLOCK) * (len(contents.files) + 1) + _ENDS
    size = os.fstat(content.fileno()).st_size
    if not contents.size <= size <= most:
        why = "was cut off" if size < most else "holds files that its table of contents does not list"
        raise BackupUnreadable(f"{path} {why}: use another backup")
    return contents


def _extract_next(path: Path, archive: tarfile.TarFile, file: BackedUpFile, target: Path) -> None:
    """Extract the next file of an archive to `target`. Raises BackupUnreadable if it is not `file`, DiskFull."""
    member = archive.next()
    if member is None:
        raise BackupUnreadable(f"{path} was cut off before {file.path}: use another backup")
    plain = member.type in (tarfile.REGTYPE, tarfile.AREGTYPE) and member.sparse is None
    if not plain or member.name != file.path or member.size != file.size:
        raise BackupUnreadable(
            f"{path} holds {member.name!r:.200} where its table of contents lists {file.path}: use another backup"
        )
    source, digest = archive.extractfile(member), hashlib.sha256()
    try:
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with target.open("xb") as out:
            while source and (piece := source.read(_PIECE)):
                digest.update(piece)
                out.write(piece)
    except OSError as error:
        raise write_error(target, error) from error
    if digest.hexdigest() != file.sha256:
        raise BackupUnreadable(
            f"{path} is damaged: {file.path} differs from the file that was backed up: use another backup"
        )


@contextlib.contextmanager
def _translate_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except (tarfile.TarError, EOFError, UnicodeDecodeError, ValueError, OverflowError) as error:
        raise BackupUnreadable(f"{path} cannot be read as a backup ({type(error).__name__}): use another one") from None
