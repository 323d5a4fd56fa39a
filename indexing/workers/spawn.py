"""Start worker processes: spawned by a permanent thread, without running the script again."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.context import SpawnContext, SpawnProcess
from types import ModuleType

_starter = ThreadPoolExecutor(1, "worker-starter")
"""The thread that starts all workers: the system kills a worker with the thread (not the process) that started it,
where the worker asked to die with its parent (`indexing.workers`).
"""


class _Process(SpawnProcess):
    """A spawned process that does not run the script it was started from again: tasks need nothing of it.

    Plain spawn re-runs an unguarded script in every worker, which then starts workers of its own.
    """

    def start(self) -> None:
        _starter.submit(self._start).result()

    def _start(self) -> None:
        main = sys.modules["__main__"]
        sys.modules["__main__"] = ModuleType("__main__")
        try:
            super().start()
        finally:
            sys.modules["__main__"] = main


class WorkerContext(SpawnContext):
    """The context from which a pool takes its processes."""

    Process = _Process
