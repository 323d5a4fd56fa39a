"""A file attached to a question: its text and its picture, read in a process that can be killed, like any file."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from indexing.parse import identify
from indexing.settings import IndexingSettings
from indexing.workers import Job, Workers, result_of

if TYPE_CHECKING:
    from PIL import Image

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
        result_of(pool.open(job), f"{job.path.name}: opening", "open_seconds", chosen)
        png = pool.draw(job, 1, width)
    return Image.open(BytesIO(png)).convert("RGB")
