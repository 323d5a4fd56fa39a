"""build_index: load -> layout -> outline -> embed -> store, streamed page by page over all files.

Pages are parsed by an executor, the worker processes of this machine or of a cluster, a bounded number ahead. They are
embedded by this process or, a bounded number too, by the executor; this process stores them in order. A document is
published within seconds after its last page is stored, several small ones in one commit. When all texts are there, the
pixels of the pages are read (`indexing.deferred_reading`); on a cluster that is done with the text of each page.
"""

from __future__ import annotations

import contextlib
import signal
import threading
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, wait
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType
from typing import cast

from configs import LOCAL
from indexing.collection import Collection
from indexing.conversion import has_elements
from indexing.deferred_reading import read_pixels, unread_pixels
from indexing.errors import FileError, IndexingCancelled
from indexing.executors import Executor, executor_for
from indexing.ingest.file_in_work import FileInWork
from indexing.ingest.files import ArrivingFiles, FoundFile, find_files
from indexing.ingest.report import (
    Failure,
    FileReport,
    IndexReport,
    OnProgress,
    Progress,
    failed_file,
    kept_as_read,
    locked_copies,
    renditions,
    unseen_words,
)
from indexing.metadata import FileRecords, Metadata
from indexing.parse import readable_formats
from indexing.settings import IndexingSettings, OcrMode
from indexing.store import PageRows, Writer
from indexing.types import Document, ParsedPage
from indexing.vectors import compile_kernels
from indexing.workers import Job, OpenedFile


@contextlib.contextmanager
def held_interrupt(event: threading.Event | None = None) -> Iterator[threading.Event]:
    """Yield `event`, or a new one, which the first Ctrl-C in the block sets; the block checks it between two steps.

    A second one raises KeyboardInterrupt, which can stop a lock or a queue halfway, so that others wait for ever.
    In other threads than the main one, and where other code handles SIGINT, nothing changes.
    """
    interrupt = event or threading.Event()

    def on_signal(number: int, frame: FrameType | None) -> None:
        if interrupt.is_set():
            signal.default_int_handler(number, frame)
        interrupt.set()

    handles_signal = (
        threading.current_thread() is threading.main_thread()
        and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    )
    if handles_signal:
        signal.signal(signal.SIGINT, on_signal)
    try:
        yield interrupt
    finally:
        if handles_signal:
            signal.signal(signal.SIGINT, signal.default_int_handler)


AHEAD = 4
"""The number of pages in work per worker: enough that none waits while this process embeds."""
MOST_NAMED = 5
"""The most pages that a report names of those whose pixels could not be read."""


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
    records: Mapping[Path, Metadata] | None = None,
    tags: Sequence[str] = (),
    untagged: Sequence[str] = (),
    on: str = LOCAL,
) -> IndexReport:
    """Index files and folders into a collection. Documents that are already in it are skipped.

    A document with failed pages is read again, unless its file is cut short, and replaced if fewer pages fail now. A
    file replaces the document that came from the same path or, with `by_name`, that has the same name (the folders of
    uploads mean nothing), if the same `account` uploaded it ("" for none). A file that cannot be read becomes a failure
    in the report, and the run continues. `workers` and `ocr` override the settings. `password` is tried on locked
    documents; their copies remain locked, unless `keep_decrypted` is set, and `collection` keeps the password in memory
    to render their pages. Ctrl-C, or setting `cancel`, ends the run early: complete documents are kept, and the report
    says so. `records` has metadata by the path of a file, which completes the file's own; `tags` are added to all
    documents, and `untagged` removed. Documents that are already in the collection get all three without being read
    again. `on` says where files are read (`configs/executors.py`): here, or where a plugin can.

    Raises BadSetting; CollectionLocked if another process is writing; DiskFull if nothing more can be stored; and the
    errors of the plugin that does the work.
    """
    identity = {"embedder": collection.settings.embedder, "visual": collection.settings.visual}
    settings = (settings or collection.settings).with_values(workers=workers, ocr=ocr, **identity)
    two_passes = settings.reads_pages and on == LOCAL
    config = settings.with_values(pixels="images") if two_passes else settings
    start = time.monotonic()
    reports: list[FileReport] = []
    cancelled, unread = True, tuple[str, ...]()
    with (
        contextlib.suppress(IndexingCancelled),  # while no node of a cluster had joined
        held_interrupt() as interrupt,
        collection.writer() as writer,
        executor_for(on, config, writer.renditions, lambda: _is_cancelled(interrupt, cancel)) as pool,
    ):
        if pool.page_embedder is not None:
            writer.use_page_embedder(pool.page_embedder)
        file_records = FileRecords(records or {}, tuple(tags), tuple(untagged))
        arriving = ArrivingFiles(writer, config, by_name, account, file_records)
        run = _Run(writer, pool, config, password, on_progress, cancel, interrupt, start, arriving, reports, two_passes)
        cancelled = run.index(find_files([Path(p) for p in paths], config))
    if not cancelled:
        compile_kernels()  # the first question after a first indexing shall not wait for it
    if password is not None and any(file.copy == "locked" for file in reports):
        collection.take_password(password)
    if two_passes and not cancelled:
        cancelled, unread = _read_pixels_after(collection, config.workers, on_progress, cancel)
    groups = (kept_as_read(reports, ocr), unseen_words(reports), locked_copies(reports), renditions(reports), unread)
    notes = tuple(note for notes in groups for note in notes)
    return IndexReport(collection.name, tuple(reports), time.monotonic() - start, cancelled, notes)


@dataclass(frozen=True, slots=True)
class _PageInWork:
    """A page of a file that the executor embeds."""

    file: FileInWork
    number: int
    result: ParsedPage
    rows: Future[PageRows]


@dataclass(slots=True)
class _Run:
    """One call of `build_index`."""

    writer: Writer
    pool: Executor
    settings: IndexingSettings
    password: str | None = field(repr=False)
    on_progress: OnProgress | None
    cancel: threading.Event | None
    interrupt: threading.Event
    start: float
    arriving: ArrivingFiles
    reports: list[FileReport]
    pixels_follow: bool = False
    files_total: int = 0
    pages_done: int = 0
    pages_total: int = 0
    attachments: deque[FoundFile] = field(default_factory=deque)
    embedding: deque[_PageInWork] = field(default_factory=deque)

    def index(self, files: Sequence[FoundFile]) -> bool:
        """Index the files; return True if the run was cancelled."""
        self.files_total = len(files)
        try:
            pages = self._schedule(self._open_ahead(files))
            for file, number, future in pages:
                with file.add_seconds():
                    self._take_page(file, number, future)
                if file.opened_file is not None and number == file.opened_file.n_pages:
                    file.read = True
                    self._finish_if_complete(file)
                self._store_embedded(AHEAD * self.pool.count)
            self._store_embedded(0)
        except (KeyboardInterrupt, IndexingCancelled):
            return True
        finally:
            self.writer.flush()
        return False

    def _open_ahead(self, files: Sequence[FoundFile]) -> Iterator[FileInWork]:
        """Yield the files to index, in order; the next few are already being opened."""
        waiting: deque[FileInWork] = deque()
        coming = iter(files)
        while True:
            item = self.attachments.popleft() if self.attachments else next(coming, None)
            if item is not None:
                file = self._begin(item)
                if file is not None:
                    waiting.append(file)
                else:
                    self._attachment_done(item.parent)
            elif not waiting:
                return
            if waiting and (item is None or len(waiting) > self.pool.count):
                yield waiting.popleft()

    def _begin(self, file: FoundFile) -> FileInWork | None:
        """Start opening a file and return it; None, after a report, if it is unreadable or already indexed."""
        start = time.monotonic()
        self._poll()
        arrival = self.arriving.check(file)
        if isinstance(arrival, FileReport):
            self._report(arrival)
            return None
        job = Job(arrival.path, self.password, self.settings)
        opening, seconds = self.pool.open(job), time.monotonic() - start
        return FileInWork(job, arrival.sha256, arrival.status, seconds, opening, arrival.key, file.parent)

    def _schedule(self, files: Iterator[FileInWork]) -> Iterator[tuple[FileInWork, int, Future[ParsedPage]]]:
        """Yield file, page number and parsing task of all pages in order; a bounded number is parsed ahead."""
        ahead: deque[tuple[FileInWork, int, Future[ParsedPage]]] = deque()
        for file in files:
            if not self._open_file(file):
                self._attachment_done(file.parent)
                continue
            assert file.opened_file is not None  # noqa: S101  set by _open_file
            for number in range(1, file.opened_file.n_pages + 1):
                ahead.append((file, number, self.pool.parse(file.job, number, file.doc_id)))
                if len(ahead) > AHEAD * self.pool.count:
                    yield ahead.popleft()
        yield from ahead

    def _open_file(self, file: FileInWork) -> bool:
        """Wait until a file is open; return False, after a report, if none of its pages are to be parsed."""
        name = file.job.path.name
        try:
            with file.add_seconds():
                self._wait(file.opening)
                file.opened_file = self.pool.wait_for_file(file.opening, file.job)
        except (FileError, OSError) as error:
            self._report(failed_file(file.job.path, error, file.seconds))
            return False
        file.job = replace(file.job, pages=file.opened_file.pages)
        self._take_attachments(file)
        if file.opened_file.cut_short and self.writer.document_state(file.doc_id, file.key) == "partial":
            self._report(file.report("skipped"))  # reading it again cannot bring what it lacks
            return False
        self.pages_total += file.opened_file.n_pages
        if file.opened_file.cut_short:
            message = f"{name}: cut short, only {file.opened_file.n_pages} pages could be read: get the whole file"
            file.failures.append(Failure(None, "DamagedFile", message))
        return True

    def _take_attachments(self, file: FileInWork) -> None:
        """Put the attachments of a file next in the queue; those that Vouch does not read are failures of the file."""
        for name, path in file.opened_file.attachments if file.opened_file else ():
            if path.suffix.lower() in readable_formats():
                self.attachments.append(FoundFile(path, key=f"{file.key}!{name}", parent=file))
                file.waiting += 1
                self.files_total += 1
            else:
                message = f"{file.job.path.name}: the attachment {name} is not read: save it as a PDF to index it"
                file.failures.append(Failure(None, "UnsupportedFile", message))

    def _attachment_done(self, parent: FileInWork | None) -> None:
        """Count an attachment of `parent` as done, also one that failed; the last one lets the parent be published."""
        if parent is not None:
            parent.waiting -= 1
            self._finish_if_complete(parent)

    def _take_page(self, file: FileInWork, number: int, future: Future[ParsedPage]) -> None:
        """Embed and store a parsed page, or start that on the executor; record the failure of one that has none."""
        self._wait(future)
        try:
            page = self.pool.wait_for_page(future, file.job, number)
        except (FileError, OSError) as error:
            file.failures.append(Failure(number, type(error).__name__, str(error)))
        else:
            placed_page = page if has_elements(file.pages) else file.outline.place(page)
            if self.pixels_follow and any(element.source == "layer" for element in placed_page.elements):
                placed_page = replace(placed_page, regions=())
            if self.pool.embed is not None:
                file.embedding += 1
                self.embedding.append(_PageInWork(file, number, placed_page, self.pool.embed(placed_page)))
                return
            self.writer.add(placed_page)
            file.take(placed_page)
        self._page_done(file, number)

    def _page_done(self, file: FileInWork, number: int) -> None:
        self.pages_done += 1
        self._progress(file.job.path, number, file.opened_file.n_pages if file.opened_file else number)

    def _store_embedded(self, most: int) -> None:
        """Wait until the executor embeds no more than `most` pages; those that it has embedded are stored."""
        while len(self.embedding) > most:
            self._wait(self.embedding[0].rows)

    def _store(self, page: _PageInWork) -> None:
        """Store a page that the executor has embedded; the last one that a file waits for completes it."""
        file = page.file
        file.embedding -= 1
        with file.add_seconds():
            try:
                self.writer.take(page.rows.result())
            except FileError as error:
                file.failures.append(Failure(page.number, type(error).__name__, str(error)))
            else:
                file.take(page.result)
        self._page_done(file, page.number)
        self._finish_if_complete(file)

    def _finish_if_complete(self, file: FileInWork) -> None:
        """Finish a file if all of its pages are stored, and all of its attachments are done."""
        if file.read and not file.waiting and not file.embedding:
            self._finish(file)

    def _finish(self, file: FileInWork) -> None:
        """Publish a document whose last page is stored; one without a single good page is a failed file.

        A document that was read again, and failed on as many pages as before, stays as it was.
        """
        assert file.opened_file is not None  # noqa: S101
        failed_pages = tuple(f.page for f in file.failures if f.page is not None)
        path, pages = file.job.path, file.opened_file.n_pages
        # Uploading a document again does not rename it.
        former = self.writer.document(file.doc_id) if self.arriving.by_name else None
        metadata = self.arriving.records.complete_metadata(file.metadata(), path)
        document = Document(
            id=file.doc_id,
            name=former.name if former else path.name,
            title=file.opened_file.title,
            n_pages=pages,
            sha256=file.sha256,
            path=former.path if former else file.key,
            n_elements=file.elements,
            size=path.stat().st_size if path.exists() else 0,
            indexed_at=datetime.now(UTC).isoformat(timespec="milliseconds"),
            failed_pages=failed_pages,
            metadata=replace(metadata, parent=file.parent.doc_id if file.parent else ""),
            seen_pages=pages if self.settings.reads_pages else 0,
        )
        if not self.writer.improves(document):
            self.writer.discard(document.id)
            self._report(file.report("skipped"))
        elif len(failed_pages) == pages:
            self._report(file.report("failed"))
        else:
            with file.add_seconds():
                self.writer.finish(document, self._file_to_store(file), file.pages)
            self._report(file.report(file.status, pages - len(failed_pages), file.elements))
        self._attachment_done(file.parent)

    def _file_to_store(self, file: FileInWork) -> Path:
        """Return the file whose copy the collection stores: itself or, with `keep_decrypted`, a decrypted one."""
        if file.opened_file is None or not file.opened_file.locked:
            return file.job.path
        file.copy = "locked"
        if not self.settings.keep_decrypted:
            return file.job.path
        target = self.writer.decrypted_path(file.sha256)
        try:
            self.pool.unlock(file.job, target)
        except FileError as error:
            file.failures.append(Failure(None, type(error).__name__, f"{error}: it remains locked"))
            return file.job.path
        file.copy = "decrypted"
        return target

    def _report(self, report: FileReport) -> None:
        self.reports.append(report)
        self._progress(Path(report.path), report=report)

    def _progress(self, path: Path, page: int = 0, pages: int = 0, report: FileReport | None = None) -> None:
        if self.on_progress:
            self.on_progress(
                Progress(path.name, len(self.reports), self.files_total, self.pages_done, self.pages_total,
                         time.monotonic() - self.start, str(path), page, pages, report, self.writer.n_reused)
            )  # fmt: skip

    def _wait(self, future: Future[ParsedPage] | Future[OpenedFile] | Future[PageRows]) -> None:
        """Wait for a task, calling `_poll` meanwhile and at the end."""
        while not future.done():
            wait([cast("Future[object]", future)], timeout=0.2)
            self._poll()
        self._poll()

    def _poll(self) -> None:
        """Store embedded pages and publish documents that are due; raise IndexingCancelled if the run was cancelled."""
        while self.embedding and self.embedding[0].rows.done():
            self._store(self.embedding.popleft())
        self.writer.flush_if_due()
        if _is_cancelled(self.interrupt, self.cancel):
            raise IndexingCancelled("stopped; documents that were complete are kept")


def _is_cancelled(interrupt: threading.Event, cancel: threading.Event | None) -> bool:
    return interrupt.is_set() or (cancel is not None and cancel.is_set())


def _read_pixels_after(
    collection: Collection, workers: int, on_progress: OnProgress | None, cancel: threading.Event | None
) -> tuple[bool, tuple[str, ...]]:
    """Read the pixels of all pages that were not read yet; return True if that was stopped before its end, and notes.

    Ctrl-C and `cancel` stop it.
    """
    start, stopped, errors = time.monotonic(), False, list[str]()
    with held_interrupt() as interrupt, contextlib.closing(read_pixels(collection, workers)) as pages:
        for at in pages:
            if at.error:
                errors.append(at.error)
            if on_progress:
                on_progress(
                    Progress(at.document.name, 0, 0, at.done, at.total, time.monotonic() - start, at.document.path,
                             at.page, at.document.n_pages, pixels=True)
                )  # fmt: skip
            if stopped := _is_cancelled(interrupt, cancel):
                break
    notes = [f"{error}; mode image cannot see it" for error in errors[:MOST_NAMED]]
    if len(errors) > MOST_NAMED:
        notes.append(f"and {len(errors) - MOST_NAMED} more pages that mode image cannot see")
    n_unread = unread_pixels(collection) if stopped else 0
    if n_unread:
        notes.append(
            f"all texts can be searched; {n_unread} pages are still to be read for mode image: run vouch index again"
        )
    return stopped and n_unread > 0, tuple(notes)
