"""The one pool of a process that draws and compares pages, for all collections that are open in it.

Whoever uses it holds a lease: the pool ends with the last one, and its processes when they have been idle for a while.
"""

from __future__ import annotations

import os
import threading
from collections import Counter

from indexing.settings import IndexingSettings
from indexing.workers.pool import Workers

_Key = tuple[object, ...]
_POOLS: dict[_Key, Workers] = {}
_USERS: Counter[_Key] = Counter()
_LOCK = threading.RLock()
"""Reentrant: garbage is collected in any thread, in one that holds it too."""


class PoolLease:
    """The right to use the shared pool of some limits until `end`, which may be called more than once."""

    def __init__(self, settings: IndexingSettings, processes: int) -> None:
        """Take the pool, or make it with so many processes; where it has fewer, it has as many after its next rest."""
        most = settings.drawing_workers
        limits = settings.worker_memory_mb, settings.page_seconds, settings.open_seconds
        self._key: _Key = (os.getpid(), most, settings.drawing_idle_seconds, *limits)
        self._ended = False
        with _LOCK:
            count = min(processes, most)
            if self._key not in _POOLS:
                _POOLS[self._key] = Workers(count, settings, idle_seconds=settings.drawing_idle_seconds)
            self.workers = _POOLS[self._key]
            self.workers.wish(count)
            _USERS[self._key] += 1

    def end(self, *, abandoned: bool = False) -> None:
        """Give the pool back; the last one ends it. One that is `abandoned` may be so in any thread."""
        with _LOCK:
            if self._ended:
                return
            self._ended = True
            _USERS[self._key] -= 1
            last = not _USERS[self._key]
            if last:
                del _USERS[self._key], _POOLS[self._key]
        if last:
            (self.workers.abandoned if abandoned else self.workers.stop)()
