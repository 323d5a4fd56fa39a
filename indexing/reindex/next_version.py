"""NextVersion: copy the documents of a former version into the next one, page by page, with the least work.

A page whose vectors stay is copied. One whose texts are embedded again keeps its elements. One whose pixels are needed
is drawn and read by a worker, and keeps its elements too. Elements are only made again when files are read again.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import wait
from dataclasses import dataclass, field, replace
from typing import Any

from configs import loads_checkpoint
from indexing.conversion import converted_formats
from indexing.errors import CollectionDamaged, DocumentMissing, FileError, IndexingCancelled
from indexing.ingest import FileReport, Progress
from indexing.originals import Originals
from indexing.reindex.document_in_work import KEPT, DocumentInWork, PageInWork
from indexing.reindex.former import FormerVersion, no_pixels, page_of, vectors_of
from indexing.reindex.plan import ReindexPlan
from indexing.store import ShardedStore, Store, Writer
from indexing.types import Document, Element, ParsedPage
from indexing.workers import Job, Workers

AHEAD = 4
"""The number of pages in work per worker."""
_AT_ONCE = 64
"""The number of pages that are read of the former version at a time."""


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
    pressed: threading.Event

    @property
    def is_stopped(self) -> bool:
        """True after the run was stopped."""
        return self.pressed.is_set() or bool(self.cancel and self.cancel.is_set())


class NextVersion:
    """One run over the documents of a collection. `reports` and `notes` are printed at its end."""

    def __init__(
        self,
        plan: ReindexPlan,
        former: FormerVersion,
        store: Store | ShardedStore,
        writer: Writer,
        reader: CopyReader,
        watch: RunWatch,
    ) -> None:
        """Keep the parts."""
        self._plan, self._former, self._store, self._writer = plan, former, store, writer
        self._reader, self._watch = reader, watch
        self._keeps_text = plan.same_text and not former.bare
        self._started = time.monotonic()
        self._pages_done = self._pages_total = self._files_total = 0
        self._converted = 0
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
        if self._converted:
            documents = (
                f"{self._converted} documents that were converted" if self._converted > 1 else "a converted document"
            )
            notes.append(
                f"{documents} (Office, web pages, mail, text) kept the pages made at that time: index the files "
                "again for new ones"
            )
        if not self.is_complete and not self.cancelled:
            notes.append(
                "the collection is unchanged, because the documents above could not be taken over: give the "
                "password of locked ones, and run the same command again"
            )
        if self.cancelled:
            notes.append(
                "the collection answers as before: the same command continues the reindex, --discard gives it up"
            )
        return tuple(notes)

    def copy_documents(self, documents: Sequence[Document]) -> None:
        """Copy the documents; keep those that an earlier run has copied, and update their names and metadata."""
        try:
            for page in self._ahead(self._to_do(documents)):
                self._take(page)
                if page.last:
                    self._finish(page.work)
            self._writer.flush()
            self._keep_knowledge()
        except (KeyboardInterrupt, IndexingCancelled):
            self.cancelled = True
        finally:
            self._writer.flush()

    def _to_do(self, documents: Sequence[Document]) -> list[Document]:
        """Return the documents that the next version lacks, or has in an outdated reading."""
        self._files_total = len(documents)
        present = {d.id: d for d in self._store.documents()}
        for doc_id in present.keys() - {d.id for d in documents}:
            self._writer.remove(doc_id)
        to_do = []
        for document in documents:
            stored = present.get(document.id)
            if stored is None or stored.indexed_at != document.indexed_at:
                if stored is not None:
                    self._writer.remove(stored.id)
                to_do.append(document)
                continue
            if (stored.name, stored.path) != (document.name, document.path):
                self._writer.rename(document.id, document.name, document.path)
            self._writer.describe(document.id, document.metadata)
            self._report(FileReport(document.path, document.name, "skipped", doc_id=document.id))
        self._pages_total = sum(d.n_pages for d in to_do)
        return to_do

    def _ahead(self, documents: Sequence[Document]) -> Iterator[PageInWork]:
        """Yield pages in order, while workers already read the next few."""
        ahead: deque[PageInWork] = deque()
        for document in documents:
            work = self._open_document(document)
            for page in self._pages(work):
                ahead.append(page)
                if len(ahead) > AHEAD * self._plan.settings.workers:
                    yield ahead.popleft()
        yield from ahead

    def _open_document(self, document: Document) -> DocumentInWork:
        """Return the work on a document, with its copy if that can be read."""
        try:
            pages = self._reader.originals.pages(document)
            copy = self._reader.originals.path(document)
            job = Job(copy, self._reader.password, self._plan.settings, pages)
        except DocumentMissing as error:
            return DocumentInWork(document, None, self._plan.pending.parse, copy_error=error)
        has_rendition = pages is not None or job.path.suffix.lower() in converted_formats()
        parses = self._plan.pending.parse and not has_rendition
        self._converted += has_rendition and self._plan.pending.parse
        return DocumentInWork(document, job if pages is not None or not has_rendition else None, parses)

    def _pages(self, work: DocumentInWork) -> Iterator[PageInWork]:
        document = work.document
        for first in range(1, document.n_pages + 1, _AT_ONCE):
            last = min(first + _AT_ONCE - 1, document.n_pages)
            rows, elements = self._read_stored(work, first, last)
            for number in range(first, last + 1):
                row = rows.get(number)
                future = None
                needs_reading = work.parses or (row is not None and self._wants_pixels(row))
                if needs_reading and work.job is not None:
                    future = self._reader.pool.parse(work.job, number, document.id)
                elif needs_reading and work.copy_error is not None:
                    work.fail(work.copy_error, None)
                yield PageInWork(work, number, row, elements.get(number, ()), future)

    def _read_stored(
        self, work: DocumentInWork, first: int, last: int
    ) -> tuple[dict[int, dict[str, Any]], dict[int, tuple[Element, ...]]]:
        """Return the stored rows and elements of pages; none if an older format cannot be read."""
        try:
            return self._former.between(work.document.id, first, last)
        except CollectionDamaged:
            if not self._plan.outdated:
                raise
            return {}, {}

    def _wants_pixels(self, row: dict[str, Any]) -> bool:
        """Return True for a page whose pixels a worker has to read."""
        visual = self._plan.pending.record.visual
        if visual == "none":
            return False
        if self._plan.pending.seeing or not self._plan.same_visual:
            return True
        return not loads_checkpoint(visual) and not self._keeps_text and bool(row.get("seen_boxes"))

    def _take(self, page: PageInWork) -> None:
        """Add a page to the next version, or note why it is missing."""
        work, parsed = page.work, None
        if page.future is not None and work.job is not None:
            self._wait(page)
            try:
                parsed = self._reader.pool.wait_for_page(page.future, work.job, page.number)
                if not work.parses and len(parsed.regions) < _regions(page.row):
                    parsed = self._whole_page(page, work.job)
            except (FileError, OSError) as error:
                then = (
                    "" if page.row is None else KEPT if work.parses else "its pages cannot be searched by their looks"
                )
                work.fail(error, page.number, then)
        self._look_up()
        if parsed is not None and work.parses:
            self._writer.add(work.count(work.outline.place(parsed)))
        elif page.row is not None:
            self._writer.add(work.count(_stored_page(page, parsed)), self._reused_columns(page.row, parsed))
        else:
            work.failed_pages.append(page.number)
        self._pages_done += 1
        self._progress(work, page.number)

    def _whole_page(self, page: PageInWork, job: Job) -> ParsedPage:
        """Read a page as it is drawn (`pixels: pages`), as it was before, since it had more regions.

        Raises a FileError.
        """
        whole_job = replace(job, settings=job.settings.model_copy(update={"pixels": "pages"}))
        second = replace(page, future=self._reader.pool.parse(whole_job, page.number, page.work.document.id))
        assert second.future is not None  # noqa: S101  made here
        self._wait(second)
        return self._reader.pool.wait_for_page(second.future, whole_job, page.number)

    def _reused_columns(self, row: dict[str, Any], parsed: ParsedPage | None) -> dict[str, Any]:
        """Return the columns of a page that are not computed again."""
        columns: dict[str, Any] = vectors_of(row, "text") if self._keeps_text else {}
        if parsed is None:
            columns |= no_pixels() if self._wants_pixels(row) else vectors_of(row, "visual")
        return columns

    def _finish(self, work: DocumentInWork) -> None:
        if work.pages:
            document, plan = work.new_document(), self._plan
            if work.parses or plan.pending.seeing or not plan.same_visual:
                seen_pages = document.n_pages if plan.settings.reads_pages else 0
                document = replace(document, seen_pages=seen_pages)
            self._writer.finish(document, None)
        self._report(work.report(), work)

    def _keep_knowledge(self) -> None:
        """Copy the texts that models wrote about elements that are unchanged in the next version."""
        documents = {d.id: d for d in self._store.documents()}
        same: dict[str, set[str]] = {}
        for rows in self._former.knowledge():
            for doc_id in {row["doc_id"] for row in rows if row["doc_id"] in documents} - same.keys():
                same[doc_id] = self._unchanged_elements(documents[doc_id])
            unchanged = [row for row in rows if row["element_id"] in same.get(row["doc_id"], ())]
            if unchanged:
                self._store.keep_knowledge(unchanged)
            self._look_up()

    def _unchanged_elements(self, document: Document) -> set[str]:
        """Return the ids of the elements of a document that are the same in both versions."""
        _, former = self._former.between(document.id, 1, document.n_pages)
        now = self._store.of(document.id).snapshot().elements_between(document.id, 1, document.n_pages)
        contents = [{e.id: (e.kind, e.text, e.bbox) for own in pages.values() for e in own} for pages in (former, now)]
        return {name for name, content in contents[0].items() if contents[1].get(name) == content}

    def _report(self, report: FileReport, work: DocumentInWork | None = None) -> None:
        self.reports.append(report)
        self._progress(work, report=report)

    def _progress(self, work: DocumentInWork | None, page: int = 0, report: FileReport | None = None) -> None:
        if self._watch.on_progress:
            document = work.document if work else None
            name, path = (
                (document.name, document.path) if document else (report.name, report.path) if report else ("", "")
            )
            self._watch.on_progress(
                Progress(name, len(self.reports), self._files_total, self._pages_done, self._pages_total,
                         time.monotonic() - self._started, path, page, document.n_pages if document else 0, report,
                         self._writer.reused)
            )  # fmt: skip

    def _wait(self, page: PageInWork) -> None:
        assert page.future is not None  # noqa: S101  _take
        while not page.future.done():
            wait([page.future], timeout=0.2)
            self._look_up()

    def _look_up(self) -> None:
        """Publish finished documents, and end the run if it was cancelled."""
        self._writer.flush_if_due()
        if self._watch.is_stopped:
            raise IndexingCancelled("stopped; what was complete is kept for the next run")


def _regions(row: dict[str, Any] | None) -> int:
    """Return the number of stored regions of a page's pixels: five numbers each."""
    return len(row.get("seen_boxes") or b"") // 20 if row else 0


def _stored_page(page: PageInWork, parsed: ParsedPage | None) -> ParsedPage:
    """Return a page with its stored elements, and the pixels that were read now, if any."""
    assert page.row is not None  # noqa: S101  _take
    return ParsedPage(
        page_of(page.row), page.elements, parsed.regions if parsed else (), parsed.image if parsed else b""
    )
