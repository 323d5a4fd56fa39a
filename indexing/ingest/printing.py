"""Printing: a file that is in no collection -> how its pages are set, read in processes that can be killed."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from indexing.parse import identify
from indexing.settings import IndexingSettings
from indexing.workers import Job, Workers, result_of

if TYPE_CHECKING:
    from indexing.parse import PrintedPage


def printed_pages(
    path: Path | str, settings: IndexingSettings | None = None, password: str | None = None
) -> Iterator[PrintedPage]:
    """Yield the pages of a file in order, with their words as they are set; scanned ones are read by OCR.

    A few are read ahead; closing the iterator ends that. Raises the FileError of the file, or of a page that cannot be
    read.
    """
    chosen = settings or IndexingSettings()
    job = Job(Path(path), password, chosen)
    identify(job.path, chosen)
    with Workers(chosen.workers, chosen) as pool:
        opened = result_of(pool.open(job), f"{job.path.name}: opening", "open_seconds", chosen)
        numbers = iter(range(1, opened.n_pages + 1))
        ahead = deque((n, pool.printed(job, n)) for n in islice(numbers, 4 * chosen.workers))
        while ahead:
            number, future = ahead.popleft()
            page = result_of(future, f"{job.path.name}: page {number}", "page_seconds", chosen)
            ahead.extend((n, pool.printed(job, n)) for n in islice(numbers, 1))
            yield page
