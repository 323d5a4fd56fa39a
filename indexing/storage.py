"""Store a collection's files in a folder of this machine, and those of one process in a folder that it deletes."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias
from uuid import uuid4

from filelock import FileLock, Timeout

from indexing.errors import CollectionDamaged, DiskFull
from indexing.identifiers import relative_path

Home: TypeAlias = Path
"""The folder that the collections are in."""
_PRIVATE = 0o700


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file in a `FolderRoot`: its `key`, the path in it with slashes, and its size in bytes."""

    key: str
    size: int


class FolderRoot:
    """The folder `folder`, which is created with its first file."""

    def __init__(self, folder: Path) -> None:
        """Keep the folder."""
        self.folder = Path(folder)

    def __str__(self) -> str:
        """Return its path."""
        return str(self.folder)

    @property
    def name(self) -> str:
        """The name of the folder."""
        return self.folder.name

    @property
    def parent(self) -> FolderRoot:
        """The folder that it is in."""
        return FolderRoot(self.folder.parent)

    def below(self, name: str) -> FolderRoot:
        """Return a folder in it, which its owner may have linked to another disk. Raises CollectionDamaged."""
        try:
            return FolderRoot(self.folder / relative_path(name))
        except ValueError:
            raise self._outside_error(name) from None

    def folders(self) -> tuple[str, ...]:
        """Return the names of the folders in it."""
        return tuple(entry.name for entry in self.folder.iterdir() if entry.is_dir()) if self.folder.is_dir() else ()

    def files(self, start: str = "") -> Iterator[StoredFile]:
        """Yield the files directly in it whose names begin with `start`, by name."""
        for path in sorted(self.folder.iterdir() if self.folder.is_dir() else ()):
            if path.name.startswith(start) and path.is_file():
                yield StoredFile(path.name, path.stat().st_size)

    def all_files(self) -> list[StoredFile]:
        """Return all files in it, however deep; files deleted meanwhile are left out."""
        files = []
        for folder, _, names in os.walk(self.folder):
            for path in (Path(folder, name) for name in names):
                with contextlib.suppress(FileNotFoundError):
                    files.append(StoredFile(path.relative_to(self.folder).as_posix(), path.stat().st_size))
        return sorted(files, key=lambda file: file.key)

    def exists(self, key: str) -> bool:
        """Return True if the file exists."""
        return self._at(key).is_file()

    def find(self, key: str) -> StoredFile | None:
        """Return a file by its key; None if there is none."""
        path = self._at(key)
        return StoredFile(key, path.stat().st_size) if path.is_file() else None

    def read(self, key: str) -> bytes:
        """Return the content of a file. Raises OSError."""
        return self._at(key).read_bytes()

    def write(self, key: str, content: bytes) -> None:
        """Write a file atomically. Raises DiskFull, CollectionDamaged."""
        part = self._part_path(key)
        try:
            self.folder.mkdir(mode=_PRIVATE, parents=True, exist_ok=True)
            part.write_bytes(content)
            part.replace(self._at(key))
        except OSError as error:
            part.unlink(missing_ok=True)
            raise write_error(part, error) from error

    def bring(self, key: str, file: Path, *, move: bool = False) -> None:
        """Copy or move `file` into the folder as `key`, atomically. Raises DiskFull, CollectionDamaged."""
        part = self._part_path(key)
        try:
            if move:
                file.replace(self._at(key))
                return
            shutil.copyfile(file, part)
            part.replace(self._at(key))
        except OSError as error:
            raise write_error(self.folder, error) from error
        finally:
            part.unlink(missing_ok=True)

    def local_copy(self, file: StoredFile) -> Path:
        """Return the path of a file."""
        return self._at(file.key)

    def give(self, file: StoredFile, target: Path) -> None:
        """Link or copy a file of the folder to `target`. Raises FileNotFoundError, DiskFull, CollectionDamaged."""
        target.parent.mkdir(mode=_PRIVATE, parents=True, exist_ok=True)
        source = self._at(file.key)
        try:
            with contextlib.suppress(OSError):  # another disk, or a file system without second names
                os.link(source, target)
                return
            shutil.copyfile(source, target)
        except FileNotFoundError:
            raise
        except OSError as error:
            raise write_error(target, error) from error

    def delete(self, key: str) -> None:
        """Delete a file if it exists."""
        self._at(key).unlink(missing_ok=True)

    def delete_unfinished(self, *patterns: str) -> None:
        """Delete the files that a killed process was writing, by glob patterns."""
        for pattern in patterns:
            for file in self.folder.glob(pattern):
                file.unlink(missing_ok=True)

    def clear(self) -> None:
        """Delete the folder in one step; a kill leaves a hidden folder, which the next call deletes.

        Raises DiskFull if the disk has no space even for renaming it.
        """
        if not self.folder.exists():
            return
        trash = self.folder.with_name(f".{self.folder.name}.{uuid4().hex}.deleted")
        try:
            self.folder.rename(trash)
        except OSError as error:
            raise write_error(self.folder, error) from error
        for folder in self.folder.parent.glob(".*.deleted"):
            shutil.rmtree(folder, ignore_errors=True)

    def size(self) -> int:
        """Return the bytes of all files in it, however deep."""
        return sum(file.size for file in self.all_files())

    def _part_path(self, key: str) -> Path:
        return self._at(f"{key}.{os.getpid()}.part")

    def _at(self, key: str) -> Path:
        """Return the path of a key. Raises CollectionDamaged if it leaves the folder, also by symbolic links."""
        try:
            path = self.folder / relative_path(key)
            inside = os.path.realpath(self.folder)
            if os.path.commonpath((inside, os.path.realpath(path))) == inside:
                return path
        except ValueError:
            pass
        raise self._outside_error(key)

    def _outside_error(self, key: str) -> CollectionDamaged:
        return CollectionDamaged(f"{key!r:.200} leads out of {self.folder}: restore the collection from another copy")


def as_root(place: FolderRoot | Path) -> FolderRoot:
    """Return a `FolderRoot` unchanged, and a path as a `FolderRoot`."""
    return FolderRoot(place) if isinstance(place, Path) else place


def write_error(path: Path, error: OSError) -> DiskFull | CollectionDamaged:
    """Return the error to raise for an OSError while writing to a collection."""
    if error.errno == 28:
        return DiskFull(f"{path}: the disk is full: free some space and run the same command again")
    return CollectionDamaged(
        f"{path}: cannot be written ({error.strerror}): check the folder, or set VOUCH_HOME to another"
    )


class ProcessFolder:
    """A folder that is deleted when it is closed or, if its process was killed, by the next process that makes one.

    Its lock shows that its process is alive.
    """

    def __init__(self, above: Path) -> None:
        """Delete the folders of dead processes below `above`, and make a new one. Raises OSError."""
        above.mkdir(mode=_PRIVATE, parents=True, exist_ok=True)
        for path in above.glob("*.lock"):
            with contextlib.suppress(Timeout, OSError):
                self._acquire(FileLock(path, timeout=0))
                self.close()
        is_acquired = False
        while not is_acquired:  # another process can take the new lock for that of a dead one
            with contextlib.suppress(Timeout):
                is_acquired = self._acquire(FileLock(above / f"{uuid4().hex}.lock", timeout=0, mode=0o600))
        self.folder.mkdir(mode=_PRIVATE)

    def _acquire(self, lock: FileLock) -> bool:
        """Acquire a lock, and with it its folder; return False if its file was deleted meanwhile."""
        lock.acquire()
        self._lock, self.folder = lock, Path(lock.lock_file).with_suffix("")
        exists = Path(lock.lock_file).exists()
        if not exists:
            lock.release()
        return exists

    def close(self) -> None:
        """Delete the folder, then its lock, which is held until then so that no other process takes the folder."""
        shutil.rmtree(self.folder, ignore_errors=True)
        Path(self._lock.lock_file).unlink(missing_ok=True)
        self._lock.release()
