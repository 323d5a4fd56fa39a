"""The tables on an object store: how LanceDB connects to them, and their mirror on this machine, which searching reads.

The files of a table are written once and never changed; a manifest names those of a version. So a version is read from
copies as it is from the store, and a later one fetches only what is new.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import groupby
from typing import Any
from uuid import UUID

import lancedb

from indexing.storage import CachedFile, ObjectRoot, ProcessFolder, StorageRoot, StoredFile, table_settings
from indexing.store.snapshot import Snapshot
from indexing.types import View
from indexing.vectors import Packing


def connect(place: StorageRoot) -> Any:
    """Return LanceDB's connection to the tables at a place, each read as it is at that moment."""
    options = {"storage_options": table_settings(str(place))} if isinstance(place, ObjectRoot) else {}
    return lancedb.connect(str(place), read_consistency_interval=timedelta(0), **options)


class TableMirror:
    """The tables at `place`, mirrored in its cache up to the cache's limit."""

    def __init__(self, place: ObjectRoot) -> None:
        """Keep the place; nothing is fetched yet."""
        self._place = place
        self._view: ProcessFolder | None = None

    @property
    def is_available(self) -> bool:
        """True while the copies of the last snapshot exist; the cache can have been emptied."""
        return self._view is not None and self._view.folder.is_dir()

    def snapshot(self, names: Sequence[str], packings: Mapping[View, Packing]) -> Snapshot | None:
        """Return the newest versions of the tables from copies; None if these exceed the cache's limit.

        Also None if a writer has cleaned up meanwhile: the store itself is read then.
        """
        self._view = None
        try:
            files = self._newest_files(names)
            view = self._place.cache.view(files)
        except FileNotFoundError:
            return None
        if view is None:
            return None
        database = lancedb.connect(str(view.folder))
        snapshot = Snapshot(self._place, {name: database.open_table(name) for name in names}, packings)
        weakref.finalize(snapshot, view.close)
        self._view = view
        return snapshot

    def _newest_files(self, names: Sequence[str]) -> dict[str, CachedFile]:
        """Return the files of the newest versions of the tables by path."""
        files = sorted(self._place.all_files(), key=lambda file: file.key)
        tables = groupby(files, key=lambda file: file.key.partition("/")[0].removesuffix(".lance"))
        return {
            file.key: self._place.cache_entry(file)
            for name, own in tables
            if name in names
            for file in self._of_newest(list(own))
        }

    def _of_newest(self, files: Sequence[StoredFile]) -> Iterator[StoredFile]:
        """Yield the files that the newest manifest of a table names, and itself."""
        newest = _newest(files)
        content = self._place.cache.file(self._place.cache_entry(newest)).read_bytes()
        yield newest
        yield from (file for file in files if _is_named(file.key.partition("/")[2], content))


@dataclass(frozen=True, slots=True)
class TableVersion:
    """The newest version of a table at one moment: the key of its manifest, and all its files, in the table's place.

    None of them goes while that version is the newest.
    """

    manifest: str
    files: tuple[StoredFile, ...]


def newest_version(place: StorageRoot) -> TableVersion | None:
    """Return the newest version of the table at a place; None where there is none.

    Raises FileNotFoundError where a writer cleans up in the middle of it.
    """
    versions = [file for file in place.below("_versions").files() if file.key.endswith(".manifest")]
    if not versions:
        return None
    newest = _newest(versions)
    content = place.below("_versions").read(newest.key)
    key = f"_versions/{newest.key}"
    manifest = StoredFile(key, newest.size, newest.tag)
    return TableVersion(key, (manifest, *(file for file in place.all_files() if _is_named(file.key, content))))


def _newest(files: Sequence[StoredFile]) -> StoredFile:
    """Return the newest manifest among the files of a table."""
    return max((file for file in files if file.key.endswith(".manifest")), key=lambda file: _version(file.key))


def _is_named(key: str, manifest: bytes) -> bool:
    """Return True for a file of a table, no manifest, that a manifest names."""
    kind, *rest = key.split("/")
    if kind == "_indices":
        return _is_index_of(rest[0], manifest)
    if kind == "_deletions":
        return True  # few bytes, and named by numbers
    return kind != "_versions" and bool(rest) and rest[-1].encode() in manifest


def _version(key: str) -> int:
    """Return the number of a manifest; newer Lance counts down from 2^64 - 1, so that the newest is listed first."""
    number = int(key.rpartition("/")[2].removesuffix(".manifest"))
    return (1 << 64) - 1 - number if len(key.rpartition("/")[2]) == len("18446744073709551609.manifest") else number


def _is_index_of(name: str, manifest: bytes) -> bool:
    """Return True for the folder of an index that a manifest names by the bytes of its UUID."""
    try:
        return UUID(name).bytes in manifest
    except ValueError:
        return True
