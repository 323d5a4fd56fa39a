"""RecordWatch: the record of a collection, read again and again to see whether another version has taken its place."""

from __future__ import annotations

import time

from indexing.storage import ObjectRoot, StorageRoot
from indexing.store.home import RECORD

EVERY = 1.0
"""The seconds between two looks at an object store, each of which is a request; a folder is looked at every time."""


class RecordWatch:
    """The record of the collection at `place`, as it was when it was last looked at; None where there is none."""

    def __init__(self, place: StorageRoot) -> None:
        """Look at it."""
        self._place = place
        self.content = self._read()

    def changed(self, *, at_once: bool = False) -> bool:
        """Return True where the record is another than at the last look. One that is gone has not changed.

        Of an object store it is looked at every second, or `at_once`.
        """
        if not at_once and isinstance(self._place, ObjectRoot) and time.monotonic() - self._looked < EVERY:
            return False
        before, now = self.content, self._read()
        if now is not None:
            self.content = now
        return now is not None and now != before

    def _read(self) -> bytes | None:
        self._looked = time.monotonic()
        try:
            return self._place.read(RECORD)
        except OSError:
            return None
