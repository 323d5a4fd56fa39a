"""List the files of the newest version of a table, as its manifest names them: a backup copies these.

The files of a table are written once and never changed; a manifest names those of a version.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from indexing.storage import FolderRoot, StoredFile


@dataclass(frozen=True, slots=True)
class TableVersion:
    """The newest version of a table at one moment: the key of its manifest, and all its files, in the table's place.

    None of them is deleted while that version is the newest.
    """

    manifest: str
    files: tuple[StoredFile, ...]


def newest_version(place: FolderRoot) -> TableVersion | None:
    """Return the newest version of the table in a folder; None if there is none.

    Raises FileNotFoundError if a writer deletes old versions meanwhile.
    """
    versions = [file for file in place.below("_versions").files() if file.key.endswith(".manifest")]
    if not versions:
        return None
    newest = _newest(versions)
    content = place.below("_versions").read(newest.key)
    key = f"_versions/{newest.key}"
    manifest = StoredFile(key, newest.size)
    return TableVersion(key, (manifest, *(file for file in place.all_files() if _is_named(file.key, content))))


def _newest(files: Sequence[StoredFile]) -> StoredFile:
    """Return the manifest with the highest version among the files of a table."""
    return max((file for file in files if file.key.endswith(".manifest")), key=lambda file: _version(file.key))


def _is_named(key: str, manifest: bytes) -> bool:
    """Return True for a file of a table that a manifest names, other than a manifest."""
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
