"""build_index: load -> layout -> outline -> embed -> store, streamed page by page over all files.

Pages are parsed by worker processes, a bounded number ahead; this process embeds and stores them in order. A document
is published within seconds after its last page is stored, several small ones in one commit.
"""

from __future__ import annotations

import contextlib
import hashlib
import threading
import time
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, wait
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import cast

from indexing.collection import Collection
from indexing.errors import FileError, IndexingCancelled, NameTaken
from indexing.ingest.files import FoundFile, find_files
from indexing.ingest.interrupt import held_interrupt
from indexing.ingest.report import (
    Copy,
    Failure,
    FileReport,
    IndexReport,
    OnProgress,
    Progress,
    Status,
    kept_as_read,
    locked_copies,
    unseen,
)
from indexing.parse import Outline, identify
from indexing.settings import IndexingSettings, OcrMode
from indexing.store import Writer
from indexing.types import Document, ParsedPage, upload_key
from indexing.vectors import compile_kernels
from indexing.workers import Job, Opened, Workers, result_of

AHEAD = 4
"""The number of pages in work per worker: enough that none waits while this process embeds."""


def build_index(  # noqa: PLR0913  keywords that a command line has too
    collection: Collection,
    paths: Sequence[Path | str],
    *,
    workers: int | None = None,
    ocr: OcrMode | None = None,
    password: str | None = None,
    on_progress: OnProgress | None = None,
    cancel: threading.Event | None = None,
    settings: IndexingSettings | None = None,
    by_name: bool = False,
    account: str = "",
) -> IndexReport:
    """Index files and folders into a collection; documents that are in it already are skipped.

    A document with failed pages is read anew, unless its file is cut short, and takes its own place if fewer fail now.
    `workers` and `ocr` override the settings. A file takes the place of the document that came from the same path or,
    with `by_name`, of the same name (uploads lie in folders that mean nothing), if the same `account` brought that, ""
    for none. A file that cannot be read becomes a failure in the report, and the run goes on. `password` is tried on
    locked documents; their copies stay locked, unless `keep_decrypted` is set, and `collection` keeps the password in
    memory, to draw their pages. Ctrl-C, or setting `cancel`, ends the run early: whole documents are kept and the
    report says so.

    Raises BadSetting, CollectionLocked when another process writes, DiskFull when nothing more can be stored.
    """
    chosen = (settings or collection.settings).changed(workers=workers, ocr=ocr, visual=collection.settings.visual)
    started = time.monotonic()
    with held_interrupt() as pressed, collection.writer() as writer, Workers(chosen.workers, chosen) as pool:
        run = _Run(writer, pool, chosen, password, on_progress, cancel, pressed, started, by_name, account)
        cancelled = run.over(find_files([Path(p) for p in paths], chosen))
    if not cancelled:
        compile_kernels()  # the first question after a first indexing shall not wait for it
    if password is not None and any(file.copy == "locked" for file in run.reports):
        collection.take_password(password)
    notes = (*kept_as_read(run.reports, ocr), *unseen(run.reports), *locked_copies(run.reports))
    return IndexReport(collection.name, tuple(run.reports), time.monotonic() - started, cancelled, notes)


@dataclass(slots=True)
class _File:
    """A file on its way through the run. `seconds` counts while it is worked on, not while it waits for others."""

    job: Job
    sha256: str
    status: Status
    seconds: float
    opening: Future[Opened]
    opened: Opened | None = None
    outline: Outline = field(default_factory=Outline)
    failures: list[Failure] = field(default_factory=list)
    elements: int = 0
    hidden: int = 0
    copy: Copy = ""

    @property
    def doc_id(self) -> str:
        return self.sha256[:16]

    @contextlib.contextmanager
    def in_hand(self) -> Iterator[None]:
        started = time.monotonic()
        try:
            yield
        finally:
            self.seconds += time.monotonic() - started

    def report(self, status: Status, pages: int = 0, elements: int = 0) -> FileReport:
        path = self.job.path
        return FileReport(
            str(path),
            path.name,
            status,
            pages,
            elements,
            self.seconds,
            self.doc_id,
            tuple(self.failures),
            self.hidden,
            copy=self.copy,
        )


@dataclass(slots=True)
class _Run:
    """One call of `build_index`."""

    writer: Writer
    pool: Workers
    settings: IndexingSettings
    password: str | None = field(repr=False)
    on_progress: OnProgress | None
    cancel: threading.Event | None
    pressed: threading.Event
    started: float
    by_name: bool
    account: str
    reports: list[FileReport] = field(default_factory=list)
    begun: dict[str, str] = field(default_factory=dict)
    files_total: int = 0
    pages_done: int = 0
    pages_total: int = 0

    def over(self, found: Sequence[FoundFile]) -> bool:
        """Index the files; True when the run was stopped before its end."""
        self.files_total = len(found)
        try:
            pages = self._schedule(self._open_ahead(found))
            for file, number, future in pages:
                with file.in_hand():
                    self._take(file, number, future)
                if file.opened is not None and number == file.opened.n_pages:
                    self._finish(file)
        except (KeyboardInterrupt, IndexingCancelled):
            return True
        finally:
            self.writer.flush()
        return False

    def _open_ahead(self, found: Sequence[FoundFile]) -> Iterator[_File]:
        """Yield files that need indexing; opening is already under way for the next few."""
        waiting: deque[_File] = deque()
        for item in found:
            file = self._begin(item)
            if file is not None:
                waiting.append(file)
            if len(waiting) > self.settings.workers:
                yield waiting.popleft()
        yield from waiting

    def _begin(self, found: FoundFile) -> _File | None:
        """Start opening a file, unless it is unreadable or known."""
        started = time.monotonic()
        path = found.path
        self._check_cancel()
        try:
            if found.error:
                raise found.error
            identify(path, self.settings)
            sha256 = _sha256(path)
        except (FileError, OSError) as error:
            self._failed(path, error, time.monotonic() - started)
            return None
        known = self.writer.known(sha256[:16], self._key(path))
        former = self.begun.get(sha256) or self._followed(path, sha256)
        if known == "same" or sha256 in self.begun:
            self.writer.drop_other(sha256[:16], str(path))
            self._report(self._there_already(path, sha256[:16], former))
            return None
        if known == "new" and self._is_taken(path, time.monotonic() - started):
            return None
        self.begun[sha256] = path.name
        job = Job(path, self.password, self.settings)
        status: Status = "indexed" if known == "new" else "replaced"
        return _File(job, sha256, status, time.monotonic() - started, self.pool.open(job))

    def _is_taken(self, path: Path, seconds: float) -> bool:
        """Return True, and report it, for an upload by the name of a document that somebody else brought."""
        other = self.writer.uploaded(path.name) if self.by_name else None
        if other is None:
            return False
        whom = f"{other.brought_by} brought" if other.brought_by else "was brought without an account"
        then = "give yours another name, or have that one removed first"
        taken = f"a document of this name is there, which {whom}: {then}"
        self._failed(path, NameTaken(f"{path.name}: {taken}"), seconds)
        return True

    def _followed(self, path: Path, sha256: str) -> str:
        """Let a document follow its file, where that was renamed; return the name that it had until now, if any.

        A file was renamed when its former path holds nothing any more, or another content. An upload (`by_name`) has no
        path that means anything.
        """
        shown = self.writer.shown(sha256[:16])
        if shown is None:
            return path.name
        former = Path(shown.path)
        if not self.by_name and former.is_absolute() and former != path and not _holds(former, sha256):
            self.writer.drop_other(shown.id, str(path))
            self.writer.rename(shown.id, path.name, str(path))
        return shown.name

    def _there_already(self, path: Path, doc_id: str, former: str) -> FileReport:
        """Return the report of a file whose document is in the collection, and was called `former` until now."""
        shown = self.writer.shown(doc_id)
        name, other = path.name, former if former != path.name else ""
        renamed = other and shown is not None and shown.name == name
        exchanged = not self.settings.keep_decrypted and self.writer.exchange_copy(doc_id, path)
        return FileReport(
            str(path), name, "renamed" if renamed else "skipped", doc_id=doc_id, other_name=other,
            copy="exchanged" if exchanged else "",
        )  # fmt: skip

    def _schedule(self, files: Iterator[_File]) -> Iterator[tuple[_File, int, Future[ParsedPage]]]:
        """Yield pages in order; a bounded number of them is parsed ahead."""
        ahead: deque[tuple[_File, int, Future[ParsedPage]]] = deque()
        for file in files:
            if not self._opened(file):
                continue
            assert file.opened is not None  # noqa: S101  set by _opened
            for number in range(1, file.opened.n_pages + 1):
                ahead.append((file, number, self.pool.parse(file.job, number, file.doc_id)))
                if len(ahead) > AHEAD * self.settings.workers:
                    yield ahead.popleft()
        yield from ahead

    def _opened(self, file: _File) -> bool:
        name = file.job.path.name
        try:
            with file.in_hand():
                self._wait(file.opening)
                file.opened = result_of(file.opening, f"{name}: opening", "open_seconds", self.settings)
        except (FileError, OSError) as error:
            self._failed(file.job.path, error, file.seconds)
            return False
        if file.opened.cut_short and self.writer.known(file.doc_id, self._key(file.job.path)) == "partial":
            self._report(file.report("skipped"))  # what the file lacks no second reading brings
            return False
        self.pages_total += file.opened.n_pages
        if file.opened.cut_short:
            message = f"{name}: cut short, {file.opened.n_pages} pages could be read: get the whole file"
            file.failures.append(Failure(None, "DamagedFile", message))
        return True

    def _take(self, file: _File, number: int, future: Future[ParsedPage]) -> None:
        """Embed and store a page, or note why there is none."""
        self._wait(future)
        try:
            parsed = self.pool.parsed(future, file.job, number)
        except (FileError, OSError) as error:
            file.failures.append(Failure(number, type(error).__name__, str(error)))
        else:
            placed = file.outline.place(parsed)
            self.writer.add(placed)
            file.elements += len(placed.elements)
            file.hidden += placed.hidden
        self.pages_done += 1
        self._progress(file.job.path, number, file.opened.n_pages if file.opened else number)

    def _finish(self, file: _File) -> None:
        """Publish a document whose last page is stored; one without a single good page is a failed file.

        One that is read anew with no more success than before stays as it was.
        """
        assert file.opened is not None  # noqa: S101
        failed = tuple(f.page for f in file.failures if f.page is not None)
        path, pages = file.job.path, file.opened.n_pages
        former = self.writer.shown(file.doc_id) if self.by_name else None  # an upload of what is there renames nothing
        document = Document(
            id=file.doc_id,
            name=former.name if former else path.name,
            title=file.opened.title,
            n_pages=pages,
            sha256=file.sha256,
            path=former.path if former else self._key(path),
            n_elements=file.elements,
            size=path.stat().st_size if path.exists() else 0,
            indexed_at=datetime.now(UTC).isoformat(timespec="milliseconds"),
            failed_pages=failed,
        )
        if not self.writer.improves(document):
            self._report(file.report("skipped"))
        elif len(failed) == pages:
            self._report(file.report("failed"))
        else:
            with file.in_hand():
                self.writer.finish(document, self._drawable(file))
            self._report(file.report(file.status, pages - len(failed), file.elements))

    def _key(self, path: Path) -> str:
        """Return the key by which a file is another version of one that is there."""
        return upload_key(path.name, self.account) if self.by_name else str(path)

    def _drawable(self, file: _File) -> Path:
        """Return the file from which pages can be drawn later: itself or, if that is wanted, a decrypted copy."""
        if file.opened is None or not file.opened.locked:
            return file.job.path
        file.copy = "locked"
        if not self.settings.keep_decrypted:
            return file.job.path
        target = self.writer.sources / f"{file.sha256}.unlocked"
        try:
            self.pool.unlock(file.job, target)
        except FileError as error:
            file.failures.append(Failure(None, type(error).__name__, f"{error}: it stays locked"))
            return file.job.path
        file.copy = "decrypted"
        return target

    def _failed(self, path: Path, error: Exception, seconds: float) -> None:
        failure = Failure(None, type(error).__name__, str(error))
        self._report(FileReport(str(path), path.name, "failed", seconds=seconds, failures=(failure,)))

    def _report(self, report: FileReport) -> None:
        self.reports.append(report)
        self._progress(Path(report.path), report=report)

    def _progress(self, path: Path, page: int = 0, pages: int = 0, report: FileReport | None = None) -> None:
        if self.on_progress:
            self.on_progress(
                Progress(path.name, len(self.reports), self.files_total, self.pages_done, self.pages_total,
                         time.monotonic() - self.started, str(path), page, pages, report, self.writer.reused)
            )  # fmt: skip

    def _wait(self, future: Future[ParsedPage] | Future[Opened]) -> None:
        """Wait for a task, looking up now and then if the run was cancelled, or finished documents wait to be seen."""
        while not future.done():
            wait([cast("Future[object]", future)], timeout=0.2)
            self._check_cancel()
            self.writer.flush_if_due()
        self._check_cancel()

    def _check_cancel(self) -> None:
        if self.pressed.is_set() or (self.cancel and self.cancel.is_set()):
            raise IndexingCancelled("stopped; documents that were complete are kept")


def _holds(path: Path, sha256: str) -> bool:
    """Return True where a file has that content."""
    try:
        return path.is_file() and _sha256(path) == sha256
    except OSError:
        return False


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
