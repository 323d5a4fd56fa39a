"""The peak memory while one long PDF is indexed, and its growth with the pages.

    python -m plugins.research.benches.memory --eval DIR [--pages 1600] [--mark 400] [--workers 2] [--home HOME]

The documents are joined into one PDF of exactly that many pages (repeated when they have fewer), mixed by a fixed seed
so that heavy pages stand everywhere in it, and growth is growth. Another process indexes it with its workers. Four
times a second the memory of that process and all below it is summed: PSS, where the system tells it (shared pages
count once), else RSS (shared pages count for every process). Growth is the peak up to the last page over the peak up
to page --mark. The reference is the index process's memory before it has read a page.
"""

from __future__ import annotations

import argparse
import contextlib
import multiprocessing
import random
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import psutil

from evaluation import TableRow, print_rows, print_table

SAMPLES_A_SECOND = 4
MB = 1 << 20


@dataclass(frozen=True, slots=True)
class MemorySample:
    """The memory in bytes at a moment: of the index process, and of its workers together; `pages` were done by then."""

    pages: int
    parent: int
    workers: int

    @property
    def total(self) -> int:
        """The memory of all processes together."""
        return self.parent + self.workers


def peak(samples: Sequence[MemorySample], last: int | None = None, first: int = 0) -> MemorySample:
    """Return the sample with the most memory while `first` to `last` pages were done."""
    chosen = [s for s in samples if first <= s.pages and (last is None or s.pages <= last)]
    return max(chosen, key=lambda s: s.total, default=MemorySample(first, 0, 0))


def growth(samples: Sequence[MemorySample], mark: int, last: int) -> float:
    """Return the percent by which the peak up to page `last` exceeds the peak up to page `mark`."""
    early = peak(samples, mark).total
    return 100 * (peak(samples, last).total / early - 1) if early else 0.0


def join(paths: Sequence[Path], pages: int, target: Path) -> None:
    """Write a PDF of `pages` pages, taken from the documents one after another and over again, then mixed."""
    import pymupdf  # late: this module is loaded by the processes that are measured, too

    joined = pymupdf.open()
    while joined.page_count < pages:
        for path in paths:
            left = pages - joined.page_count
            if left <= 0:
                break
            with pymupdf.open(path) as document:
                joined.insert_pdf(document, to_page=min(left, document.page_count) - 1, links=False, annots=False)
    joined.select(random.Random(0).sample(range(pages), pages))  # noqa: S311  not a secret
    joined.save(target, garbage=1, deflate=True)
    joined.close()


def index(pdf: Path, home: Path, workers: int, told: Connection) -> None:
    """Index a PDF; sends the number of pages after each, and -1 with the failures at the end."""
    from indexing import Collection, build_index

    report = build_index(
        Collection.create("memory", home), [pdf], workers=workers, on_progress=lambda p: told.send((p.pages_done, ""))
    )
    told.send((-1, "; ".join(failure.message for file in report.files for failure in file.failures)))


def memory_of(process: psutil.Process) -> int:
    """Return PSS, or RSS where PSS is not told; 0 for a process that has just ended."""
    with contextlib.suppress(psutil.Error, OSError):
        info: Any = process.memory_full_info()
        return int(getattr(info, "pss", 0) or info.rss)
    return 0


def watch(pdf: Path, home: Path, workers: int, pages: int) -> list[MemorySample]:
    """Index the PDF in another process and sample the memory of its tree until it ends."""
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=index, args=(pdf, home, workers, there))
    process.start()
    there.close()
    root, done, samples = psutil.Process(process.pid), 0, list[MemorySample]()
    while process.is_alive():
        done = max([done, *heard(here)])
        with contextlib.suppress(psutil.NoSuchProcess):
            below = root.children(recursive=True)
            samples.append(MemorySample(done, memory_of(root), sum(map(memory_of, below))))
            print(f"\rpages: {done}/{pages} {samples[-1].total / MB:,.0f} MB  ", end="", file=sys.stderr, flush=True)
        time.sleep(1 / SAMPLES_A_SECOND)
    heard(here)
    print(file=sys.stderr)
    if process.exitcode:
        raise SystemExit(f"indexing ended with exit code {process.exitcode} (see above)")
    return samples


def heard(told: Connection) -> list[int]:
    """Return the numbers of pages that the index process has sent since; failures go to stderr."""
    pages: list[int] = []
    with contextlib.suppress(EOFError):
        while told.poll():
            done, failures = told.recv()
            pages.append(done)
            if failures:
                print(f"\nnot indexed: {failures}", file=sys.stderr)
    return pages


def has_pss() -> bool:
    """Return True if this system tells PSS."""
    return hasattr(psutil.Process().memory_full_info(), "pss")


def main(argv: Sequence[str] | None = None) -> None:
    """Join, index, watch, print."""
    from plugins.research.benches.inputs import parser, pdfs  # late, as above

    options = parser(__doc__)
    options.add_argument(
        "--pages", type=int, default=1600, help="the number of pages of the joined PDF (default: %(default)s)"
    )
    options.add_argument(
        "--mark", type=int, default=400, help="the page from which growth is measured (default: %(default)s)"
    )
    options.add_argument(
        "--home", type=Path, help="the folder for the PDF and the collection (default: a temporary one)"
    )
    asked: argparse.Namespace = options.parse_args(argv)
    with tempfile.TemporaryDirectory(prefix="vouch-bench-") as temporary:
        home = asked.home.absolute() if asked.home else Path(temporary)
        home.mkdir(parents=True, exist_ok=True)
        pdf = home / f"joined-{asked.pages}.pdf"
        print(f"joining {asked.pages} pages ...", file=sys.stderr)
        join(pdfs(asked), asked.pages, pdf)
        size = pdf.stat().st_size / MB
        samples = watch(pdf, home, asked.workers, asked.pages)
    show(samples, asked, size)


def show(samples: Sequence[MemorySample], asked: argparse.Namespace, size: float) -> None:
    """Print the numbers with their limits, then the curve they come from."""
    before = peak(samples, 0).total / MB
    early, late, ever = peak(samples, asked.mark), peak(samples, asked.pages), peak(samples)
    kind = "PSS" if has_pss() else "RSS"
    rows = [
        TableRow("peak of all processes", ever.total / MB, "MB", before, 2500, note=f"at page {ever.pages}"),
        TableRow(f"peak up to page {asked.mark}", early.total / MB, "MB"),
        TableRow(f"peak up to page {asked.pages}", late.total / MB, "MB", note=f"at page {late.pages}"),
        TableRow("growth between them", growth(samples, asked.mark, asked.pages), "%", None, 10),
    ]
    title = f"{kind} over a PDF of {asked.pages} pages, {size:,.0f} MB, {asked.workers} workers, {len(samples)} samples"
    print_rows(title, rows, "before page 1")
    step = max(1, asked.pages // 8)
    parts = [(first, peak(samples, first + step - 1, first)) for first in [*range(0, asked.pages, step), asked.pages]]
    print_table(
        "peak by part of the document, in MB",
        ("pages done", "all", "index process", "workers"),
        [
            (
                f"{first} to {first + step - 1}" if first < asked.pages else "closing",
                f"{s.total / MB:,.0f}",
                f"{s.parent / MB:,.0f}",
                f"{s.workers / MB:,.0f}",
            )
            for first, s in parts
        ],
    )


if __name__ == "__main__":
    main()
