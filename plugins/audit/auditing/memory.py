"""The memory: records that were verified, stored with their collection, so that nobody is asked for them again.

A record that is found only nominates itself: its fields decide, in the judge.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from indexing import Collection
from plugins.audit.auditing.sources import CollectionDocuments, RecordIndex
from plugins.audit.auditing.types import Audit, Lookup, Record
from plugins.audit.errors import BibliographyUnreadable
from plugins.audit.references import Reference

MOST_RECORDS = 50_000
"""The records that are stored; further ones are not."""


class VerifiedRecords:
    """A `RecordSource` of the records that earlier audits verified. Safe for any thread and for several processes."""

    name = "verified before"

    def __init__(self, path: Path, *, most: int = MOST_RECORDS) -> None:
        """Use the file, which is made with the first record."""
        self._path, self._most = path, most
        self._index: RecordIndex | None = None
        self._lock = threading.Lock()

    @classmethod
    def of(cls, collection: Collection) -> VerifiedRecords:
        """Return the memory of a collection."""
        return cls(collection.path / "verified.sqlite")

    def look_up(self, reference: Reference) -> Lookup:
        """Return the nearest records; "not covered" where none is near, "not reachable" where the file is damaged."""
        if not self._path.is_file():
            return Lookup(self.name, "not covered", (), "empty")
        try:
            lookup = self._open().look_up(reference)
        except BibliographyUnreadable as error:
            return Lookup(self.name, "not reachable", (), str(error))
        records = tuple(replace(record, source=self.name) for record in lookup.records)
        return replace(lookup, source=self.name, records=records)

    def remember(self, records: Iterable[Record]) -> int:
        """Store records that were verified, by the names of their sources; return how many are new.

        Nothing is stored where the memory is full, damaged, or on a disk without room.
        """
        try:
            index = self._open()
            return (
                index.fill(replace(r, key=f"{r.source}: {r.key}") for r in records) if index.count < self._most else 0
            )
        except (BibliographyUnreadable, sqlite3.Error, OSError):
            return 0

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            if self._index is not None:
                self._index.close()
            self._index = None

    def _open(self) -> RecordIndex:
        with self._lock:
            if self._index is None:
                self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)  # none of one on an object store
                self._path.touch(mode=0o600)
                self._index = RecordIndex(self._path, make=True, refilled="the next audit looks its records up again")
            return self._index


def remember_verified(audit: Audit, memory: VerifiedRecords, lasting: Iterable[str]) -> int:
    """Store the records of the references that are real; return how many are new.

    `lasting` are the names of the sources that may be believed in later audits, too: not a file that was given for this
    one. Those of the collection's own documents are there already, and are made of what is cited.
    """
    believed = set(lasting) - {CollectionDocuments.name, memory.name}
    real = [entry.record for entry in audit.references if entry.status == "real" and entry.record]
    records = [record for record in real if record.source in believed]
    return memory.remember(records) if records else 0
