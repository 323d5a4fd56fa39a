"""Process the pages of a collection after they were indexed: read their pixels, compare their text with them.

That takes about a second per page; a question whose quotes are already verified need not wait for it.

It is the second pass of indexing for the visual embedder `ocr_regions`, and takes about as long as the first. It can be
stopped at any time: each document has the number of its pages that were read (`Document.seen_pages`).
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import dataclass, replace

from indexing.collection import Collection
from indexing.errors import CollectionLocked, DocumentMissing, EncryptedFile, FileError, PageCrash, PageTimeout
from indexing.originals import Line, Originals, lines_of
from indexing.types import Document, Element, Page, ParsedPage, Region

PAGES = 50
"""The pages of a document whose elements are read at once."""


@dataclass(frozen=True, slots=True)
class VerifiedPage:
    """A page (from 1) that was verified, now or before: how many lines can be quoted, and how many of them agree.

    `error` says why it could not be verified.
    """

    document: Document
    page: int
    lines: int
    agree: int
    error: str = ""


def verify_ahead(collection: Collection) -> Generator[VerifiedPage]:
    """Verify every page that is not verified yet, and yield all pages in order; closing the generator ends the work.

    The process that reads pages has the lowest priority. Raises CollectionDamaged.
    """
    documents = collection.documents()
    collection.agreed_lines.forget_others(documents)
    with closing(collection.originals.by_processes(1, patient=True)) as originals:
        for document, page, lines in _pages(collection, documents):
            try:
                yield VerifiedPage(
                    document, page, len(lines), _agree_count(collection, originals, document, page, lines)
                )
            except (FileError, DocumentMissing) as error:
                yield VerifiedPage(document, page, len(lines), 0, error=str(error))


def _pages(collection: Collection, documents: Sequence[Document]) -> Iterator[tuple[Document, int, Sequence[Line]]]:
    """Yield document, page number and lines that can be quoted of every page."""
    for document in documents:
        for first in range(1, document.n_pages + 1, PAGES):
            numbers = range(first, min(first + PAGES, document.n_pages + 1))
            elements_by_page = collection.elements_on([(document.id, number) for number in numbers])
            for number, elements in zip(numbers, elements_by_page, strict=True):
                yield document, number, lines_of(elements)


def _agree_count(
    collection: Collection, originals: Originals, document: Document, page: int, lines: Sequence[Line]
) -> int:
    """Return how many lines of a page agree with its pixels, as stored, else compare and store them, or FileError."""
    agreed_lines, stamp = collection.agreed_lines, originals.page_stamp(document)
    if (earlier := agreed_lines.of(document, stamp, page, lines)) is not None:
        return len(earlier)
    try:
        agree = [not line for line in originals.compare(document, page, lines)] if lines else []
    except (PageTimeout, PageCrash):  # it would happen again
        agreed_lines.keep(document, stamp, page, lines, [False for _ in lines])
        raise
    agreed_lines.keep(document, stamp, page, lines, agree)
    return sum(agree)


AT_ONCE = 32
"""The pages of a document whose elements are read at once, and whose pixels are stored at once."""
STORE_SECONDS = 10.0
"""The seconds after which pages that were read are stored, however few."""
PATIENCE = 60.0
"""The most seconds to wait for another writer."""


@dataclass(frozen=True, slots=True)
class SeenPage:
    """A page (from 1) whose pixels were read, the `done`th of `total`; `error` says why they could not be.

    Of a locked document no page is read, `page` is 0, and its pages are left for another time.
    """

    document: Document
    page: int
    done: int
    total: int
    error: str = ""


def unread_pixels(collection: Collection) -> int:
    """Count the pages whose pixels are still to be read; 0 if the settings do not have OCR read pages."""
    return sum(document.n_pages - document.seen_pages for document in _documents_to_read(collection))


def read_pixels(collection: Collection, processes: int = 1, *, patient: bool = False) -> Generator[SeenPage]:
    """Recognize the text in the images of all pages that still lack it (visual embedder `ocr_regions`), page by page.

    Yields the progress after each page; closing the generator ends the work. Others may write to the collection in the
    meantime. With `patient`, its processes run at the lowest priority. Raises CollectionLocked if another process
    writes for over a minute, CollectionDamaged, DiskFull.
    """
    documents = _documents_to_read(collection)
    if not documents:
        return
    originals = collection.originals.by_processes(processes, patient=patient)
    total = sum(document.n_pages - document.seen_pages for document in documents)
    with ThreadPoolExecutor(processes, "pixels") as threads:
        reading = _PixelReading(collection, originals, threads, total)
        try:
            for document in documents:
                yield from reading.read_document(document)
        finally:
            originals.close()
            with suppress(CollectionLocked):  # the process that writes now does it
                collection.optimize()


def _documents_to_read(collection: Collection) -> list[Document]:
    if not collection.settings.reads_pages:
        return []
    return [document for document in collection.documents() if document.seen_pages < document.n_pages]


@dataclass(frozen=True, slots=True)
class _PageInWork:
    """A page with its elements and the task that reads its pixels; `regions` is None if they need no reading."""

    page: Page
    elements: tuple[Element, ...]
    regions: Future[tuple[Region, ...]] | None


class _PixelReading:
    """One pass over the documents of a collection, with its own processes."""

    def __init__(self, collection: Collection, originals: Originals, threads: ThreadPoolExecutor, total: int) -> None:
        self._collection, self._originals, self._threads = collection, originals, threads
        self._total = total
        self._done = 0
        self._pages: list[ParsedPage] = []
        self._stored_at = time.monotonic()

    def read_document(self, document: Document) -> Iterator[SeenPage]:
        """Read the pages of a document, yielding the progress; pages read are stored even if it is closed early."""
        seen_pages = document.seen_pages
        try:
            for page in self._started_pages(document):
                error = ""
                try:
                    if page.regions is not None:
                        self._pages.append(ParsedPage(page.page, page.elements, page.regions.result()))
                except EncryptedFile as cause:
                    self._done += document.n_pages - seen_pages
                    yield SeenPage(document, 0, self._done, self._total, str(cause))
                    return
                except (FileError, DocumentMissing) as cause:
                    error = str(cause)
                seen_pages, self._done = page.page.number, self._done + 1
                if len(self._pages) >= AT_ONCE or time.monotonic() - self._stored_at >= STORE_SECONDS:
                    document = self._store(document, seen_pages)
                yield SeenPage(document, seen_pages, self._done, self._total, error)
        finally:
            if seen_pages > document.seen_pages:
                self._store(document, seen_pages)

    def _store(self, document: Document, seen_pages: int) -> Document:
        """Store the pages read and `seen_pages` in the document, which is returned; wait for other writers or raise."""
        document = replace(document, seen_pages=seen_pages)
        until = time.monotonic() + PATIENCE
        while True:
            try:
                self._collection.keep_pixels(document, self._pages)
                break
            except CollectionLocked:
                if time.monotonic() > until:
                    raise
            time.sleep(0.5)
        self._pages = []
        self._stored_at = time.monotonic()
        return document

    def _started_pages(self, document: Document) -> Iterator[_PageInWork]:
        """Yield the pages of a document that were not read yet, in order; the next few are already started."""
        ahead: deque[_PageInWork] = deque()
        try:
            for first in range(document.seen_pages + 1, document.n_pages + 1, AT_ONCE):
                numbers = range(first, min(first + AT_ONCE, document.n_pages + 1))
                elements_by_page = self._collection.elements_on([(document.id, number) for number in numbers])
                for number, elements in zip(numbers, elements_by_page, strict=True):
                    ahead.append(self._begin_page(document, number, elements))
                    if len(ahead) > 2 * self._originals.processes:
                        yield ahead.popleft()
            while ahead:
                yield ahead.popleft()
        finally:
            for page in ahead:
                if page.regions is not None:
                    page.regions.cancel()

    def _begin_page(self, document: Document, number: int, elements: tuple[Element, ...]) -> _PageInWork:
        """Start reading a page, unless it failed, or OCR read all of its text when it was parsed."""
        regions = None
        if number not in document.failed_pages and any(element.source == "layer" for element in elements):
            regions = self._threads.submit(self._originals.see, document, number, elements)
        return _PageInWork(Page(document.id, number, 0.0, 0.0, 0), elements, regions)
