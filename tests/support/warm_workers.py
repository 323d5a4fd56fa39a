"""Worker processes that several runs of a module share: to start one takes seconds, a small page takes none.

A run is given pools that an earlier one with the same limits has left whole. Not for tests of the processes themselves:
what dies, is killed, or must be gone.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from weakref import WeakSet

import pytest
from pebble import ProcessPool

from indexing.workers import Workers

KEPT = 2
"""The idle pools that are kept at most."""


class Shelf:
    """Idle pools, each with the number of its processes and their limit of memory, the one used last at the end."""

    def __init__(self) -> None:
        self._idle: list[tuple[tuple[float, ...], ProcessPool]] = []
        self._gone: WeakSet[Workers] = WeakSet()
        self._lock = Lock()
        self._end = Workers._end_pool
        self._new = Workers._new_pool

    def take(self, workers: Workers) -> ProcessPool:
        """Return an idle pool, or a new one."""
        with self._lock:
            for item in reversed(self._idle):
                if item[0] == _known_by(workers):
                    self._idle.remove(item)
                    return item[1]
        return self._new(workers)

    def put(self, workers: Workers) -> None:
        """Keep the pool of a run that ends, if it is whole and has nothing left to do; a run may end twice."""
        if workers in self._gone:
            return
        if not workers._pool.active or not all(future.done() for future in workers._given):
            self._end(workers)
            return
        workers._given.clear()
        self._gone.add(workers)
        with self._lock:
            self._idle.append((_known_by(workers), workers._pool))
            surplus = [self._idle.pop(0) for _ in range(len(self._idle) - KEPT)]
        for _, pool in surplus:
            _close(pool)

    def close(self) -> None:
        """End all of them."""
        while self._idle:
            _close(self._idle.pop()[1])


def _known_by(workers: Workers) -> tuple[float, ...]:
    limits = workers._settings
    return workers.count, limits.worker_memory_mb, limits.page_seconds, limits.open_seconds


def _close(pool: ProcessPool) -> None:
    pool.stop()
    pool.join()


@contextmanager
def sharing() -> Iterator[None]:
    """Have all runs share their pools."""
    shelf = Shelf()

    def new_pool(workers: Workers) -> ProcessPool:
        return shelf.take(workers)

    def end_pool(workers: Workers) -> None:
        shelf.put(workers)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Workers, "_new_pool", new_pool)
        patch.setattr(Workers, "_end_pool", end_pool)
        yield
    shelf.close()
