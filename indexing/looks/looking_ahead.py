"""Verify the lines of a collection against their pages before any question cites them.

That takes a page a second or so; a question whose quotes were looked at ahead need not wait for it.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

from indexing.collection import Collection
from indexing.errors import DocumentMissing, FileError, PageCrash, PageTimeout
from indexing.originals import Line, Originals, lines_of
from indexing.types import Document, Mismatch

PAGES = 50
"""The pages of a document whose elements are read at once."""


@dataclass(frozen=True, slots=True)
class LookedPage:
    """A page (from 1) that was looked at, now or before: its lines that a quote can be of, and how many agree.

    `mismatches` are what it shows otherwise, as far as that was looked at now. `error` says why it could not be.
    `before` says that it was looked at before, `kept` is False where what was seen could not be written (a full disk).
    """

    document: Document
    page: int
    lines: int
    agree: int
    mismatches: tuple[Mismatch, ...] = ()
    error: str = ""
    before: bool = False
    kept: bool = True


def look_ahead(collection: Collection, processes: int = 1, *, again: bool = False) -> Generator[LookedPage]:
    """Look at every page that nobody has looked at yet, and yield all pages in their order; closing it ends the work.

    The processes stand back wherever others want the processor. With `again`, pages are looked at anew of which some
    line does not agree, so that what they show is known. Raises CollectionDamaged.
    """
    documents = collection.documents()
    collection.agreed_lines.forget_others(documents)
    walk = _Walk(collection, collection.originals.by_processes(processes, patient=True), again)
    threads = ThreadPoolExecutor(processes, "looking-ahead")
    waiting: deque[Future[LookedPage]] = deque()
    try:
        for document, page, lines in _pages(collection, documents):
            waiting.append(threads.submit(walk.look, document, page, lines))
            while len(waiting) >= processes:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        for future in waiting:
            future.cancel()
        walk.end()
        threads.shutdown()


def _pages(collection: Collection, documents: Sequence[Document]) -> Iterator[tuple[Document, int, Sequence[Line]]]:
    """Yield every page with its lines."""
    for document in documents:
        for first in range(1, document.n_pages + 1, PAGES):
            numbers = range(first, min(first + PAGES, document.n_pages + 1))
            read = collection.elements_on([(document.id, number) for number in numbers])
            for number, elements in zip(numbers, read, strict=True):
                yield document, number, lines_of(elements)


class _Walk:
    """One walk through a collection, by processes of its own."""

    def __init__(self, collection: Collection, originals: Originals, again: bool) -> None:
        self._agreed, self._originals, self._again = collection.agreed_lines, originals, again
        self._ended = threading.Event()

    def end(self) -> None:
        """End the processes; what they were doing is not known."""
        self._ended.set()
        self._originals.close()

    def look(self, document: Document, page: int, lines: Sequence[Line]) -> LookedPage:
        """Look at a page, unless that was done before."""
        try:
            return self._look(document, page, lines)
        except (FileError, DocumentMissing) as error:
            return LookedPage(document, page, len(lines), 0, error=str(error))

    def _look(self, document: Document, page: int, lines: Sequence[Line]) -> LookedPage:
        stamp = self._originals.page_stamp(document)
        earlier = self._agreed.of(document, stamp, page, lines)
        if earlier is not None and (len(earlier) == len(lines) or not self._again):
            return LookedPage(document, page, len(lines), len(earlier), before=True)
        try:
            mismatches = self._originals.compare(document, page, lines) if lines else ()
        except (PageTimeout, PageCrash):  # it would be so again
            if not self._ended.is_set():
                self._agreed.keep(document, stamp, page, lines, [False for _ in lines])
            raise
        agree = [not line for line in mismatches]
        stored = self._agreed.keep(document, stamp, page, lines, agree)
        return LookedPage(
            document, page, len(lines), sum(agree), tuple(m for line in mismatches for m in line), kept=stored
        )
