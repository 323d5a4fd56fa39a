"""The places of the tables of a collection, version by version: the swap to another one, and what is left over.

The record of a collection names the version that answers, so that to write that one file is the whole swap: in a folder
it takes the place of the old file by a rename, on an object store by one put. Nothing else is moved.
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
    """Return the place of the tables, and of what belongs to them: that of the collection for version 0."""
    return place.below(_VERSIONS).below(str(version)) if version else place


def next_version(place: StorageRoot, current: int) -> int:
    """Return the number of a version that there is not yet."""
    return max([current, *_numbers(place)]) + 1


def put_in_place(place: StorageRoot, made: EmbedderRecord, confirm: Confirm) -> None:
    """Have a version answer from now on: the swap, in one step. Raises WriterReplaced, DiskFull."""
    content = record_content(made).encode()
    if isinstance(place, ObjectRoot):
        _, mark = place.read_marked(RECORD)
        confirm()
        if place.write_if(RECORD, content, mark) is None:
            raise WriterReplaced(
                f"{place}/{RECORD} was changed by another process: nothing was swapped; run the same command again"
            )
    else:
        confirm()
        place.write(RECORD, content)


def drop_version(place: StorageRoot, version: int) -> None:
    """Delete the tables of a version, and what belongs to them."""
    if version:
        place.below(_VERSIONS).below(str(version)).clear()
        return
    for name in _FIRST:
        place.below(name).clear()
    place.delete(_FIT)


def tidy(place: StorageRoot, current: int) -> None:
    """Delete the versions that neither answer nor are being made, as a kill right after a swap leaves one.

    Only the writer may call this.
    """
    there = place.folders()
    if current and any(name in there for name in _FIRST):
        drop_version(place, 0)
    if _VERSIONS not in there:
        return
    pending = PendingVersion.read(place)
    if pending and pending.made.version == current:
        PendingVersion.forget(place)
    kept = {current, pending.made.version if pending else current}
    for number in _numbers(place):
        if number not in kept:
            drop_version(place, number)


def _numbers(place: StorageRoot) -> list[int]:
    return [int(name) for name in place.below(_VERSIONS).folders() if name.isascii() and name.isdigit()]
