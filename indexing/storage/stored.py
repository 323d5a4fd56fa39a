"""StorageRoot, the protocol of a place that contains files under keys; StoredFile, a file of a listing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, Self


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file of a place: its `key` there, its bytes, and the e-tag that changes with its content ("" in a folder)."""

    key: str
    size: int
    tag: str = ""


class StorageRoot(Protocol):
    """A place that contains files under keys. `str` of it is its path or address.

    Failed requests to an object store raise StoreUnreachable or StoreDenied, a full disk DiskFull.
    """

    @property
    def name(self) -> str:
        """The last part of its path."""

    @property
    def parent(self) -> Self:
        """The place that it is in."""

    @property
    def machine(self) -> Path:
        """The folder of this machine for work in progress: the place itself if that is a folder."""

    def below(self, name: str) -> Self:
        """Return a place in it."""

    def folders(self) -> tuple[str, ...]:
        """Return the names of the places in it that are not empty."""

    def files(self, start: str = "") -> Iterator[StoredFile]:
        """Yield the files right in it whose keys begin with `start`, by key."""

    def all_files(self) -> list[StoredFile]:
        """Return all files in it and in the places in it, by keys with slashes."""

    def exists(self, key: str) -> bool:
        """Return True where there is a file."""

    def find(self, key: str) -> StoredFile | None:
        """Return a file by its key; None where there is none."""

    def read(self, key: str) -> bytes:
        """Return the content of a file. Raises FileNotFoundError."""

    def write(self, key: str, content: bytes) -> None:
        """Write a file atomically."""

    def bring(self, key: str, file: Path, *, move: bool = False) -> None:
        """Copy a file of this machine to it atomically, or move it."""

    def local_copy(self, file: StoredFile) -> Path:
        """Return a path on this machine at which a file can be read."""

    def give(self, file: StoredFile, target: Path) -> None:
        """Put a file at a new path of this machine: by a hard link if possible, else by a copy.

        Raises FileNotFoundError if it was deleted meanwhile.
        """

    def delete(self, key: str) -> None:
        """Delete a file, if it is there."""

    def delete_unfinished(self, *patterns: str) -> None:
        """Delete files that a killed process was writing and that match `patterns`; a store does not show them."""

    def clear(self) -> None:
        """Delete all that is in it."""

    def size(self) -> int:
        """Return the bytes of all files in it and in the places in it."""
