"""A file in progress in a run of indexing: its state, its failures, and the time that it took."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from pathlib import Path

from indexing.ingest.language import SAMPLE, language_of
from indexing.ingest.report import Copy, Failure, FileReport, Status
from indexing.metadata import Metadata
from indexing.parse import Outline
from indexing.types import ParsedPage
from indexing.workers import Job, OpenedFile


@dataclass(slots=True)
class FileInWork:
    """A file in progress. `seconds` are those spent on it, without waiting for other files.

    `key` is the path of its document. `parent` is the file that it was attached to, `waiting` the number of its own
    attachments that are not done: until then it is not published, so that a kill does not lose them. `embedding` is the
    number of its pages that an executor is embedding. `sample` is the beginning of its text.
    """

    job: Job
    sha256: str
    status: Status
    seconds: float
    opening: Future[OpenedFile]
    key: str
    parent: FileInWork | None = None
    opened_file: OpenedFile | None = None
    outline: Outline = field(default_factory=Outline)
    failures: list[Failure] = field(default_factory=list)
    elements: int = 0
    hidden: int = 0
    copy: Copy = ""
    waiting: int = 0
    embedding: int = 0
    read: bool = False
    sample: str = ""

    @property
    def doc_id(self) -> str:
        """The id of its document."""
        return self.sha256[:16]

    @property
    def pages(self) -> Path | None:
        """The PDF of its rendition, where it has no pages of its own."""
        return self.opened_file.pages if self.opened_file else None

    def take(self, page: ParsedPage) -> None:
        """Add the elements and hidden words of a page to the counts, and its text to the sample until that is long."""
        self.elements += len(page.elements)
        self.hidden += page.hidden
        for element in page.elements:
            if len(self.sample) < SAMPLE and element.kind not in ("header", "footer", "group"):
                self.sample = f"{self.sample}{element.text[:SAMPLE]}\n"

    def metadata(self) -> Metadata:
        """Return the metadata in the file; its language is guessed from its text, if that is clear."""
        metadata = self.opened_file.metadata if self.opened_file else Metadata()
        return replace(metadata, language=language_of(self.sample) or metadata.language)

    @contextlib.contextmanager
    def add_seconds(self) -> Iterator[None]:
        """Add the seconds that the block takes to `seconds`."""
        start = time.monotonic()
        try:
            yield
        finally:
            self.seconds += time.monotonic() - start

    def report(self, status: Status, pages: int = 0, elements: int = 0) -> FileReport:
        """Return the report of the file; `pages` and `elements` count those that were stored."""
        path = self.job.path
        return FileReport(
            self.key if self.parent else str(path),
            path.name,
            status,
            pages,
            elements,
            self.seconds,
            self.doc_id,
            tuple(self.failures),
            self.hidden,
            copy=self.copy,
            notes=self.opened_file.notes if self.opened_file else (),
        )
