"""A document that is copied into the next version: its pages, its failures and its report."""

from __future__ import annotations

import time
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from indexing.ingest import Failure, FileReport
from indexing.parse import Outline
from indexing.types import Document, Element, ParsedPage
from indexing.workers import Job

KEPT = "it is kept as it was read before"


@dataclass(slots=True)
class DocumentInWork:
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

    def count(self, page: ParsedPage) -> ParsedPage:
        """Count a page that goes into the next version, and return it."""
        self.pages += 1
        self.elements += len(page.elements)
        return page

    def fail(self, error: Exception, page: int | None, then: str = KEPT) -> None:
        """Note why a page, or all of them, could not be read again; a reason for all pages is noted once."""
        is_whole_document = type(error).__name__ == "EncryptedFile" or page is None
        message = str(error).replace(self.job.path.name, self.document.name) if self.job else str(error)
        new_failure = Failure(
            None if is_whole_document else page, type(error).__name__, f"{message}: {then}" if then else message
        )
        if not (is_whole_document and any(failure.error == new_failure.error for failure in self.failures)):
            self.failures.append(new_failure)

    def new_document(self) -> Document:
        """Return the document for the next version, with its other metadata unchanged."""
        return replace(self.document, n_elements=self.elements, failed_pages=tuple(self.failed_pages))

    def report(self) -> FileReport:
        """Return the outcome."""
        document = self.document
        status: Literal["indexed", "failed"] = "indexed" if self.pages else "failed"
        return FileReport(
            document.path, document.name, status, self.pages, self.elements, time.monotonic() - self.start,
            document.id, tuple(self.failures),
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class PageInWork:
    """A page of a document: its row and its elements in the former version, and its reading, where it is read anew.

    A page that could not be read until now has no row.
    """

    work: DocumentInWork
    number: int
    row: dict[str, Any] | None
    elements: tuple[Element, ...]
    future: Future[ParsedPage] | None

    @property
    def last(self) -> bool:
        """True for the last page of the document."""
        return self.number == self.work.document.n_pages
