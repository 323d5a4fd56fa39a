"""Back up collections, each as it is at one moment, while in use; restore a backup once all of it is checked.

No lock is taken. The files of a version of a table are written once and never changed, and stay while that version is
the newest. So all of them are hard-linked. If all tables still have the same
versions afterwards, the files are the collection at that moment; otherwise the new ones are copied again.

A collection appears by one rename, and replaces another by one exchange of the two names. So a kill leaves the old
state or the new one.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from indexing import (
    BackupUnreadable,
    BadSetting,
    Collection,
    CollectionLocked,
    CollectionMissing,
    CollectionThere,
    DiskFull,
    Document,
    IndexingError,
    IndexingSettings,
    default_home,
)
from indexing.storage import FolderRoot, Home, StoredFile, write_error
from indexing.store import (
    RECORD,
    Store,
    TableVersion,
    list_collections,
    newest_version,
    place_of,
    read_record,
    tables_place,
    write_lock,
)
from plugins.backup.archive import (
    COLLECTIONS,
    HOME,
    BackedUpCollection,
    BackupContents,
    check_database,
    copy_database,
    digests,
    extract,
    home_databases,
    read_contents,
    staging_folder,
    write_archive,
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


_AT_CWD, _EXCHANGE = -100, 2  # AT_FDCWD and RENAME_EXCHANGE of renameat2(2)


def check_backup(path: Path) -> BackupContents:
    """Check all of a backup without restoring it; return its contents. Raises BackupUnreadable."""
    with staging_folder(FolderRoot(path.absolute().parent)) as folder:
        return _unpack(path, folder)


def restore(
    path: Path,
    names: Sequence[str] = (),
    *,
    new_name: str | None = None,
    replace: bool = False,
    home: Home | None = None,
) -> tuple[tuple[str, BackedUpCollection], ...]:
    """Restore all collections of a backup or those in `names`, a single one as `new_name`; return them by new name.

    Without names, the databases of the home are restored too. Existing ones are only replaced with `replace`.
    Raises BackupUnreadable, CollectionThere, CollectionMissing, CollectionLocked, BadSetting, DiskFull.
    """
    home = home or default_home()
    contents = read_contents(path)
    targets = _targets(contents, names, new_name)
    beside = () if names or new_name else contents.of_home()
    _refuse_conflicts(home, targets, [file.key for file in beside], replace=replace)
    with staging_folder(FolderRoot(home)) as folder:
        _unpack(path, folder)
        for target, backed_up in targets.items():
            place = place_of(target, home)
            _move(place, folder / COLLECTIONS / backed_up.name, replace=replace)
        for file in beside:
            (home / file.key).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            if (home / file.key).exists():  # processes that have it open see the new state, and its log stays valid
                copy_database(folder / HOME / file.key, home / file.key)
            else:
                FolderRoot((home / file.key).parent).bring(Path(file.key).name, folder / HOME / file.key)
    return tuple(targets.items())


def _targets(contents: BackupContents, names: Sequence[str], new_name: str | None) -> Mapping[str, BackedUpCollection]:
    """Return the collections to restore, by their new names."""
    available = {each.name: each for each in contents.collections}
    if strays := [name for name in names if name not in available]:
        choices = ", ".join(available) or "none"
        raise CollectionMissing(f"the backup has no collection {strays[0]!r} (it has: {choices}): choose one of these")
    selection = {name: available[name] for name in names} or available
    if new_name is None:
        return selection
    if len(selection) != 1:
        raise BadSetting("--as restores a single collection: choose it with -c")
    return {new_name: next(iter(selection.values()))}


def _refuse_conflicts(
    home: Home, targets: Mapping[str, BackedUpCollection], beside: Sequence[str], *, replace: bool
) -> None:
    """Raise CollectionThere for existing collections and databases that must not be replaced, before any work."""
    present = set(list_collections(home))
    for name in targets:
        if name in present and not replace:
            raise CollectionThere(
                f"collection {name!r} already exists: restore this one under another name (-c "
                f"{targets[name].name} --as NAME), or give --replace"
            )
    conflicts = [key for key in beside if (home / key).exists()]
    if conflicts and not replace:
        raise CollectionThere(
            f"{home / conflicts[0]} already exists: choose the collections to restore with -c, "
            "which leaves it as it is, or give --replace"
        )


def _unpack(path: Path, folder: Path) -> BackupContents:
    """Unpack a backup and check that its collections can be read. Raises BackupUnreadable, DiskFull."""
    size, free = read_contents(path).size, shutil.disk_usage(folder).free
    if size > free:
        raise DiskFull(f"{path} needs {size:,} bytes to unpack, and only {free:,} are free: free some space")
    contents = extract(path, folder)
    for backed_up in contents.collections:
        try:
            with Collection.open(backed_up.name, folder / COLLECTIONS) as collection:
                documents = collection.documents()
        except IndexingError as error:
            raise BackupUnreadable(f"collection {backed_up.name} in {path} cannot be opened ({error})") from None
        if (len(documents), sum(document.n_pages for document in documents)) != (backed_up.documents, backed_up.pages):
            raise BackupUnreadable(
                f"collection {backed_up.name} in {path} differs from the one that was backed up: use another backup"
            )
    for file in contents.of_home():
        check_database(folder / HOME / file.key)
    return contents


def _move(place: FolderRoot, staging: Path, *, replace: bool) -> None:
    """Move the folder `staging` to `place`, or exchange them, in one step. Raises CollectionThere, CollectionLocked."""
    target = place.folder
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    (staging / "sources").mkdir(mode=0o700, exist_ok=True)
    if replace and place.exists(RECORD):
        with write_lock(place):
            _exchange(staging, target)
        return
    try:
        staging.rename(target)
    except OSError as error:
        if target.exists():
            raise CollectionThere(
                f"{target} was created in the meantime, or holds something else: restore under another name (--as)"
            ) from None
        raise write_error(target, error) from error


def _exchange(one: Path, other: Path) -> None:
    """Exchange the names of two folders in one system call. Raises BadSetting if the file system lacks it."""
    libc = ctypes.CDLL(None, use_errno=True)
    with contextlib.suppress(AttributeError):  # a libc without it
        if libc.renameat2(_AT_CWD, os.fsencode(one), _AT_CWD, os.fsencode(other), _EXCHANGE) == 0:
            return
    raise BadSetting(
        f"{other.parent}: this file system cannot exchange two folders in one step, so nothing was replaced: "
        "restore under another name (--as), then remove the collection"
    )
