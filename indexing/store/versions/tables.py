"""Find the tables of each version of a collection, switch to another version, and delete obsolete ones.

The record of a collection names the current version, so that replacing that one file switches to another: in a folder
by a rename, on an object store by one put. Nothing else is moved.
"""

from __future__ import annotations

from indexing.embed import EmbedderRecord
from indexing.errors import WriterReplaced
from indexing.storage import ObjectRoot, StorageRoot
from indexing.store.home import RECORD, record_content
from indexing.store.lock import Confirm
from indexing.store.versions.pending import PendingVersion

_VERSIONS = "versions"
_FIRST = ("db", "shards", "search", "embedded")
"""The folders of a collection whose tables were never made anew."""
_FIT = "text_fit.npz"


def tables_place(place: StorageRoot, version: int) -> StorageRoot:
    """Return the place of the tables of a version and of their other files; version 0 is in the collection itself."""
    return place.below(_VERSIONS).below(str(version)) if version else place


def next_version(place: StorageRoot, current: int) -> int:
    """Return the first unused version number."""
    return max([current, *_numbers(place)]) + 1


def activate_version(place: StorageRoot, record: EmbedderRecord, confirm: Confirm) -> None:
    """Make a version the current one, in one step. Raises WriterReplaced, DiskFull."""
    content = record_content(record).encode()
    if isinstance(place, ObjectRoot):
        _, mark = place.read_with_mark(RECORD)
        confirm()
        if place.write_if(RECORD, content, mark) is None:
            raise WriterReplaced(
                f"{place}/{RECORD} was changed by another process: nothing was swapped; run the same command again"
            )
    else:
        confirm()
        place.write(RECORD, content)


def drop_version(place: StorageRoot, version: int) -> None:
    """Delete the tables of a version and their other files."""
    if version:
        place.below(_VERSIONS).below(str(version)).clear()
        return
    for name in _FIRST:
        place.below(name).clear()
    place.delete(_FIT)


def tidy(place: StorageRoot, current: int) -> None:
    """Delete versions that are neither current nor in progress, such as one left by a kill right after a switch.

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
    numbers = {current, pending.record.version if pending else current}
    for number in _numbers(place):
        if number not in numbers:
            drop_version(place, number)


def _numbers(place: StorageRoot) -> list[int]:
    return [int(name) for name in place.below(_VERSIONS).folders() if name.isascii() and name.isdigit()]
