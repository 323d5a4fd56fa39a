"""Processes that open files and parse pages, one page a task, and that can be killed.

PyMuPDF has crashed and hung on real files. So a page that takes too long is killed with its worker, one that takes
too much memory ends it, and a worker that dies takes only its page along; the pool replaces it. Time is that of the
processor: the clock on the wall would count what other programs take, and a busy machine would fail pages.
"""

from __future__ import annotations

import contextlib
import math
import shutil
import signal
import tempfile
import threading
import time
import weakref
from collections.abc import Callable, Sequence
from concurrent.futures import Future, InvalidStateError
from concurrent.futures import TimeoutError as FutureTimeout
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from pebble import ProcessExpired, ProcessPool

from indexing.errors import PageCrash, PageTimeout
from indexing.settings import IndexingSettings
from indexing.types import ParsedPage
from indexing.workers.spawn import WorkerContext
from indexing.workers.tasks import (
    OUT_OF_MEMORY,
    Job,
    Opened,
    compare_numbered,
    draw_numbered,
    load_alphabet,
    mark_file,
    open_file,
    parse_numbered,
    prepare_process,
    printed_numbered,
    read_numbered,
    see_numbered,
    timed_task,
    unlock_file,
)

if TYPE_CHECKING:
    from indexing.parse import PrintedPage
    from indexing.types import Element, LayerWord, Mark, MarkedPdf, Mismatch, Region

T = TypeVar("T")
PAGES_PER_WORKER = 2000
"""The number of tasks after which a worker is replaced, against slow leaks in native code."""
PATIENCE = 30
"""The seconds by the clock that a task may take, for each second of processor that it may take."""
WATCH_SECONDS = 1.0
"""The time between two looks at a pool that has tasks."""


Limit = Literal["page_seconds", "open_seconds"]
"""The setting that says how many seconds of processor a task may take."""


class Workers:
    """A pool of `count` worker processes. Use it as a context manager; leaving it kills the running ones.

    Renditions go into `folder`, made when it is needed and deleted at the end; without one into a temporary folder.
    """

    embed: None = None
    seer: None = None
    """Nothing: these processes embed no pages."""

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

        The processes of a `patient` pool stand back wherever others want the processor. Those that have had no task
        for `idle_seconds` end; the next task starts others.
        """
        self.count = self._wished = count
        self._patient = patient
        self._idle_seconds = idle_seconds
        self._used: float | None = None  # when there was a task last; None where no process is running
        self._settings = settings
        self._folder = folder
        self._programs: Workers | None = None
        self._pool = self._new_pool()
        self._lock = threading.Lock()
        self._stopped = False
        self._ended = threading.Event()
        self._watcher: threading.Thread | None = None
        self._given: weakref.WeakSet[Future[Any]] = weakref.WeakSet()

    def __enter__(self) -> Workers:
        """Return the pool itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Kill the workers."""
        self.stop()

    def wish(self, count: int) -> None:
        """Have at least so many processes from the next start on, which follows a rest."""
        self._wished = max(self._wished, count)

    def stop(self) -> None:
        """Kill the workers."""
        self._ended.set()
        with self._lock:
            self._stopped = True
            self._end_pool()
        if self._programs is not None:
            self._programs.stop()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)

    def abandoned(self) -> None:
        """Kill the workers of an owner that is gone.

        Garbage is collected in any thread, in those of the pool too, which cannot wait for their own end.
        """
        if threading.current_thread() is threading.main_thread():
            self.stop()
        else:
            threading.Thread(target=self.stop, name="worker-end").start()

    def open(self, job: Job) -> Future[Opened]:
        """Start opening a file, which makes its rendition where it needs one; take the outcome with `result_of`."""
        folder = None
        if job.converted is not None:
            with self._lock:
                folder = self._folder = self._folder or Path(tempfile.mkdtemp(prefix="vouch-"))
        return self._for(job).started("open_seconds", open_file, job, folder)

    def opened(self, future: Future[Opened], job: Job) -> Opened:
        """Wait for a file; raises PageTimeout, PageCrash or another FileError."""
        return result_of(future, f"{job.path.name}: opening", "open_seconds", self._settings)

    def _for(self, job: Job) -> Workers:
        """Return the pool for a job: what runs a program has one of its own, whose memory is not limited as others'.

        The limit of a process holds for all that it starts, and browsers and office suites reserve more than they use.
        """
        if job.converted is None or not job.converted.program:
            return self
        with self._lock:
            self._programs = self._programs or Workers(
                self.count, self._settings, patient=self._patient, idle_seconds=self._idle_seconds
            )
            return self._programs

    def parse(self, job: Job, number: int, doc_id: str) -> Future[ParsedPage]:
        """Start parsing page `number` (from 1); take the outcome with `parsed`."""
        return self.started("page_seconds", parse_numbered, job, number, doc_id)

    def parsed(self, future: Future[ParsedPage], job: Job, number: int) -> ParsedPage:
        """Wait for a page; raises PageTimeout, PageCrash or another FileError."""
        return result_of(future, f"{job.path.name}: page {number}", "page_seconds", self._settings)

    def read(self, job: Job, number: int, most: int) -> str:
        """Return the text of page `number` (from 1), of a page image about the first `most` characters of it."""
        future = self.started("page_seconds", read_numbered, job, number, most)
        return result_of(future, f"{job.path.name}: page {number}", "page_seconds", self._settings)

    def printed(self, job: Job, number: int) -> Future[PrintedPage]:
        """Start reading how page `number` (from 1) is set; take the outcome with `result_of`."""
        return self.started("page_seconds", printed_numbered, job, number)

    def unlock(self, job: Job, target: Path) -> None:
        """Write the file of a job to `target` without its password, for whoever wants pages to be drawn without it."""
        future = self.started("open_seconds", unlock_file, job, target)
        result_of(future, f"{job.path.name}: unlocking", "open_seconds", self._settings)

    def draw(self, job: Job, number: int, width: int) -> bytes:
        """Draw a page as PNG, `width` pixels wide."""
        future = self._for(job).started("page_seconds", draw_numbered, job, number, width)
        return result_of(future, f"{job.path.name}: drawing page {number}", "page_seconds", self._settings)

    def compare(self, job: Job, number: int, lines: Sequence[Sequence[LayerWord]]) -> tuple[tuple[Mismatch, ...], ...]:
        """Return, of each line, the words that page `number` shows otherwise (`indexing.parse.likeness`)."""
        future = self.started("page_seconds", compare_numbered, job, number, lines)
        return result_of(future, f"{job.path.name}: reading page {number}", "page_seconds", self._settings)

    def see(self, job: Job, number: int, elements: Sequence[Element]) -> tuple[Region, ...]:
        """Return the paragraphs that page `number`, which has `elements`, shows (`indexing.parse.likeness`)."""
        future = self._for(job).started("page_seconds", see_numbered, job, number, elements)
        return result_of(future, f"{job.path.name}: page {number}", "page_seconds", self._settings)

    def prepare(self) -> None:
        """Start a worker, and have it load what comparing needs, without waiting for it."""
        self.started("open_seconds", load_alphabet)

    def annotate(self, job: Job, marks: Sequence[Mark]) -> MarkedPdf:
        """Return the file of a job as a PDF with marks on its pages."""
        future = self._for(job).started("open_seconds", mark_file, job, marks)
        return result_of(future, f"{job.path.name}: marking its pages", "open_seconds", self._settings)

    def started(self, limit: Limit, task: Callable[..., T], *args: object) -> Future[T]:
        """Start a task that is killed after the processor time of a setting, or `PATIENCE` times that by the clock.

        Pebble gives a whole pool up when one of its workers dies while none has a task, as when the system is short of
        memory: then the task goes to a new pool.
        """
        with self._lock:
            self._renew()
            seconds: float = getattr(self._settings, limit)
            future: Future[T] = self._pool.schedule(timed_task, args=(seconds, task, *args), timeout=PATIENCE * seconds)
            self._given.add(future)
            self._used = time.monotonic()
            if self._watcher is None:
                self._watcher = threading.Thread(target=self._watch, name="worker-watcher", daemon=True)
                self._watcher.start()
            return future

    def _watch(self) -> None:
        """Renew a pool that breaks while somebody waits for it, as nothing else may look again; end an idle one."""
        while not self._ended.wait(WATCH_SECONDS):
            with self._lock:
                if not all(future.done() for future in self._given):
                    self._renew()
                    self._used = time.monotonic()
                elif self._used is not None and time.monotonic() - self._used >= self._idle_seconds:
                    self._rest()

    def _rest(self) -> None:
        """End the processes; the next task starts others."""
        self._used = None
        if not self._stopped:
            self._end_pool()
            self.count = self._wished
            self._pool = self._new_pool()

    def _renew(self) -> None:
        """Put a new pool in the place of a broken one."""
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
        """End the pool, and tell the tasks that it leaves: one that it was given as it broke it would never end."""
        self._pool.stop()
        self._pool.join()
        for future in self._given:
            with contextlib.suppress(InvalidStateError):  # it is done
                future.set_exception(BrokenProcessPool("the pool has ended"))
        self._given.clear()


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
