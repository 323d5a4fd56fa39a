"""Back up collections, each as it is at one moment, while others read it and one process writes it.

No lock is taken. The files of a version of a table are written once and never changed, and stay while that version is
the newest. So all of them are hard-linked. If all tables still have the same
versions afterwards, the files are the collection at that moment; otherwise the new ones are copied again.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from indexing import (
    BadSetting,
    Collection,
    CollectionLocked,
    CollectionMissing,
    Document,
    IndexingSettings,
    default_home,
)
from indexing.storage import FolderRoot, Home, StoredFile
from indexing.store import (
    RECORD,
    Store,
    TableVersion,
    list_collections,
    newest_version,
    read_record,
    tables_place,
)
from plugins.backup.archive import digests, staging_folder, write_archive
from plugins.backup.contents import (
    COLLECTIONS,
    HOME,
    BackedUpCollection,
    BackupContents,
    copy_database,
    home_databases,
)

ROUNDS = 50
"""The number of attempts to copy a collection that is written meanwhile."""
_Tables = dict[str, TableVersion]


def back_up(target: Path, names: Sequence[str] = (), home: Home | None = None) -> BackupContents:
    """Back up all collections of a home, or those in `names`, to a new file; without names, its databases too.

    Raises CollectionMissing, CollectionDamaged, CollectionLocked, DiskFull, and BadSetting if the file exists.
    """
    home = home or default_home()
    if target.exists():
        raise BadSetting(f"{target} already exists, and a backup never replaces a file: give a new file or a folder")
    if not target.parent.is_dir():
        raise BadSetting(f"there is no folder {target.parent}: create it, or give another")
    selection = tuple(dict.fromkeys(names)) or list_collections(home)
    with staging_folder(FolderRoot(home)) as folder:
        collections = [_back_up_collection(name, home, folder / COLLECTIONS / name) for name in selection]
        if not names:
            for key in home_databases(home):
                copy_database(home / key, folder / HOME / key)
        elif not collections:
            raise CollectionMissing("no collection was given: choose one with -c")
        contents = BackupContents(
            made_at=datetime.now(UTC).isoformat(timespec="seconds"),
            collections=tuple(collections),
            files=digests(folder),
        )
        try:
            write_archive(target, folder, contents)
        except FileExistsError:
            raise BadSetting(f"{target} was created by another process in the meantime: give a new file") from None
    return contents


def _back_up_collection(name: str, home: Home, folder: Path) -> BackedUpCollection:
    """Copy a collection into a folder; return its summary. Raises CollectionLocked if every attempt meets a write."""
    place = Collection.open(name, home, IndexingSettings()).place
    for _ in range(ROUNDS):
        with contextlib.suppress(FileNotFoundError):  # a writer cleaned up in the middle of it
            documents = _copy_tables(place, folder)
            if documents is not None:
                return BackedUpCollection(
                    name=name, documents=len(documents), pages=sum(document.n_pages for document in documents)
                )
    raise CollectionLocked(
        f"collection {name!r} is being written faster than it can be copied: back up again when that run has finished"
    )


def _copy_tables(place: FolderRoot, folder: Path) -> tuple[Document, ...] | None:
    """Copy the current version of a collection; return its documents, or None if it was written meanwhile."""
    record, made_record = place.read(RECORD), read_record(place, IndexingSettings())
    current, target = tables_place(place, made_record.version), tables_place(FolderRoot(folder), made_record.version)
    database, copy = current.below("db"), target.below("db")
    tables = _tables(database)
    files: set[Path] = set()
    for table, version in tables.items():
        files |= set(_link_files(database.below(table), version.files, copy.folder / table))
    documents = Store(copy, 1).documents() if tables else ()  # any vector size will do: no vector is read
    digests = {document.sha256 for document in documents}
    sources = place.below("sources")
    copies = [file for file in sources.files() if file.key.partition(".")[0] in digests]
    copies = [file for file in copies if not file.key.endswith((".part", ".unlocked"))]
    files |= set(_link_files(sources, copies, folder / "sources"))
    FolderRoot(folder).write(RECORD, record)
    files.add(folder / RECORD)
    after = {name: version.manifest for name, version in _tables(database).items()}
    before = {name: version.manifest for name, version in tables.items()}
    if (after, place.read(RECORD)) != (before, record):
        return None
    for path in folder.rglob("*"):
        if path.is_file() and path not in files:
            path.unlink()
    return documents


def _tables(place: FolderRoot) -> _Tables:
    """Return the newest version of each table of a database, by the name of its folder."""
    versions = {name: newest_version(place.below(name)) for name in place.folders() if name.endswith(".lance")}
    return {name: version for name, version in versions.items() if version is not None}


def _link_files(place: FolderRoot, files: Sequence[StoredFile], folder: Path) -> Iterator[Path]:
    """Hard-link or copy files into a folder unless an earlier round did; yield their paths."""
    for file in files:
        target = folder / file.key
        if not target.exists() or target.stat().st_size != file.size:
            target.unlink(missing_ok=True)
            place.give(file, target)
        yield target
