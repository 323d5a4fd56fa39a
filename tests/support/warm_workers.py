"""Worker processes that the tests of a session share: starting one takes seconds, a small page almost no time.

A run takes over a pool that an earlier run with the same limits has left intact. Not for tests of the processes
themselves: of what dies, is killed, or must be gone.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from weakref import WeakKeyDictionary

import pytest
from pebble import ProcessPool

from indexing import IndexingSettings
from indexing.workers import Workers

Key = tuple[object, ...]
KEPT = 2
"""The largest number of idle pools."""
USUAL_MEMORY = IndexingSettings().worker_memory_mb
"""A pool with another limit is not kept: what earlier tests left in its processes would count against it."""
STARTED_WITH = ("PATH", "HOME", "TMPDIR", "VOUCH_PLUGINS")
"""The variables by which workers find programs, plugins, and the places of temporary files."""


class WarmPools:
    """Idle pools, the most recently used one last, each with what its processes were started with."""

    def __init__(self) -> None:
        self._idle: list[ProcessPool] = []
        self._keys: WeakKeyDictionary[ProcessPool, Key] = WeakKeyDictionary()
        self._lock = Lock()
        self._new, self._end = Workers._new_pool, Workers._end_pool

    def take(self, workers: Workers) -> ProcessPool:
        """Return an idle pool, or a new one."""
        key = _key(workers)
        with self._lock:
            for pool in reversed(self._idle):
                if self._keys[pool] == key and pool.active:
                    self._idle.remove(pool)
                    return pool
        pool = self._new(workers)
        self._keys[pool] = key
        return pool

    def put(self, workers: Workers) -> None:
        """Keep the pool of a run that ends, if it is intact and has nothing left to do."""
        pool, surplus = workers._pool, []
        intact = pool.active and all(future.done() for future in workers._futures)
        if intact and pool in self._keys and workers._settings.worker_memory_mb == USUAL_MEMORY:
            workers._pool = self._new(workers)  # never started; a run may end twice
            with self._lock:
                self._idle.append(pool)
                surplus = [self._idle.pop(0) for _ in range(len(self._idle) - KEPT)]
        self._end(workers)
        for old in surplus:
            _close(old)

    def close(self) -> None:
        """End all idle pools."""
        while self._idle:
            _close(self._idle.pop())

    @contextmanager
    def shared(self) -> Iterator[None]:
        """Have all runs share these pools."""

        def new_pool(workers: Workers) -> ProcessPool:
            return self.take(workers)

        def end_pool(workers: Workers) -> None:
            self.put(workers)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Workers, "_new_pool", new_pool)
            patch.setattr(Workers, "_end_pool", end_pool)
            yield


def _key(workers: Workers) -> Key:
    """Return what a pool is known by: its limits, and what its processes start with. All paths come with the tasks.

    Limits of time come with tasks too, but a limit of a millisecond is one only for a process that has to import.
    """
    limits, programs = workers._settings, (os.environ.get(name) for name in STARTED_WITH)
    times = limits.page_seconds, limits.open_seconds
    return workers.count, workers._patient, limits.worker_memory_mb, *times, *programs


def _close(pool: ProcessPool) -> None:
    pool.stop()
    pool.join()


@contextmanager
def sharing() -> Iterator[None]:
    """Have all runs share their pools, which end with the context."""
    pools = WarmPools()
    with pools.shared():
        yield
    pools.close()
