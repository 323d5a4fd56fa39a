"""A backup is taken: each collection as it is at one moment, while others read it and one process writes it.

No lock is taken. What a version of a table consists of is written once and never changed, and stays while that version
is the newest. So all of it gets a second name (on an object store: is fetched), and where all tables are still at the
same versions after that, what was taken is the collection at that moment; else what is new is taken once more.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from indexing.backup.archive import digests, write_archive
from indexing.backup.beside import beside, copy_database
from indexing.backup.contents import (
    COLLECTIONS,
    FITTED,
    HOME,
    VERIFIED,
    BackedUpCollection,
    BackupContents,
)
from indexing.backup.staging import staging_folder
from indexing.collection import Collection
from indexing.errors import BadSetting, CollectionDamaged, CollectionLocked, CollectionMissing
from indexing.settings import IndexingSettings, default_home
from indexing.storage import FolderRoot, Home, StorageRoot, StoredFile, machine_folder, root_of
from indexing.store import (
    RECORD,
    Store,
    TableVersion,
    database_places,
    list_collections,
    newest_version,
    read_record,
    tables_place,
)
from indexing.types import Document

ROUNDS = 50
"""The number of times that a collection is taken anew, since it was written meanwhile."""
_Tables = dict[str, TableVersion]


def back_up(target: Path, names: Sequence[str] = (), home: Home | None = None) -> BackupContents:
    """Back up the collections of a home, or those named, to a new file; without names, what stands beside them too.

    Raises CollectionMissing, CollectionDamaged, CollectionLocked, BadSetting where there is a file, DiskFull.
    """
    home = home or default_home()
    if target.exists():
        raise BadSetting(f"{target} already exists, and a backup never replaces a file: give a new file or a folder")
    if not target.parent.is_dir():
        raise BadSetting(f"there is no folder {target.parent}: create it, or give another")
    chosen = tuple(dict.fromkeys(names)) or list_collections(home)
    root = root_of(home)
    with staging_folder(root) as folder:
        taken = [_collection(name, home, folder / COLLECTIONS / name) for name in chosen]
        if not names:
            own = machine_folder(home)
            for key in beside(own):
                copy_database(own / key, folder / HOME / key)
        elif not taken:
            raise CollectionMissing("no collection was given: choose one with -c")
        paths = [file.key for file in FolderRoot(folder).all_files()]
        contents = BackupContents(
            made_at=datetime.now(UTC).isoformat(timespec="seconds"),
            collections=tuple(taken),
            files=digests(folder, paths),
        )
        try:
            write_archive(target, folder, contents)
        except FileExistsError:
            raise BadSetting(f"{target} was created by another process in the meantime: give a new file") from None
    return contents


def _collection(name: str, home: Home, folder: Path) -> BackedUpCollection:
    """Take a collection into a folder."""
    place = Collection.open(name, home, IndexingSettings()).place
    for _ in range(ROUNDS):
        with contextlib.suppress(FileNotFoundError):  # a writer cleaned up in the middle of it
            documents = _taken(place, folder)
            if documents is not None:
                return BackedUpCollection(
                    name=name, documents=len(documents), pages=sum(document.n_pages for document in documents)
                )
    raise CollectionLocked(
        f"collection {name!r} is being written faster than it can be copied: back up again when that run has finished"
    )


def _taken(place: StorageRoot, folder: Path) -> list[Document] | None:
    """Take what a collection is at this moment; return its documents, None where it was written meanwhile.

    Of one that was made anew (`vouch reindex`) that is the version that its record names.
    """
    record, made = place.read(RECORD), read_record(place, IndexingSettings())
    answering, copied = tables_place(place, made.version), tables_place(FolderRoot(folder), made.version)
    places = database_places(answering, made.shards)
    fitted = _fitted(answering)
    tables = [_tables(each) for each in places]
    _refuse_the_broken(place, tables)
    kept: set[Path] = set()
    documents: list[Document] = []
    copies_of = database_places(copied, made.shards)
    for own, copy, versions in zip(places, copies_of, tables, strict=True):
        for table, version in versions.items():
            kept |= set(_given(own.below(table), version.files, copy.machine / table))
        if versions:
            documents += Store(copy, 1).documents()  # the size of vectors is any: none is read here
    wanted = {document.sha256 for document in documents}
    sources = place.below("sources")
    copies = [file for file in sources.files() if file.key.partition(".")[0] in wanted]
    copies = [file for file in copies if not file.key.endswith((".part", ".unlocked"))]
    kept |= set(_given(sources, copies, folder / "sources"))
    kept |= {_written(folder / RECORD, record)}
    kept |= {_written(copied.machine / FITTED, fitted)} if fitted is not None else set()
    if (place.machine / VERIFIED).is_file():
        copy_database(place.machine / VERIFIED, folder / VERIFIED)
        kept.add(folder / VERIFIED)
    after = [{name: found.manifest for name, found in _tables(each).items()} for each in places]
    before = [{name: found.manifest for name, found in versions.items()} for versions in tables]
    if (after, _fitted(answering), place.read(RECORD)) != (before, fitted, record):
        return None
    for path in folder.rglob("*"):
        if path.is_file() and path not in kept:
            path.unlink()
    return documents


def _tables(place: StorageRoot) -> _Tables:
    """Return the newest version of each table of a database, by the name of its folder."""
    found = {name: newest_version(place.below(name)) for name in place.folders() if name.endswith(".lance")}
    return {name: version for name, version in found.items() if version is not None}


def _refuse_the_broken(place: StorageRoot, tables: Sequence[_Tables]) -> None:
    """Raise CollectionDamaged where some shards have tables and others none: a backup would be without them."""
    lacking = [number for number, versions in enumerate(tables, 1) if "documents.lance" not in versions]
    if lacking and len(lacking) < len(tables):
        raise CollectionDamaged(
            f"shard {lacking[0]} of {len(tables)} of {place} holds no database: restore it, then back up again"
        )


def _given(place: StorageRoot, files: Sequence[StoredFile], folder: Path) -> Iterator[Path]:
    """Have files in a folder, but for those that an earlier round has put there; yield their paths."""
    for file in files:
        target = folder / file.key
        if not target.exists() or target.stat().st_size != file.size:
            target.unlink(missing_ok=True)
            place.give(file, target)
        yield target


def _written(path: Path, content: bytes) -> Path:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    path.write_bytes(content)
    return path


def _fitted(place: StorageRoot) -> bytes | None:
    return place.read(FITTED) if place.exists(FITTED) else None
