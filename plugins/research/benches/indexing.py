"""The time of indexing beside that of its bare parts on as many processes, and pages a second by kind of page.

    python -m plugins.research.benches.indexing --eval DIR [--limit-docs N] [--workers 2] [--home HOME]

Three runs over the same pages:

survey  Every page parsed by `parse_page` and embedded, page by page, in --workers processes: seconds of CPU a page by
        kind of page, whatever else the machine does. It also notes which pages and pictures were read by OCR. The rate
        of a kind is what so many processes reach with pages of that kind alone: pages x processes / sum of seconds.
        Scanned are pages read by OCR whole.
ours    `build_index` into an empty collection, from the call to its return: processes start, models load, files are
        hashed, pages parsed, embedded, stored and indexed for full text, files copied.
bare    What a loop over the models would cost, in --workers processes that have loaded their models before the clock
        starts and hold their files open, pages dealt round-robin, no store, no pipeline. For each page: the words of
        the text layer (`get_text`), one run of PyMuPDF's layout model, OCR of the very images that ours reads (the page
        or its pictures, drawn at the same size, same engine) and MiniLM over the very passages and read regions that
        ours embeds. Where ours lays out a page's shadow (its image with the words as invisible text: scanned pages, as
        the model sees nothing else, and pages of very many drawings) so does bare. A page image without text gets no
        layout in both.
        What ours adds is left out: drawings found in the page's pixels, elements, groups, outline, storing, sending.
"""

from __future__ import annotations

import argparse
import multiprocessing
import queue
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from multiprocessing.process import BaseProcess
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Event
from pathlib import Path
from typing import Any, TypeVar
from unittest.mock import patch

import numpy as np
import pymupdf

from evaluation import TableRow, print_rows, print_table, say, tell
from indexing import SILENT_KINDS, Collection, IndexingSettings, Progress, build_index
from indexing.embed import MiniLM, passage
from indexing.parse import Frame, Word, layout, ocr_layer_of, read_page, recognise, text_frame
from plugins.research.benches.inputs import home_of, parser, pdfs

Clip = tuple[float, float, float, float]
Reads = tuple[tuple[int, Clip | None], ...]
"""The parts of a page that OCR saw: longer side of the page in pixels, and the part of it in points (None: all)."""
Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Surveyed:
    """A page as ours: seconds of CPU to parse and to embed it, the parts that OCR read, the texts of its regions."""

    path: Path
    number: int
    parse: float
    embed: float
    read: Reads
    shadowed: bool
    regions: tuple[str, ...]

    @property
    def scanned(self) -> bool:
        """True if the whole page was read by OCR."""
        return whole_page(self.read)


@dataclass(frozen=True, slots=True)
class Bare:
    """A page for the bare loop: the parts that OCR reads, and the passages to embed."""

    path: Path
    number: int
    read: Reads
    shadowed: bool
    passages: tuple[str, ...]

    @property
    def scanned(self) -> bool:
        """True if the whole page is read by OCR."""
        return whole_page(self.read)


def whole_page(read: Reads) -> bool:
    """Return True if OCR saw the whole page rather than pictures on it."""
    return any(clip is None for _, clip in read)


# ---- inside a process -----------------------------------------------------------------------------------------------


@lru_cache(maxsize=1)
def embedder() -> MiniLM:
    """Load the embedder as the writer of a collection does."""
    return MiniLM(threads=1)


@lru_cache(maxsize=1)
def opened(path: Path) -> pymupdf.Document:
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
    """Parse and embed a page as ours does, and note the parts that OCR read and if the layout was of a copy."""
    path, number = item
    noted: list[tuple[int, Clip | None]] = []
    shadows: list[int] = []

    def noting(page: pymupdf.Page, longer_side: int, clip: pymupdf.Rect | None = None) -> list[Word]:
        noted.append((longer_side, None if clip is None else tuple(clip)))
        return read_page(page, longer_side, clip)

    def shadowing(page: pymupdf.Page, words: Sequence[Word], turns: int = 0) -> Frame:
        shadows.append(number)
        return ocr_layer_of(page, words, turns)

    page = opened(path)[number - 1]
    with patch.object(layout, "read_page", noting), patch.object(layout, "ocr_layer_of", shadowing):
        start = time.process_time()
        parsed = layout.parse_page(page, path.name, IndexingSettings())
        middle = time.process_time()
    regions = tuple(r.text for r in parsed.regions)
    embedder().embed_passages([*(passage(e) for e in parsed.elements if e.kind not in SILENT_KINDS), *regions])
    end = time.process_time()
    pymupdf.TOOLS.store_shrink(100)
    return Surveyed(path, number, middle - start, end - middle, tuple(noted), bool(shadows), regions)


def bare(item: Bare) -> None:
    """Run words, OCR, layout and embedding of a page, and throw the results away."""
    page = opened(item.path)[item.number - 1]
    rotation = page.rotation
    target = page if item.scanned else text_frame(page).page
    words = [
        Word(x0, y0, x1, y1, text, 100_000 * block + line)
        for x0, y0, x1, y1, text, block, line, _ in target.get_text("words")
    ]
    if item.scanned:
        words = [word for longer_side, _ in item.read for word in read_page(page, longer_side)]
    if item.shadowed:
        shadow = ocr_layer_of(target, words)  # owns the page
        target = shadow.page
    for longer_side, clip in item.read:
        if clip is not None:
            read_page(target, longer_side, pymupdf.Rect(clip))
    if words or not item.scanned:
        target.get_layout(return_raw=True)
    page.set_rotation(rotation)
    embedder().embed_passages(item.passages)


# ---- several processes ----------------------------------------------------------------------------------------------


def spread(
    what: str, task: Callable[[Item], Result], prepare: Callable[[], None], items: Sequence[Item], processes: int
) -> tuple[list[Result], float]:
    """Run `task` on every item in so many processes, each after `prepare`; results in any order, and the seconds.

    The clock runs from the moment when all processes are prepared until the last result is here. `what` is said on
    stderr. A process that ends early is a SystemExit.
    """
    context = multiprocessing.get_context("spawn")
    start: Event = context.Event()
    results: Queue[Any] = context.Queue()
    running = [
        context.Process(target=_work, args=(task, prepare, hand, start, results), daemon=True)
        for hand in (items[first::processes] for first in range(processes))  # dealt round-robin
    ]
    for process in running:
        process.start()
    for _ in running:
        _next(what, results, running)
    start.set()
    began = time.perf_counter()
    found: list[Result] = []
    for number in range(1, len(items) + 1):
        found.append(_next(what, results, running))
        say(what, number, len(items))
    seconds = time.perf_counter() - began
    say(what, len(items), len(items), f"in {seconds:.1f} s\n")
    for process in running:
        process.join()
    return found, seconds


def _next(what: str, results: Queue[Any], running: Sequence[BaseProcess]) -> Any:
    """Return the next message of any process; SystemExit when one has died."""
    while True:
        dead = [process for process in running if process.exitcode]
        try:
            return results.get(timeout=1)
        except queue.Empty:
            if dead:
                raise SystemExit(f"{what}: a process ended before its work was done (see above)") from None


def _work(
    task: Callable[[Item], Result],
    prepare: Callable[[], None],
    items: Sequence[Item],
    start: Event,
    results: Queue[Any],
) -> None:
    """Run inside a process: say when it is prepared, wait for the start, then work."""
    prepare()
    results.put(None)
    start.wait()
    for item in items:
        results.put(task(item))


# ---- the three runs -------------------------------------------------------------------------------------------------


def all_pages(paths: Sequence[Path]) -> Iterator[tuple[Path, int]]:
    """Yield every page of the documents, numbered from 1."""
    for path in paths:
        with pymupdf.open(path) as document:
            yield from ((path, number) for number in range(1, document.page_count + 1))


def passages_of(collection: Collection) -> dict[tuple[str, int], tuple[str, ...]]:
    """Return the passages embedded of each page (document name, page), out of the collection that was just made."""
    snapshot = collection.snapshot()
    names = {document.id: document.name for document in snapshot.documents()}
    keys: dict[str, list[Any]] = snapshot.element_keys().to_pydict()
    rows = [row for row, kind in zip(keys["_rowid"], keys["kind"], strict=True) if kind not in SILENT_KINDS]
    found: dict[tuple[str, int], list[str]] = defaultdict(list)
    for element in snapshot.elements(rows):
        found[names[element.doc_id], element.page].append(passage(element))
    return {key: tuple(texts) for key, texts in found.items()}


@dataclass(frozen=True, slots=True)
class Ours:
    """The collection that `build_index` made, its seconds in all, until the first stored page and after the last."""

    collection: Collection
    seconds: float
    starting: float
    closing: float


def ours(paths: Sequence[Path], home: Path, workers: int) -> Ours:
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
    pages = sum(file.pages for file in report.files)
    say("indexing", pages, pages, f"in {end - start:.1f} s\n")
    return Ours(collection, end - start, moments[0] - start, end - moments[-1])


def show(pages: Sequence[Surveyed], made: Ours, parts: float, workers: int) -> None:
    """Print the ratio with its limit, then the rates by kind of page."""
    whole, n = made.seconds, len(pages)
    print_rows(
        f"indexing {n} pages of {len({p.path for p in pages})} documents with {workers} workers",
        [
            TableRow("wall time", whole, "s", parts, 1.25 * parts, note="the limit is 1.25 x bare"),
            TableRow("of it until the first page", made.starting, "s", note="processes start, models load"),
            TableRow("of it after the last page", made.closing, "s", note="publish, full-text index, compaction"),
            TableRow("ratio", whole / parts, "x", 1.0, 1.25),
            TableRow("pages a second", n / whole, "", n / parts),
        ],
        "bare parts",
    )
    kinds = {
        "text": [p for p in pages if not p.scanned and not p.read],
        "text with pictures read": [p for p in pages if not p.scanned and p.read],
        "scanned": [p for p in pages if p.scanned],
    }
    print_table(
        f"by kind of page, {workers} processes busy",
        ("pages", "number", "parse, CPU s a page", "embed, CPU s a page", "pages a second"),
        [(kind, *rates(chosen, workers)) for kind, chosen in kinds.items() if chosen],
    )


def rates(pages: Sequence[Surveyed], processes: int) -> tuple[str, str, str, str]:
    """Return number, mean seconds to parse and to embed, and pages a second on so many processes."""
    n = len(pages)
    parse, embed = sum(p.parse for p in pages), sum(p.embed for p in pages)
    return str(n), f"{parse / n:.3f}", f"{embed / n:.3f}", f"{n * processes / (parse + embed):.2f}"


def main(argv: Sequence[str] | None = None) -> None:
    """Make the three runs and print the tables."""
    options = parser(__doc__)
    options.add_argument("--home", type=Path, help="the folder for the collection (default: a temporary one)")
    asked: argparse.Namespace = options.parse_args(argv)
    paths = pdfs(asked)
    with home_of(asked) as home:
        pages, _ = spread("survey", survey, prepare, list(all_pages(paths)), asked.workers)
        made = ours(paths, home, asked.workers)
        texts = passages_of(made.collection)
    work = [
        Bare(p.path, p.number, p.read, p.shadowed, (*texts.get((p.path.name, p.number), ()), *p.regions)) for p in pages
    ]
    work.sort(key=lambda b: (b.path, b.number))
    _, parts = spread("bare parts", bare, prepare, work, asked.workers)
    show(pages, made, parts, asked.workers)


if __name__ == "__main__":
    main()
