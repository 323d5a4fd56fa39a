"""A file that is in no collection: its text, picture and pages, read in a process that can be killed, like any file."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Sequence
from dataclasses import replace
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from indexing.conversion import has_elements
from indexing.parse import Outline, identify
from indexing.settings import IndexingSettings
from indexing.workers import Job, Workers, result_of

if TYPE_CHECKING:
    from PIL import Image

    from indexing.types import Mark, MarkedPdf, ParsedPage

MOST_PAGES = 4
"""The number of pages of an attached file that are read."""


def text_of(path: Path | str, settings: IndexingSettings | None = None) -> str:
    """Return the text of an image (or of a document's first pages), by its text layer or by OCR; empty without any.

    Raises a FileError that names the file and what is wrong with it.
    """
    chosen = (settings or IndexingSettings()).model_copy(update={"visual": "none"})
    job = Job(Path(path), None, chosen)
    identify(job.path, chosen)
    with Workers(1, chosen) as pool:
        opened = result_of(pool.open(job), f"{job.path.name}: opening", "open_seconds", chosen)
        job = replace(job, pages=opened.pages)
        numbers = range(1, min(opened.n_pages, MOST_PAGES) + 1)
        pages = [pool.parsed(pool.parse(job, number, "attached"), job, number) for number in numbers]
    kept = [e.text for page in pages for e in page.elements if e.kind not in ("group", "header", "footer")]
    return "\n".join(text for text in kept if text)


def picture_of(path: Path | str, settings: IndexingSettings | None = None, width: int = 1024) -> Image.Image:
    """Return the picture of an image (or of a document's first page), in RGB, `width` pixels wide.

    Raises a FileError that names the file and what is wrong with it.
    """
    from PIL import Image

    chosen = settings or IndexingSettings()
    job = Job(Path(path), None, chosen)
    identify(job.path, chosen)
    with Workers(1, chosen) as pool:
        opened = result_of(pool.open(job), f"{job.path.name}: opening", "open_seconds", chosen)
        png = pool.draw(replace(job, pages=opened.pages), 1, width)
    return Image.open(BytesIO(png)).convert("RGB")


def pages_of(
    path: Path | str, settings: IndexingSettings | None = None, password: str | None = None
) -> Generator[tuple[ParsedPage, int]]:
    """Yield the pages of a file in order, as indexing would store them, each with the number of all pages.

    The pages have sections, and no regions. A few are parsed ahead; closing the iterator ends that. Raises the
    FileError of the file, or of a page that cannot be read.
    """
    chosen = (settings or IndexingSettings()).model_copy(update={"visual": "none"})
    job = Job(Path(path), password, chosen)
    identify(job.path, chosen)
    with Workers(chosen.workers, chosen) as pool:
        opened = result_of(pool.open(job), f"{job.path.name}: opening", "open_seconds", chosen)
        job = replace(job, pages=opened.pages)
        outline, numbers = Outline(), iter(range(1, opened.n_pages + 1))
        ahead = deque((n, pool.parse(job, n, "page")) for n in islice(numbers, 2 * chosen.workers))
        while ahead:
            number, future = ahead.popleft()
            page = pool.parsed(future, job, number)
            ahead.extend((n, pool.parse(job, n, "page")) for n in islice(numbers, 1))
            yield (page if has_elements(job.pages) else outline.place(page)), opened.n_pages


def annotate_file(
    path: Path | str, marks: Sequence[Mark], settings: IndexingSettings | None = None, password: str | None = None
) -> MarkedPdf:
    """Return a file as a PDF with `marks` on its pages; nothing in it acts. Raises the FileError of the file."""
    chosen = settings or IndexingSettings()
    job = Job(Path(path), password, chosen)
    identify(job.path, chosen)
    with Workers(1, chosen) as pool:
        return pool.annotate(job, tuple(marks))


class FilePages:
    """The drawer of pages of files that are in no collection, in one process, which `close` ends."""

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
