"""The versions of a collection's tables: the current one, the pending one, and obsolete ones.

The record of a collection names the current version, so that replacing that one file switches to another, by a
rename. Nothing else is moved.
"""

from __future__ import annotations

import json
from dataclasses import asdict

from pydantic import TypeAdapter
from pydantic.dataclasses import dataclass

from indexing.embed import EmbedderRecord
from indexing.errors import CollectionDamaged
from indexing.settings import OcrMode, Pixels
from indexing.storage import FolderRoot
from indexing.store.home import RECORD, record_content

PENDING = "reindex.json"
"""The file beside the record of a collection with the plan of the next version."""
_VERSIONS = "versions"
_FIRST = ("db", "search", "embedded")
"""The folders of version 0, in the folder of the collection itself."""


@dataclass(frozen=True, slots=True)
class PendingVersion:
    """A version that is written beside the current one: its record, with its number, and how files are read for it.

    `parse` reads the copies of all documents again, `seeing` the pixels of all pages; `ocr` and `pixels` are the
    settings of those names. It is saved before the first row, so that an interrupted run continues with the same plan.
    """

    record: EmbedderRecord
    parse: bool
    seeing: bool
    ocr: OcrMode
    pixels: Pixels

    def write(self, place: FolderRoot) -> None:
        """Save the plan at the place of the collection. Raises DiskFull."""
        place.write(PENDING, (json.dumps(asdict(self), indent=1) + "\n").encode())

    @staticmethod
    def read(place: FolderRoot) -> PendingVersion | None:
        """Return the pending version of the collection at a place; None if there is none. Raises CollectionDamaged."""
        if not place.exists(PENDING):
            return None
        try:
            return TypeAdapter(PendingVersion).validate_json(place.read(PENDING), strict=True)
        except (OSError, ValueError) as error:
            raise CollectionDamaged(
                f"{place}/{PENDING} cannot be read ({type(error).__name__}): give up the reindex with vouch reindex "
                f"--collection {place.name} --discard"
            ) from None

    @staticmethod
    def forget(place: FolderRoot) -> None:
        """Delete the plan, after the version became current or was given up."""
        place.delete(PENDING)


class RecordWatch:
    """The record of the collection at `place`, polled to notice that another version has become current."""

    def __init__(self, place: FolderRoot) -> None:
        """Read the record."""
        self._place = place
        self._content = self._read_record()

    def has_changed(self) -> bool:
        """Return True if the record differs from the last one read. A missing record has not changed."""
        before, now = self._content, self._read_record()
        self._content = now or before
        return self._content != before

    def _read_record(self) -> bytes | None:
        try:
            return self._place.read(RECORD)
        except OSError:
            return None


def tables_place(place: FolderRoot, version: int) -> FolderRoot:
    """Return the folder of the tables of a version and of their other files; of version 0 the collection itself."""
    return place.below(_VERSIONS).below(str(version)) if version else place


def next_version(place: FolderRoot, current: int) -> int:
    """Return the first unused version number."""
    return max([current, *_version_numbers(place)]) + 1


def activate_version(place: FolderRoot, record: EmbedderRecord) -> None:
    """Make the version of `record` the current one, atomically. Raises DiskFull."""
    place.write(RECORD, record_content(record).encode())


def drop_version(place: FolderRoot, version: int) -> None:
    """Delete the tables of a version and their other files."""
    if version:
        tables_place(place, version).clear()
        return
    for name in _FIRST:
        place.below(name).clear()


def tidy(place: FolderRoot, current: int) -> None:
    """Delete versions that are neither current nor pending, such as one left by a kill right after a switch.

    Only the writer may call this.
    """
    folders = place.folders()
    if current and any(name in folders for name in _FIRST):
        drop_version(place, 0)
    if _VERSIONS not in folders:
        return
    pending = PendingVersion.read(place)
    if pending and pending.record.version == current:
        PendingVersion.forget(place)
    for number in set(_version_numbers(place)) - {current, pending.record.version if pending else current}:
        drop_version(place, number)


def _version_numbers(place: FolderRoot) -> list[int]:
    return [int(name) for name in place.below(_VERSIONS).folders() if name.isascii() and name.isdigit()]
