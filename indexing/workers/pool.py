"""Processes that open files and parse pages, one page a task, and that can be killed.

PyMuPDF has crashed and hung on real files. So a page that takes too long is killed with its worker, one that takes
too much memory ends it, and a worker that dies takes only its page along; the pool replaces it. Time is that of the
processor: the clock on the wall would count what other programs take, and a busy machine would fail pages.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import signal
import threading
import warnings
import weakref
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, InvalidStateError
from concurrent.futures import TimeoutError as FutureTimeout
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import psutil
from pebble import ProcessExpired, ProcessPool

from indexing.errors import DamagedFile, FileError, NotReadable, PageCrash, PageTimeout
from indexing.settings import IndexingSettings
from indexing.types import ParsedPage
from indexing.workers.spawn import WorkerContext

if TYPE_CHECKING:
    import pymupdf

    from indexing.parse import PrintedPage
    from indexing.types import LayerWord, Mark, MarkedPdf, Mismatch

T = TypeVar("T")
PAGES_PER_WORKER = 2000
"""The number of tasks after which a worker is replaced, against slow leaks in native code."""
OUT_OF_MEMORY = 78
"""The exit code of a worker that ran out of memory: it would run out again on the next page, so it is replaced."""
PATIENCE = 30
"""The seconds by the clock that a task may take, for each second of processor that it may take."""
WATCH_SECONDS = 1.0
"""The time between two looks at a pool that has tasks."""
REOPEN_AFTER = 100
"""The number of pages after which a worker opens its file afresh: MuPDF keeps what it has read of an open file."""


@dataclass(frozen=True, slots=True)
class Job:
    """A file as every task names it."""

    path: Path
    password: str | None = field(repr=False)
    settings: IndexingSettings


@dataclass(frozen=True, slots=True)
class Opened:
    """The result of opening a file.

    `cut_short` says that it had to be repaired and lacks its end, `locked` that it needed its password.
    """

    n_pages: int
    title: str
    cut_short: bool
    locked: bool


Limit = Literal["page_seconds", "open_seconds"]
"""The setting that says how many seconds of processor a task may take."""


class Workers:
    """A pool of `count` worker processes. Use it as a context manager; leaving it kills the running ones."""

    def __init__(self, count: int, settings: IndexingSettings) -> None:
        """Keep the settings; nothing is started before the first task."""
        self._count = count
        self._settings = settings
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

    def stop(self) -> None:
        """Kill the workers."""
        self._ended.set()
        with self._lock:
            self._stopped = True
            self._end_pool()

    def open(self, job: Job) -> Future[Opened]:
        """Start opening a file; take the outcome with `result_of`."""
        return self._started("open_seconds", _open, job)

    def parse(self, job: Job, number: int, doc_id: str) -> Future[ParsedPage]:
        """Start parsing page `number` (from 1); take the outcome with `parsed`."""
        return self._started("page_seconds", _parse, job, number, doc_id)

    def parsed(self, future: Future[ParsedPage], job: Job, number: int) -> ParsedPage:
        """Wait for a page; raises PageTimeout, PageCrash or another FileError."""
        return result_of(future, f"{job.path.name}: page {number}", "page_seconds", self._settings)

    def printed(self, job: Job, number: int) -> Future[PrintedPage]:
        """Start reading how page `number` (from 1) is set; take the outcome with `result_of`."""
        return self._started("page_seconds", _printed, job, number)

    def unlock(self, job: Job, target: Path) -> None:
        """Write the file of a job to `target` without its password, for whoever wants pages to be drawn without it."""
        future = self._started("open_seconds", _unlock, job, target)
        result_of(future, f"{job.path.name}: unlocking", "open_seconds", self._settings)

    def draw(self, job: Job, number: int, width: int) -> bytes:
        """Draw a page as PNG, `width` pixels wide."""
        future = self._started("page_seconds", _draw, job, number, width)
        return result_of(future, f"{job.path.name}: drawing page {number}", "page_seconds", self._settings)

    def compare(self, job: Job, number: int, lines: Sequence[Sequence[LayerWord]]) -> tuple[Mismatch, ...]:
        """Return the words of `lines` that page `number` shows otherwise (`indexing.parse.likeness`)."""
        future = self._started("page_seconds", _compare, job, number, lines)
        return result_of(future, f"{job.path.name}: reading page {number}", "page_seconds", self._settings)

    def prepare(self) -> None:
        """Start a worker, and have it load what comparing needs, without waiting for it."""
        self._started("open_seconds", _load)

    def annotate(self, job: Job, marks: Sequence[Mark]) -> MarkedPdf:
        """Return the file of a job as a PDF with marks on its pages."""
        future = self._started("open_seconds", _annotate, job, marks)
        return result_of(future, f"{job.path.name}: marking its pages", "open_seconds", self._settings)

    def _started(self, limit: Limit, task: Callable[..., T], *args: object) -> Future[T]:
        """Start a task that is killed after the processor time of a setting, or `PATIENCE` times that by the clock.

        Pebble gives a whole pool up when one of its workers dies while none has a task, as when the system is short of
        memory: then the task goes to a new pool.
        """
        with self._lock:
            self._renew()
            seconds: float = getattr(self._settings, limit)
            future: Future[T] = self._pool.schedule(_timed, args=(seconds, task, *args), timeout=PATIENCE * seconds)
            self._given.add(future)
            if self._watcher is None:
                self._watcher = threading.Thread(target=self._watch, name="worker-watcher", daemon=True)
                self._watcher.start()
            return future

    def _watch(self) -> None:
        """Renew a pool that breaks while somebody waits for it: nothing else may look at it again."""
        while not self._ended.wait(WATCH_SECONDS):
            with self._lock:
                if not all(future.done() for future in self._given):
                    self._renew()

    def _renew(self) -> None:
        """Put a new pool in the place of a broken one."""
        if not (self._pool.active or self._stopped):
            self._end_pool()
            self._pool = self._new_pool()

    def _new_pool(self) -> ProcessPool:
        return ProcessPool(self._count, max_tasks=PAGES_PER_WORKER, initializer=_prepare, context=WorkerContext())

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
            f"{what} was not done after {PATIENCE * seconds:g} s and was stopped, although it took less than "
            f"{seconds:g} s of the processor: see that disk and machine answer, or raise {limit}"
        ) from None
    except BrokenProcessPool:
        raise PageCrash(f"{what} was lost with all workers, which were ended: try it again") from None
    except ProcessExpired as error:
        if error.exitcode == -signal.SIGPROF:
            raise PageTimeout(
                f"{what} took longer than {seconds:g} s of the processor and was stopped: raise {limit} if it may"
            ) from None
        if error.exitcode == OUT_OF_MEMORY:
            raise PageCrash(
                f"{what} needs more than {settings.worker_memory_mb} MB of memory: raise worker_memory_mb if it may"
            ) from None
        raise PageCrash(
            f"{what} crashed its worker (exit code {error.exitcode}; the limit is {settings.worker_memory_mb} MB of "
            "memory): raise worker_memory_mb, or repair the file with another program"
        ) from None


# ---- inside a worker ------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _OpenFile:
    key: tuple[str, str | None] = field(repr=False)
    document: pymupdf.Document
    pages: int = 0


_current: list[_OpenFile] = []
_limited: list[int] = []


def _prepare() -> None:
    """Leave Ctrl-C to the parent, die with it, and write for its owner alone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.umask(0o077)
    signal.signal(signal.SIGPROF, signal.SIG_DFL)  # ends the process: the limit of `_timed`
    warnings.simplefilter("ignore")  # Pillow's remarks on damaged files: what matters becomes a FileError
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG, Linux only


def _timed(seconds: float, task: Callable[..., T], *args: object) -> T:
    """Run a task, and have the system end this process once the task has taken so many seconds of processor."""
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        return task(*args)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _give_back_memory() -> None:
    """Empty MuPDF's store, and return freed memory to the system: one heavy page must not stay a heavy worker."""
    import pymupdf

    pymupdf.TOOLS.store_shrink(100)
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)  # glibc only


def _limit_memory(settings: IndexingSettings) -> None:
    """Let this process grow by no more than the setting beyond what it has mapped with its models loaded.

    Where the system takes no such limit (macOS), or holds to a lower one of its own, there is none of ours: a page is
    then given up for its time alone.
    """
    if _limited:
        return
    limit = psutil.Process().memory_info().vms + settings.worker_memory_mb * 1024 * 1024
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    _limited.append(limit)


def _document(job: Job) -> pymupdf.Document:
    """Return the file of a job, kept open between tasks."""
    from indexing.parse import open_pages

    key = (str(job.path), job.password)
    if _current and (_current[0].key != key or _current[0].pages >= REOPEN_AFTER):
        _current.pop().document.close()
    if not _current:
        _limit_memory(job.settings)
        left, _ = signal.setitimer(signal.ITIMER_PROF, job.settings.open_seconds)
        try:
            _current.append(_OpenFile(key, open_pages(job.path, job.settings, job.password)))
        finally:
            signal.setitimer(signal.ITIMER_PROF, left)  # a page need not pay for opening its file
    _current[0].pages += 1
    return _current[0].document


def _open(job: Job) -> Opened:
    from indexing.parse import is_locked

    try:
        document = _document(job)
    except MemoryError:
        os._exit(OUT_OF_MEMORY)
    except (FileError, OSError):
        raise
    except Exception as error:  # noqa: BLE001  a process boundary, as in _parse
        raise DamagedFile(f"{job.path.name}: damaged ({type(error).__name__}: {error!s:.160}): get it again") from None
    title = " ".join(str((document.metadata or {}).get("title") or "").split())[:300]
    with job.path.open("rb") as file:
        file.seek(max(0, job.path.stat().st_size - 2048))
        ended = b"%%EOF" in file.read()
    pdf = job.path.suffix.lower() == ".pdf"
    cut_short = pdf and bool(document.is_repaired) and not ended
    return Opened(document.page_count, title, cut_short, pdf and job.password is not None and is_locked(job.path))


def _unlock(job: Job, target: Path) -> None:
    import pymupdf

    try:
        _document(job).save(target, encryption=pymupdf.PDF_ENCRYPT_NONE, garbage=1)
    except Exception as error:  # noqa: BLE001  a process boundary, as in _parse
        raise NotReadable(f"{job.path.name}: no copy without password could be kept ({error!s:.120})") from None


@contextlib.contextmanager
def _boundary(what: str) -> Iterator[None]:
    """Turn any error of a library inside into a failure of this task; a lack of memory ends the process."""
    try:
        yield
    except MemoryError:
        os._exit(OUT_OF_MEMORY)
    except FileError:
        raise
    except Exception as error:  # noqa: BLE001  a process boundary
        raise _as_ours(error, what) from None
    finally:
        _give_back_memory()


def _parse(job: Job, number: int, doc_id: str) -> ParsedPage:
    from indexing.parse import image_caption, parse_page

    with _boundary(f"{job.path.name}: page {number}"):
        return parse_page(_document(job)[number - 1], doc_id, job.settings, image_caption(job.path))


def _printed(job: Job, number: int) -> PrintedPage:
    from indexing.parse import printed_page

    with _boundary(f"{job.path.name}: page {number}"):
        return printed_page(_document(job)[number - 1], job.settings)


def _draw(job: Job, number: int, width: int) -> bytes:
    import pymupdf

    with _boundary(f"{job.path.name}: page {number}"):
        page = _document(job)[number - 1]
        zoom = width / page.rect.width
        png: bytes = page.get_pixmap(matrix=pymupdf.Matrix(zoom, zoom), alpha=False).tobytes("png")
        return png


def _compare(job: Job, number: int, lines: Sequence[Sequence[LayerWord]]) -> tuple[Mismatch, ...]:
    from indexing.parse import unlike

    with _boundary(f"{job.path.name}: page {number}"):
        _load()  # the models are no part of what a page may take
        return unlike(_document(job)[number - 1], lines)


def _load() -> None:
    from indexing.parse import alphabet

    alphabet()


def _annotate(job: Job, marks: Sequence[Mark]) -> MarkedPdf:
    from indexing.parse import annotated, open_pages

    with _boundary(f"{job.path.name}: marking its pages"):
        _limit_memory(job.settings)
        # A document of its own: the one that is kept open for drawing must not show the marks.
        return annotated(open_pages(job.path, job.settings, job.password), marks)


def _as_ours(error: Exception, what: str) -> FileError:
    said = (str(error).strip().splitlines() or [type(error).__name__])[-1][:160]  # of a traceback, the last line
    if any(word in str(error).lower() for word in ("malloc", "alloc", "memory")):
        os._exit(OUT_OF_MEMORY)
    return PageCrash(
        f"{what} could not be parsed ({type(error).__name__}: {said}): repair the file with another program"
    )
