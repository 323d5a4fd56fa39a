"""Verify the lines of a collection against their pages before any question cites them.

That takes about a second per page; a question whose quotes are already verified need not wait for it.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass

from indexing.collection import Collection
from indexing.errors import DocumentMissing, FileError, PageCrash, PageTimeout
from indexing.originals import Line, Originals, lines_of
from indexing.types import Document

PAGES = 50
"""The pages of a document whose elements are read at once."""


@dataclass(frozen=True, slots=True)
class LookedPage:
    """A page (from 1) that was verified, now or before: how many lines can be quoted, and how many of them agree.

    `error` says why it could not be verified.
    """

    document: Document
    page: int
    lines: int
    agree: int
    error: str = ""


def look_ahead(collection: Collection) -> Generator[LookedPage]:
    """Verify every page that is not verified yet, and yield all pages in order; closing the generator ends the work.

    The process that reads pages has the lowest priority. Raises CollectionDamaged.
    """
    documents = collection.documents()
    collection.agreed_lines.forget_others(documents)
    with closing(collection.originals.by_processes(1, patient=True)) as originals:
        for document, page, lines in _pages(collection, documents):
            try:
                yield LookedPage(document, page, len(lines), _agree_count(collection, originals, document, page, lines))
            except (FileError, DocumentMissing) as error:
                yield LookedPage(document, page, len(lines), 0, error=str(error))


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
