"""BackupContents: lists the files of a backup with sizes and checksums; it is the backup's first file.

A backup is a tar file without compression, so that a person can read it without Vouch:

backup.json                        these contents
collections/NAME/collection.json   and the tables at one version, the copies of the documents, what was fitted
home/.bibliographies/NAME.sqlite   what stands beside the collections (`indexing.backup.beside`)
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from indexing.errors import BackupUnreadable
from indexing.identifiers import is_collection_name, relative_path, sha256_digest
from indexing.storage import StoredFile
from indexing.store import RECORD

CONTENTS = "backup.json"
COLLECTIONS, HOME = "collections", "home"
VERIFIED = "verified.sqlite"
FITTED = "text_fit.npz"
MOST_CONTENTS = 256 << 20
"""The most bytes of the contents: a million files."""
_PARTS = (RECORD, FITTED, VERIFIED, "db", "shards", "sources")
"""The files and folders of a collection that a backup holds."""
_VERSIONS = "versions"
_OF_VERSION = (FITTED, "db", "shards")
"""The files and folders of a version that `vouch reindex` has made, below the folder of its number."""


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class BackedUpFile(_Model):
    """A file of a backup by its path in it."""

    path: str
    size: int = Field(ge=0)
    sha256: Annotated[str, AfterValidator(sha256_digest)]


class BackedUpCollection(_Model):
    """A collection of a backup: how much it holds."""

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
    def _refuse_the_hostile(self) -> BackupContents:
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
        """Return the files beside the collections by their keys in the home."""
        start = f"{HOME}/"
        return tuple(StoredFile(f.path[len(start) :], f.size) for f in self.files if f.path.startswith(start))


def contents_of(content: bytes) -> BackupContents:
    """Read the contents of a backup. Raises BackupUnreadable, for paths that lead elsewhere too."""
    try:
        return BackupContents.model_validate_json(content)
    except (ValidationError, RecursionError) as error:
        message = error.errors()[0]["msg"] if isinstance(error, ValidationError) else "it is nested too deeply"
        raise BackupUnreadable(f"{CONTENTS} cannot be read ({message}): this is not a backup of this version") from None


def _is_allowed(path: str, names: set[str]) -> bool:
    """Return True for a path in a collection of the backup, or of a database beside the collections."""
    from indexing.backup.beside import is_beside

    try:
        parts = relative_path(path).split("/")
    except ValueError:
        return False
    if parts[0] == HOME:
        return is_beside("/".join(parts[1:]))
    if parts[0] != COLLECTIONS or parts[1:2] == [] or parts[1] not in names:
        return False
    if parts[2:3] == [_VERSIONS] and len(parts) > 4 and parts[3].isascii() and parts[3].isdigit():
        return parts[4] in _OF_VERSION and (len(parts) == 5) == (parts[4] == FITTED)
    return len(parts) > 2 and parts[2] in _PARTS and (len(parts) == 3) == (parts[2] in (RECORD, FITTED, VERIFIED))
