"""Processes that open files and parse pages, one page a task, and that can be killed.

PyMuPDF has crashed and hung on real files. So a page that takes too long is killed with its worker, one that takes
too much memory ends it, and a worker that dies takes only its page along; the pool replaces it. Time is that of the
processor: the clock on the wall would count what other programs take, and a busy machine would fail pages.
"""

from __future__ import annotations

import contextlib
import math
import os
import shutil
import signal
import sys
import tempfile
import threading
import time
import weakref
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import Future, InvalidStateError, ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeout
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.context import SpawnContext, SpawnProcess
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from pebble import ProcessExpired, ProcessPool

from indexing.errors import PageCrash, PageTimeout
from indexing.settings import IndexingSettings
from indexing.types import ParsedPage
from indexing.workers.tasks import (
    OUT_OF_MEMORY,
    Job,
    OpenedFile,
    compare_numbered,
    draw_numbered,
    load_alphabet,
    mark_file,
    open_file,
    parse_numbered,
    prepare_process,
    read_numbered,
    read_printed_numbered,
    run_timed,
    see_numbered,
    unlock_file,
)

if TYPE_CHECKING:
    from indexing.parse import PrintedPage
    from indexing.types import Element, LayerWord, Mark, MarkedPdf, Mismatch, Region

T = TypeVar("T")
PAGES_PER_WORKER = 2000
"""The number of tasks after which a worker is replaced, because native code leaks memory."""
PATIENCE = 30
"""The seconds of wall time that a task may take for each second of processor time."""
WATCH_SECONDS = 1.0
"""The seconds between two checks of a pool that has tasks."""


Limit = Literal["page_seconds", "open_seconds"]
"""The setting that limits the seconds of processor time of a task."""

_starter = ThreadPoolExecutor(1, "worker-starter")
"""The thread that starts all workers: the system kills a worker with the thread (not the process) that started it,
where the worker asked to die with its parent (`prepare_process`).
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
    """A multiprocessing context whose processes are `_Process`."""

    Process = _Process


class Workers:
    """A pool of `count` worker processes. Use it as a context manager; leaving it kills the running ones.

    Renditions are written to `folder`, created on demand and deleted at the end; by default to a temporary folder.
    """

    embed: None = None
    page_embedder: None = None
    """None: these processes embed no pages."""

    def __init__(
        self,
        count: int,
        settings: IndexingSettings,
        folder: Path | None = None,
        *,
        patient: bool = False,
        idle_seconds: float = math.inf,
    ) -> None:
        """Keep the settings; nothing is started before the first task.

        The processes of a `patient` pool run at the lowest priority. They end after `idle_seconds` without a task;
        the next task starts others.
        """
        self.count = self._next_count = count
        self._patient = patient
        self._idle_seconds = idle_seconds
        self._last_used: float | None = None  # the time of the last task; None if no process is running
        self._settings = settings
        self._folder = folder
        self._programs: Workers | None = None
        self._pool = self._new_pool()
        self._lock = threading.Lock()
        self._stopped = False
        self._stop_watching = threading.Event()
        self._watcher: threading.Thread | None = None
        self._futures: weakref.WeakSet[Future[Any]] = weakref.WeakSet()

    def __enter__(self) -> Workers:
        """Return the pool itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Kill the workers."""
        self.stop()

    def raise_count(self, count: int) -> None:
        """Use at least that many processes after the pool has been idle and starts again."""
        self._next_count = max(self._next_count, count)

    def stop(self) -> None:
        """Kill the workers."""
        self._stop_watching.set()
        with self._lock:
            self._stopped = True
            self._end_pool()
        if self._programs is not None:
            self._programs.stop()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)

    def stop_from_finalizer(self) -> None:
        """Kill the workers when their owner is garbage-collected.

        That can happen in any thread, also in one of the pool, which cannot wait for its own end.
        """
        if threading.current_thread() is threading.main_thread():
            self.stop()
        else:
            threading.Thread(target=self.stop, name="worker-end").start()

    def open(self, job: Job) -> Future[OpenedFile]:
        """Start opening a file and making its rendition if it needs one; get the result with `wait_for_file`."""
        folder = None
        if job.source_format is not None:
            with self._lock:
                folder = self._folder = self._folder or Path(tempfile.mkdtemp(prefix="vouch-"))
        return self._pool_for(job).submit("open_seconds", open_file, job, folder)

    def wait_for_file(self, future: Future[OpenedFile], job: Job) -> OpenedFile:
        """Wait for a file; raises PageTimeout, PageCrash or another FileError."""
        return result_of(future, f"{job.path.name}: opening", "open_seconds", self._settings)

    def _pool_for(self, job: Job) -> Workers:
        """Return the pool for a job: formats converted by a program have their own pool without the memory limit.

        The limit of a process applies to its children, too, and browsers and office suites reserve more than they use.
        """
        if job.source_format is None or not job.source_format.program:
            return self
        with self._lock:
            self._programs = self._programs or Workers(
                self.count, self._settings, patient=self._patient, idle_seconds=self._idle_seconds
            )
            return self._programs

    def parse(self, job: Job, number: int, doc_id: str) -> Future[ParsedPage]:
        """Start parsing page `number` (from 1); get the result with `wait_for_page`."""
        return self.submit("page_seconds", parse_numbered, job, number, doc_id)

    def wait_for_page(self, future: Future[ParsedPage], job: Job, number: int) -> ParsedPage:
        """Wait for a page; raises PageTimeout, PageCrash or another FileError."""
        return result_of(future, f"{job.path.name}: page {number}", "page_seconds", self._settings)

    def read(self, job: Job, number: int, most: int) -> str:
        """Return the text of page `number` (from 1); if it is an image, about the first `most` characters."""
        return self._run(f"page {number}", "page_seconds", read_numbered, job, number, most)

    def read_printed(self, job: Job, number: int) -> Future[PrintedPage]:
        """Start reading the typography of page `number` (from 1); get the result with `result_of`."""
        return self.submit("page_seconds", read_printed_numbered, job, number)

    def unlock(self, job: Job, target: Path) -> None:
        """Write the file of a job to `target` without its password, so that its pages can be drawn without it."""
        self._run("unlocking", "open_seconds", unlock_file, job, target)

    def draw(self, job: Job, number: int, width: int) -> bytes:
        """Draw a page as PNG, `width` pixels wide."""
        return self._run(f"drawing page {number}", "page_seconds", draw_numbered, job, number, width)

    def compare(self, job: Job, number: int, lines: Sequence[Sequence[LayerWord]]) -> tuple[tuple[Mismatch, ...], ...]:
        """Return, for each line, the words that look different on page `number`."""
        return self._run(f"reading page {number}", "page_seconds", compare_numbered, job, number, lines)

    def see(self, job: Job, number: int, elements: Sequence[Element]) -> tuple[Region, ...]:
        """Return the paragraphs that are legible on page `number` with `elements`."""
        return self._run(f"page {number}", "page_seconds", see_numbered, job, number, elements)

    def annotate(self, job: Job, marks: Sequence[Mark]) -> MarkedPdf:
        """Return the file of a job as a PDF with marks on its pages."""
        return self._run("marking its pages", "open_seconds", mark_file, job, marks)

    def prepare(self) -> None:
        """Start a worker that loads the models for comparing, without waiting for it."""
        self.submit("open_seconds", load_alphabet)

    def _run(self, what: str, limit: Limit, task: Callable[..., T], job: Job, *args: object) -> T:
        """Return the result of a task for the file of a job. Raises a FileError that names it."""
        future = self._pool_for(job).submit(limit, task, job, *args)
        return result_of(future, f"{job.path.name}: {what}", limit, self._settings)

    def submit(self, limit: Limit, task: Callable[..., T], *args: object) -> Future[T]:
        """Start a task that is killed after the processor time of a setting, or `PATIENCE` times that in wall time.

        Pebble gives up a pool when one of its workers dies while idle, for example when the system is short of memory:
        then the task goes to a new pool.
        """
        with self._lock:
            self._renew()
            seconds: float = getattr(self._settings, limit)
            future: Future[T] = self._pool.schedule(run_timed, args=(seconds, task, *args), timeout=PATIENCE * seconds)
            self._futures.add(future)
            self._last_used = time.monotonic()
            if self._watcher is None:
                self._watcher = threading.Thread(target=self._watch, name="worker-watcher", daemon=True)
                self._watcher.start()
            return future

    def _watch(self) -> None:
        """Replace a pool that breaks while a caller waits for it, and end an idle one."""
        while not self._stop_watching.wait(WATCH_SECONDS):
            with self._lock:
                if not all(future.done() for future in self._futures):
                    self._renew()
                    self._last_used = time.monotonic()
                elif self._last_used is not None and time.monotonic() - self._last_used >= self._idle_seconds:
                    self._suspend()

    def _suspend(self) -> None:
        """End the processes; the next task starts others."""
        self._last_used = None
        if not self._stopped:
            self._end_pool()
            self.count = self._next_count
            self._pool = self._new_pool()

    def _renew(self) -> None:
        """Replace the pool if it is broken."""
        if not (self._pool.active or self._stopped):
            self._end_pool()
            self._pool = self._new_pool()

    def _new_pool(self) -> ProcessPool:
        return ProcessPool(
            self.count,
            max_tasks=PAGES_PER_WORKER,
            initializer=prepare_process,
            initargs=(self._patient,),
            context=WorkerContext(),
        )

    def _end_pool(self) -> None:
        """End the pool and fail its remaining tasks: one submitted as the pool broke would never end."""
        self._pool.stop()
        self._pool.join()
        for future in self._futures:
            with contextlib.suppress(InvalidStateError):  # it is done
                future.set_exception(BrokenProcessPool("the pool has ended"))
        self._futures.clear()


def result_of(future: Future[T], what: str, limit: Limit, settings: IndexingSettings) -> T:
    """Return the result of a task; a kill, a crash or a lack of memory becomes a FileError that names `what`."""
    seconds: float = getattr(settings, limit)
    try:
        return future.result()
    except FutureTimeout:
        raise PageTimeout(
            f"{what} did not finish within {PATIENCE * seconds:g} s and was stopped, although it used less "
            f"than {seconds:g} s of processor time: check that the disk and the machine respond, or raise "
            f"{limit}"
        ) from None
    except BrokenProcessPool:
        raise PageCrash(f"{what} was lost because all workers were ended: try again") from None
    except ProcessExpired as error:
        if error.exitcode == -signal.SIGPROF:
            raise PageTimeout(
                f"{what} used more than {seconds:g} s of processor time and was stopped: raise {limit} to allow more"
            ) from None
        if error.exitcode == OUT_OF_MEMORY:
            raise PageCrash(
                f"{what} needs more than {settings.worker_memory_mb} MB of memory: raise worker_memory_mb to allow more"
            ) from None
        raise PageCrash(
            f"{what} crashed its worker (exit code {error.exitcode}; the limit is {settings.worker_memory_mb} MB of "
            "memory): raise worker_memory_mb, or repair the file with another program"
        ) from None


_Key = tuple[object, ...]
_POOLS: dict[_Key, Workers] = {}
_USERS: Counter[_Key] = Counter()
_LOCK = threading.RLock()
"""Reentrant: garbage is collected in any thread, in one that holds it too."""


class PoolLease:
    """The right to use the shared pool with the limits of `settings` until `end`, which may be called repeatedly.

    All collections that are open in a process share it for drawing and comparing pages. It ends with its last user, and
    its processes when they have been idle for a while.
    """

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
