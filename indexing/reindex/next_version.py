"""NextVersion: copy the documents of the former version into the next one, page by page, as its plan says.

A page whose vectors stay is copied. One whose texts are embedded again keeps its elements. One whose pixels are needed
is drawn and read by a worker, and keeps its elements too. Elements are only made again when files are read again.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, wait
from dataclasses import dataclass, field, fields, replace
from typing import Any

from configs import embeds_pages, loads_checkpoint
from indexing.conversion import converted_formats
from indexing.embed import EmbedderRecord, new_record
from indexing.errors import DocumentMissing, FileError, IndexingCancelled, ReindexUnderway
from indexing.ingest import Failure, FileReport, Progress
from indexing.originals import Originals
from indexing.parse import Outline
from indexing.settings import IndexingSettings
from indexing.storage import FolderRoot
from indexing.store import COLUMNS, PendingVersion, Store, Writer, next_version, read_record
from indexing.types import Document, Element, Page, ParsedPage
from indexing.workers import Job, Workers


@dataclass(frozen=True, slots=True)
class ReindexPlan:
    """The next version and the current one: `former` is the record of the current one.

    `pending` is the next, `resumed` is True if an earlier run has begun it, `settings` are for reading and embedding.
    """

    former: EmbedderRecord
    pending: PendingVersion
    settings: IndexingSettings
    resumed: bool

    @property
    def same_text(self) -> bool:
        """True if the vectors of texts can stay; weights with the same fingerprint can be in another folder."""
        keys = [(r.text.name, r.text.fingerprint or r.text.checkpoint, r.text.dim) for r in self._records]
        return keys[0] == keys[1]

    @property
    def same_visual(self) -> bool:
        """True if the visual embedder stays."""
        keys = [(r.visual, r.fingerprint or r.checkpoint, r.dim, r.token_pooling) for r in self._records]
        return keys[0] == keys[1]

    @property
    def idle(self) -> bool:
        """True if the next version would equal the current one."""
        return self.same_text and self.same_visual and not (self.pending.parse or self.pending.seeing or self.resumed)

    @property
    def _records(self) -> tuple[EmbedderRecord, EmbedderRecord]:
        return self.former, self.pending.record


def plan_of(place: FolderRoot, settings: IndexingSettings, changes: Mapping[str, Any], *, parse: bool) -> ReindexPlan:
    """Return the plan of a reindex, which continues an unfinished run.

    Raises ReindexUnderway if that run made other changes, BadSetting, and for a checkpoint as `new_record` does.
    """
    former = read_record(place, IndexingSettings())
    earlier_run = PendingVersion.read(place)
    if earlier_run is not None and earlier_run.record.text.name == "minilm":
        current = new_record(settings.model_copy(update={"embedder": "minilm", "visual": "none"}))
        if earlier_run.record.text != current.text:  # another Vouch began it, with other vectors than this one's
            PendingVersion.forget(place)
            earlier_run = None
    if earlier_run is not None and not changes and not parse:
        values = earlier_run.record.settings() | {"ocr": earlier_run.ocr, "pixels": earlier_run.pixels}
        return ReindexPlan(former, earlier_run, settings.model_copy(update=values), resumed=True)
    new_settings = _new_settings(former, settings, changes)
    version = earlier_run.record.version if earlier_run else next_version(place, former.version)
    record = replace(new_record(new_settings), version=version)
    seeing = "pixels" in changes and record.visual == "ocr_regions"
    pending = PendingVersion(record, parse or "ocr" in changes, seeing, new_settings.ocr, new_settings.pixels)
    if earlier_run is not None and earlier_run != pending:
        raise ReindexUnderway(
            f"a reindex of {place.name!r} to {_describe(earlier_run)} was started and is not finished: finish it with "
            f"vouch reindex --collection {place.name}, or give it up with vouch reindex --collection "
            f"{place.name} --discard"
        )
    return ReindexPlan(former, pending, new_settings, resumed=earlier_run is not None)


def _new_settings(former: EmbedderRecord, settings: IndexingSettings, changes: Mapping[str, Any]) -> IndexingSettings:
    """Return the settings of the next version: those of the former one with the changes."""
    values = former.settings()
    no_checkpoint = {"checkpoint": "", "token_pooling": 1}
    if "visual" in changes and changes["visual"] != former.visual:
        values |= no_checkpoint
    if "embedder" in changes and changes["embedder"] != former.text.name:
        values |= {"text_checkpoint": "", "text_languages": settings.text_languages}
    new_settings = settings.model_copy(update=values).with_values(**changes)
    return new_settings if loads_checkpoint(new_settings.visual) else new_settings.model_copy(update=no_checkpoint)


def _describe(pending: PendingVersion) -> str:
    record = pending.record
    weights = f" with {record.text.checkpoint}" if record.text.checkpoint else ""
    return f"{record.text.name}{weights} and {record.visual}{', files read again' if pending.parse else ''}"


AHEAD = 4
"""The number of pages in work per worker."""
_AT_ONCE = 64
"""The number of pages that are read of the former version at a time."""
_KEPT = "it is kept as it was read before"
_VISUAL = (*COLUMNS["visual"], "seen_boxes")


@dataclass(frozen=True, slots=True)
class CopyReader:
    """The copies of files, the workers that read them, and a password for locked ones."""

    originals: Originals
    pool: Workers
    password: str | None = field(repr=False)


@dataclass(frozen=True, slots=True)
class RunWatch:
    """The callback for the progress of a run, and the events that stop it."""

    on_progress: Callable[[Progress], None] | None
    cancel: threading.Event | None
    interrupt: threading.Event

    @property
    def is_stopped(self) -> bool:
        """True after the run was stopped."""
        return self.interrupt.is_set() or bool(self.cancel and self.cancel.is_set())


@dataclass(slots=True)
class _Work:
    """A document of the former version. `job` reads its copy; it is None if the copy is missing (`copy_error`).

    `parses` is True if its pages are read again. `pages` and `elements` are counted as they are copied.
    """

    document: Document
    job: Job | None
    parses: bool
    copy_error: Exception | None = None
    start: float = field(default_factory=time.monotonic)
    outline: Outline = field(default_factory=Outline)
    failures: list[Failure] = field(default_factory=list)
    failed_pages: list[int] = field(default_factory=list)
    pages: int = 0
    elements: int = 0

    def fail(self, error: Exception, page: int | None, then: str = _KEPT) -> None:
        """Record why a page, or the document (None), could not be read again, and `then` what follows from that."""
        name = type(error).__name__
        page = None if name == "EncryptedFile" else page
        message = str(error).replace(self.job.path.name, self.document.name) if self.job else str(error)
        if page is not None or all(failure.error != name for failure in self.failures):
            self.failures.append(Failure(page, name, f"{message}: {then}" if then else message))


@dataclass(frozen=True, slots=True)
class _PageInWork:
    """A page of a document: its row and elements in the former version, and the task that parses it again, if any.

    A page that could not be read before has no row.
    """

    work: _Work
    number: int
    row: dict[str, Any] | None
    elements: tuple[Element, ...]
    future: Future[ParsedPage] | None


class NextVersion:
    """One run over the documents of a collection. `reports` and `notes` are printed at its end."""

    def __init__(
        self,
        plan: ReindexPlan,
        former: Store,
        store: Store,
        writer: Writer,
        reader: CopyReader,
        watch: RunWatch,
    ) -> None:
        """Keep the arguments."""
        self._plan, self._former, self._store, self._writer = plan, former, store, writer
        self._reader, self._watch = reader, watch
        self._start = time.monotonic()
        self._pages_done = self._pages_total = self._files_total = 0
        self._n_converted = 0
        self.reports: list[FileReport] = []
        self.cancelled = False

    @property
    def is_complete(self) -> bool:
        """True if the next version has every document, so that it can replace the former."""
        return not self.cancelled and all(report.status != "failed" for report in self.reports)

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences about the whole run."""
        notes = []
        if self._n_converted:
            count = self._n_converted
            documents = f"{count} documents that were converted" if count > 1 else "a converted document"
            notes.append(
                f"{documents} (Office, web pages, mail, text) kept the pages made at that time: index the files "
                "again for new ones"
            )
        if self.cancelled:
            notes.append(
                "the collection answers as before: the same command continues the reindex, --discard gives it up"
            )
        elif not self.is_complete:
            notes.append(
                "the collection is unchanged, because the documents above could not be taken over: give the "
                "password of locked ones, and run the same command again"
            )
        return tuple(notes)

    def copy_documents(self, documents: Sequence[Document]) -> None:
        """Copy the documents; keep those that an earlier run has copied, and update their names and metadata."""
        try:
            for page in self._ahead(self._documents_to_copy(documents)):
                self._copy_page(page)
                if page.number == page.work.document.n_pages:
                    self._finish(page.work)
            self._writer.flush()
            self._keep_knowledge()
        except (KeyboardInterrupt, IndexingCancelled):
            self.cancelled = True
        finally:
            self._writer.flush()

    def _documents_to_copy(self, documents: Sequence[Document]) -> list[Document]:
        """Return the documents to copy; remove outdated ones from the next version, and update those that it has."""
        self._files_total = len(documents)
        present = {d.id: d for d in self._store.documents()}
        for doc_id in present.keys() - {d.id for d in documents}:
            self._writer.remove(doc_id)
        to_do = []
        for document in documents:
            copy = present.get(document.id)
            if copy is None or copy.indexed_at != document.indexed_at:
                if copy is not None:
                    self._writer.remove(copy.id)
                to_do.append(document)
                continue
            if (copy.name, copy.path) != (document.name, document.path):
                self._writer.rename(document.id, document.name, document.path)
            self._writer.describe(document.id, document.metadata)
            self._report(FileReport(document.path, document.name, "skipped", doc_id=document.id))
        self._pages_total = sum(d.n_pages for d in to_do)
        return to_do

    def _ahead(self, documents: Sequence[Document]) -> Iterator[_PageInWork]:
        """Yield pages in order, while workers already read the next few."""
        ahead: deque[_PageInWork] = deque()
        for document in documents:
            for page in self._pages(self._open_document(document)):
                ahead.append(page)
                if len(ahead) > AHEAD * self._plan.settings.workers:
                    yield ahead.popleft()
        yield from ahead

    def _open_document(self, document: Document) -> _Work:
        """Return a document to copy, with the job that reads its copy if that exists and need not be converted."""
        try:
            pages = self._reader.originals.pages(document)
            copy = self._reader.originals.path(document)
            job = Job(copy, self._reader.password, self._plan.settings, pages)
        except DocumentMissing as error:
            return _Work(document, None, self._plan.pending.parse, copy_error=error)
        has_rendition = pages is not None or job.path.suffix.lower() in converted_formats()
        parses = self._plan.pending.parse and not has_rendition
        self._n_converted += has_rendition and self._plan.pending.parse
        return _Work(document, job if pages is not None or not has_rendition else None, parses)

    def _pages(self, work: _Work) -> Iterator[_PageInWork]:
        """Yield the pages of a document, and start parsing those that have to be read again."""
        doc_id, count = work.document.id, work.document.n_pages
        for first in range(1, count + 1, _AT_ONCE):
            last = min(first + _AT_ONCE - 1, count)
            snapshot = self._former.snapshot()
            rows, elements = snapshot.page_rows(doc_id, first, last), snapshot.elements_between(doc_id, first, last)
            for number in range(first, last + 1):
                row = rows.get(number)
                future = None
                needs_reading = work.parses or (row is not None and self._needs_pixels(row))
                if needs_reading and work.job is not None:
                    future = self._reader.pool.parse(work.job, number, doc_id)
                elif needs_reading and work.copy_error is not None:
                    work.fail(work.copy_error, None)
                yield _PageInWork(work, number, row, elements.get(number, ()), future)

    def _needs_pixels(self, row: dict[str, Any]) -> bool:
        """Return True for a page whose pixels a worker has to read."""
        visual = self._plan.pending.record.visual
        if visual == "none":
            return False
        if self._plan.pending.seeing or not self._plan.same_visual:
            return True
        return not embeds_pages(visual) and not self._plan.same_text and bool(row["seen_boxes"])

    def _copy_page(self, page: _PageInWork) -> None:
        """Add a page to the next version, parsed again or as stored, or record why it is missing."""
        work, row, result = page.work, page.row, None
        if page.future is not None and work.job is not None:
            try:
                result = self._result(page.future, work.job, page.number)
                if row is not None and not work.parses and len(result.regions) < len(row["seen_boxes"] or b"") // 20:
                    # Its whole image was read before (`pixels: pages`); a region has five numbers of four bytes.
                    job = replace(work.job, settings=work.job.settings.model_copy(update={"pixels": "pages"}))
                    future = self._reader.pool.parse(job, page.number, work.document.id)
                    result = self._result(future, job, page.number)
            except (FileError, OSError) as error:
                consequence = _KEPT if work.parses else "its pages cannot be searched by their looks"
                work.fail(error, page.number, "" if row is None else consequence)
        self._poll()
        if result is not None and work.parses:
            self._add(work, work.outline.place(result))
        elif row is not None:
            self._add(work, _stored_page(page, row, result), self._reused_columns(row, result))
        else:
            work.failed_pages.append(page.number)
        self._pages_done += 1
        self._progress(work.document.name, work.document.path, page.number, work.document.n_pages)

    def _result(self, future: Future[ParsedPage], job: Job, number: int) -> ParsedPage:
        """Return a parsed page, and publish documents meanwhile. Raises FileError, IndexingCancelled."""
        while not future.done():
            wait([future], timeout=0.2)
            self._poll()
        return self._reader.pool.wait_for_page(future, job, number)

    def _add(self, work: _Work, page: ParsedPage, columns: dict[str, Any] | None = None) -> None:
        work.pages += 1
        work.elements += len(page.elements)
        self._writer.add(page, columns)

    def _reused_columns(self, row: dict[str, Any], page: ParsedPage | None) -> dict[str, Any]:
        """Return the stored columns of a page that are not computed again; those of pixels can be empty."""
        columns = {name: row[name] for name in COLUMNS["text"]} if self._plan.same_text else {}
        if page is None:
            needs_pixels = self._needs_pixels(row)
            columns |= {name: b"" if needs_pixels else row[name] or b"" for name in _VISUAL}
        return columns

    def _finish(self, work: _Work) -> None:
        """Publish a document whose pages are copied, if there are any, and report it."""
        document, plan = work.document, self._plan
        if work.pages:
            new = replace(document, n_elements=work.elements, failed_pages=tuple(work.failed_pages))
            if work.parses or plan.pending.seeing or not plan.same_visual:
                new = replace(new, seen_pages=document.n_pages if plan.settings.reads_pages else 0)
            self._writer.finish(new, None)
        self._report(
            FileReport(
                document.path, document.name, "indexed" if work.pages else "failed", work.pages, work.elements,
                time.monotonic() - work.start, document.id, tuple(work.failures),
            )
        )  # fmt: skip

    def _keep_knowledge(self) -> None:
        """Copy the texts that models wrote about elements that are unchanged in the next version."""
        documents = {d.id: d for d in self._store.documents()}
        same: dict[str, set[str]] = {}
        for rows in self._former.all_knowledge():
            for doc_id in {row["doc_id"] for row in rows if row["doc_id"] in documents} - same.keys():
                same[doc_id] = self._unchanged_elements(documents[doc_id])
            unchanged_rows = [row for row in rows if row["element_id"] in same.get(row["doc_id"], ())]
            if unchanged_rows:
                self._store.keep_knowledge(unchanged_rows)
            self._poll()

    def _unchanged_elements(self, document: Document) -> set[str]:
        """Return the ids of the elements of a document that are the same in both versions."""
        contents = []
        for store in (self._former, self._store):
            pages = store.snapshot().elements_between(document.id, 1, document.n_pages)
            contents.append({e.id: (e.kind, e.text, e.bbox) for elements in pages.values() for e in elements})
        return {name for name, content in contents[0].items() if contents[1].get(name) == content}

    def _report(self, report: FileReport) -> None:
        self.reports.append(report)
        self._progress(report.name, report.path, report=report)

    def _progress(
        self, name: str, path: str, page: int = 0, n_pages: int = 0, report: FileReport | None = None
    ) -> None:
        if self._watch.on_progress:
            self._watch.on_progress(
                Progress(name, len(self.reports), self._files_total, self._pages_done, self._pages_total,
                         time.monotonic() - self._start, path, page, n_pages, report, self._writer.n_reused)
            )  # fmt: skip

    def _poll(self) -> None:
        """Publish finished documents, and end the run if it was cancelled."""
        self._writer.flush_if_due()
        if self._watch.is_stopped:
            raise IndexingCancelled("stopped; what was complete is kept for the next run")


def _stored_page(page: _PageInWork, row: dict[str, Any], result: ParsedPage | None) -> ParsedPage:
    """Return a page with its stored elements, and the pixels that were read now, if any."""
    values = {field.name: row[field.name] for field in fields(Page)}
    return ParsedPage(Page(**values), page.elements, result.regions if result else (), result.image if result else b"")
