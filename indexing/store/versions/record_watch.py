"""RecordWatch: poll the record of a collection to notice that another version has become current."""

from __future__ import annotations

import time

from indexing.storage import ObjectRoot, StorageRoot
from indexing.store.home import RECORD

EVERY = 1.0
"""The seconds between two reads from an object store, each a request; a record in a folder is read every time."""


class RecordWatch:
    """The record of the collection at `place`; `content` is the last one read, None if there is none."""

    def __init__(self, place: StorageRoot) -> None:
        """Read the record."""
        self._place = place
        self.content = self._read_record()

    def has_changed(self, *, at_once: bool = False) -> bool:
        """Return True if the record differs from the last one read. A missing record has not changed.

        On an object store it is read every second, or `at_once`.
        """
        if not at_once and isinstance(self._place, ObjectRoot) and time.monotonic() - self._looked < EVERY:
            return False
        before, now = self.content, self._read_record()
        if now is not None:
            self.content = now
        return now is not None and now != before

    def _read_record(self) -> bytes | None:
        self._looked = time.monotonic()
        try:
            return self._place.read(RECORD)
        except OSError:
            return None
