"""A file that is in no collection: its text, picture, pages and print, read in processes that can be killed."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from indexing.conversion import has_elements
from indexing.parse import identify
from indexing.settings import IndexingSettings
from indexing.workers import Job, Workers, result_of

if TYPE_CHECKING:
    from PIL import Image

    from indexing.parse import PrintedPage
    from indexing.types import Mark, MarkedPdf, ParsedPage

_T = TypeVar("_T")
MOST_PAGES, MOST_SCANNED = 4, 2
"""The pages of an attached file that are read, and those of them that OCR may read, which takes a second a page."""


def read_attachment(
    path: Path | str,
    settings: IndexingSettings | None = None,
    *,
    most: int = 0,
    width: int = 0,
    workers: Workers | None = None,
) -> tuple[str, Image.Image | None]:
    """Return the text of an image or of a document's first pages, and the picture of the image or first page.

    Pages are read from the first, by the text layer or by OCR, until there are `most` characters, and the text is not
    cut; it is "" if `most` is 0. The picture is in RGB, `width` pixels wide; None if that is 0. `workers`, if given,
    read the file, as starting a process takes longer than reading, unless it is converted first and leaves a rendition:
    it then has a new process. Raises a FileError that names the file and what is wrong with it.
    """
    from PIL import Image

    settings = (settings or IndexingSettings()).model_copy(update={"visual": "none"})
    text, picture = "", None
    with _open_job(path, settings, workers=workers) as (pool, job, n_pages):
        unscanned_job = replace(job, settings=settings.model_copy(update={"ocr": "never"}))
        for number in range(1, min(n_pages, MOST_PAGES) + 1):
            if len(text) < most:
                page_text = pool.read(job if number <= MOST_SCANNED else unscanned_job, number, most - len(text))
                text = f"{text}\n{page_text}".strip()
        if width:
            picture = Image.open(BytesIO(pool.draw(job, 1, width))).convert("RGB")
    return text, picture


def pages_of(
    path: Path | str, settings: IndexingSettings | None = None, password: str | None = None
) -> Generator[tuple[ParsedPage, int]]:
    """Yield the pages of a file in order, as indexing would store them, each with the number of all pages.

    The pages have sections, and no regions. A few are parsed ahead, until the iterator is closed. Raises the
    FileError of the file, or of a page that cannot be read.
    """
    from indexing.parse import Outline  # it brings in PyMuPDF, which a question does without

    settings = (settings or IndexingSettings()).model_copy(update={"visual": "none"})
    with _open_job(path, settings, password, settings.workers) as (pool, job, n_pages):
        outline = Outline()
        for number, future in _started_ahead(lambda n: pool.parse(job, n, "page"), n_pages, 2 * settings.workers):
            page = pool.wait_for_page(future, job, number)
            yield (page if has_elements(job.pages) else outline.place(page)), n_pages


@contextmanager
def _open_job(
    path: Path | str,
    settings: IndexingSettings,
    password: str | None = None,
    count: int = 1,
    workers: Workers | None = None,
) -> Iterator[tuple[Workers, Job, int]]:
    """Yield the pool (`workers` or `count` new processes), the job of the opened file, and its number of pages."""
    job = Job(Path(path), password, settings)
    identify(job.path, settings)
    shared = nullcontext(workers) if workers is not None and job.source_format is None else None
    with shared or Workers(count, settings) as pool:
        opened_file = pool.wait_for_file(pool.open(job), job)
        yield pool, replace(job, pages=opened_file.pages), opened_file.n_pages


def annotate_file(
    path: Path | str, marks: Sequence[Mark], settings: IndexingSettings | None = None, password: str | None = None
) -> MarkedPdf:
    """Return a file as a PDF with `marks` on its pages and no active content. Raises the FileError of the file."""
    settings = settings or IndexingSettings()
    job = Job(Path(path), password, settings)
    identify(job.path, settings)
    with Workers(1, settings) as pool:
        return pool.annotate(job, tuple(marks))


class FilePages:
    """A renderer of pages of files that are in no collection, in one process, which `close` ends."""

    def __init__(self, settings: IndexingSettings) -> None:
        """Keep the settings, which limit time and memory; nothing is started before the first page."""
        self._settings = settings
        self._workers = Workers(1, settings)

    def draw(self, path: Path, page: int, width: int) -> Image.Image:
        """Return the displayed page (from 1) in RGB, `width` pixels wide. Raises a FileError that names the file."""
        from PIL import Image

        png = self._workers.draw(Job(path, None, self._settings), page, width)
        return Image.open(BytesIO(png)).convert("RGB")

    def count(self, path: Path, password: str | None = None) -> int:
        """Return the number of pages of a file. Raises a FileError that names the file."""
        pending = self._workers.open(Job(path, password, self._settings))
        return result_of(pending, f"{path.name}: opening", "open_seconds", self._settings).n_pages

    def close(self) -> None:
        """End the process."""
        self._workers.stop()


def printed_pages(
    path: Path | str, settings: IndexingSettings | None = None, password: str | None = None
) -> Iterator[PrintedPage]:
    """Yield the pages of a file in order, with their words as they are set; scanned ones are read by OCR.

    A few are read ahead, until the iterator is closed. Raises the FileError of the file, or of a page that cannot be
    read.
    """
    settings = settings or IndexingSettings()
    with _open_job(path, settings, password, settings.workers) as (pool, job, n_pages):
        for number, future in _started_ahead(lambda n: pool.read_printed(job, n), n_pages, 4 * settings.workers):
            yield result_of(future, f"{job.path.name}: page {number}", "page_seconds", settings)


def _started_ahead(start: Callable[[int], Future[_T]], n_pages: int, most: int) -> Iterator[tuple[int, Future[_T]]]:
    """Yield number and task of each page in order; the tasks of up to `most` further pages are already started."""
    pending: deque[tuple[int, Future[_T]]] = deque()
    for number in range(1, n_pages + 1):
        if len(pending) == most:
            yield pending.popleft()
        pending.append((number, start(number)))
    yield from pending
