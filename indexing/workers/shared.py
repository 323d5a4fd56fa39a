"""The pool that draws and compares pages for all collections that are open in a process.

Each user holds a lease: the pool ends with the last one, and its processes when they have been idle for a while.
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
        """Take the pool, or create it with that many processes; a smaller one grows when it next starts."""
        most = settings.drawing_workers
        limits = settings.worker_memory_mb, settings.page_seconds, settings.open_seconds
        self._key: _Key = (os.getpid(), most, settings.drawing_idle_seconds, *limits)
        self._has_ended = False
        with _LOCK:
            count = min(processes, most)
            if self._key not in _POOLS:
                _POOLS[self._key] = Workers(count, settings, idle_seconds=settings.drawing_idle_seconds)
            self.workers = _POOLS[self._key]
            self.workers.raise_count(count)
            _USERS[self._key] += 1

    def end(self, *, in_finalizer: bool = False) -> None:
        """Release the pool; the last lease ends it. `in_finalizer` allows any thread, as garbage collection needs."""
        with _LOCK:
            if self._has_ended:
                return
            self._has_ended = True
            _USERS[self._key] -= 1
            last = not _USERS[self._key]
            if last:
                del _USERS[self._key], _POOLS[self._key]
        if last:
            (self.workers.stop_from_finalizer if in_finalizer else self.workers.stop)()
