"""The time of indexing beside that of its pages alone, and pages a second by kind of page.

    python -m plugins.research.benches.indexing --eval DIR [--limit-docs N] [--workers 2] [--home HOME]

Two runs over the same pages:

survey  Every page parsed by `parse_page` and embedded, page by page, in --workers processes: seconds of CPU a page by
        kind of page, whatever else the machine does. It also notes which pages and pictures were read by OCR. The rate
        of a kind is what so many processes reach with pages of that kind alone: pages x processes / sum of seconds.
        Scanned are pages read by OCR whole.
ours    `build_index` into an empty collection, from the call to its return: processes start, models load, files are
        hashed, pages parsed, embedded, stored and indexed for full text, files copied. The reference is the sum of the
        survey's seconds over the processes.
"""

from __future__ import annotations

import argparse
import multiprocessing
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pymupdf

from evaluation import TableRow, print_rows, print_table, say, tell
from indexing import SILENT_KINDS, Collection, IndexingSettings, Progress, build_index
from indexing.embed import MiniLM, passage
from indexing.parse import Word, layout, read_page, recognise
from plugins.research.benches.inputs import home_of, parser, pdfs


@dataclass(frozen=True, slots=True)
class Surveyed:
    """A page: seconds of CPU to parse and to embed it, whether OCR read anything on it, and whether it read all."""

    document: str
    parse: float
    embed: float
    read: bool
    scanned: bool


@lru_cache(maxsize=1)
def embedder() -> MiniLM:
    """Load the embedder as the writer of a collection does."""
    return MiniLM(threads=1)


@lru_cache(maxsize=1)
def open_for_work(path: Path) -> pymupdf.Document:
    """Open the file in work, and keep it open."""
    return pymupdf.open(path)


def prepare() -> None:
    """Load the three models, each by one run."""
    embedder().embed_passages(["warm"])
    recognise(np.full((64, 256, 3), 255, np.uint8))
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 72), "warm")
    page.get_layout(return_raw=True)


def survey(item: tuple[Path, int]) -> Surveyed:
    """Parse and embed a page (file, number from 1) as indexing does, and note what OCR read of it."""
    path, number = item
    wholes: list[bool] = []

    def noting(page: pymupdf.Page, longer_side: int, clip: pymupdf.Rect | None = None) -> list[Word]:
        wholes.append(clip is None)
        return read_page(page, longer_side, clip)

    with patch.object(layout, "read_page", noting):
        start = time.process_time()
        parsed = layout.parse_page(open_for_work(path)[number - 1], path.name, IndexingSettings())
        middle = time.process_time()
    texts = [passage(element) for element in parsed.elements if element.kind not in SILENT_KINDS]
    embedder().embed_passages([*texts, *(region.text for region in parsed.regions)])
    end = time.process_time()
    pymupdf.TOOLS.store_shrink(100)
    return Surveyed(path.name, middle - start, end - middle, bool(wholes), any(wholes))


def all_pages(paths: Sequence[Path]) -> Iterator[tuple[Path, int]]:
    """Yield every page of the documents, numbered from 1."""
    for path in paths:
        with pymupdf.open(path) as document:
            yield from ((path, number) for number in range(1, document.page_count + 1))


def surveyed(paths: Sequence[Path], processes: int) -> list[Surveyed]:
    """Return every page of the documents, parsed and embedded in so many processes."""
    items, pages = list(all_pages(paths)), []
    with ProcessPoolExecutor(processes, multiprocessing.get_context("spawn"), prepare) as pool:
        for number, page in enumerate(pool.map(survey, items), 1):
            pages.append(page)
            say("survey", number, len(items))
    return pages


@dataclass(frozen=True, slots=True)
class Run:
    """A run of `build_index`: its seconds in all, until the first stored page and after the last."""

    seconds: float
    starting: float
    closing: float


def ours(paths: Sequence[Path], home: Path, workers: int) -> Run:
    """Run `build_index` into an empty collection; SystemExit when a page failed."""
    collection = Collection.create("bench-indexing", home)
    if collection.documents():
        raise SystemExit(f"{collection.path} already holds documents: choose another folder with --home")
    moments: list[float] = []

    def told(progress: Progress) -> None:
        tell(progress)
        if progress.pages_done > len(moments):
            moments.append(time.perf_counter())

    start = time.perf_counter()
    report = build_index(collection, paths, workers=workers, on_progress=told)
    end = time.perf_counter()
    failures = [failure.message for file in report.files for failure in file.failures]
    if failures:
        raise SystemExit("\n".join(["", "not indexed, so there is nothing to compare:", *failures]))
    return Run(end - start, moments[0] - start, end - moments[-1])


def show(pages: Sequence[Surveyed], run: Run, workers: int) -> None:
    """Print the time beside that of the pages alone, then the rates by kind of page."""
    n, alone = len(pages), sum(page.parse + page.embed for page in pages) / workers
    print_rows(
        f"indexing {n} pages of {len({page.document for page in pages})} documents with {workers} workers",
        [
            TableRow("wall time", run.seconds, "s", alone),
            TableRow("of it until the first page", run.starting, "s", note="processes start, models load"),
            TableRow("of it after the last page", run.closing, "s", note="publish, full-text index, compaction"),
            TableRow("pages a second", n / run.seconds, "", n / alone),
        ],
        "pages alone",
    )
    kinds = {
        "text": [page for page in pages if not page.read],
        "text with pictures read": [page for page in pages if page.read and not page.scanned],
        "scanned": [page for page in pages if page.scanned],
    }
    print_table(
        f"by kind of page, {workers} processes busy",
        ("pages", "number", "parse, CPU s a page", "embed, CPU s a page", "pages a second"),
        [(kind, *rates(chosen, workers)) for kind, chosen in kinds.items() if chosen],
    )


def rates(pages: Sequence[Surveyed], processes: int) -> tuple[str, str, str, str]:
    """Return number, mean seconds to parse and to embed, and pages a second on so many processes."""
    n = len(pages)
    parse, embed = sum(page.parse for page in pages), sum(page.embed for page in pages)
    return str(n), f"{parse / n:.3f}", f"{embed / n:.3f}", f"{n * processes / (parse + embed):.2f}"


def main(argv: Sequence[str] | None = None) -> None:
    """Make the two runs and print the tables."""
    options = parser(__doc__)
    options.add_argument("--home", type=Path, help="the folder for the collection (default: a temporary one)")
    asked: argparse.Namespace = options.parse_args(argv)
    paths = pdfs(asked)
    pages = surveyed(paths, asked.workers)
    with home_of(asked) as home:
        show(pages, ours(paths, home, asked.workers), asked.workers)


if __name__ == "__main__":
    main()
