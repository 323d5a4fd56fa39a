"""The element oracle: the share of gold boxes that some element or group of their page meets at IoU >= 0.5.

    python -m evaluation.benches.layout [--eval DIR] [--gold FILE.jsonl] [--pdfs DIR] [--limit-docs N] [--workers N]
                                      [--cache DIR] [--all-pages]

A system that cites elements can never do better than this oracle, so it is the ceiling of every localization number.
The reference is the layout model's own boxes (PyMuPDF on the page as it is), which a user would pick instead. The gold
file has one JSON object a line: `{"doc", "questions": [{"boxes": [{"page", "bbox"}]}]}`, boxes as fractions of the
page, pages from 1. A gold box that several questions name counts once for each.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import pickle
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

import pymupdf
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

import indexing.parse
from indexing import BBox, Element, IndexingSettings
from indexing.parse import MIN_LAYER_CHARS, parse_page, with_groups

BATCH = 8
"""The number of pages a process parses before it comes back for more."""
MEETS = 0.5
"""The intersection over union from which a box meets a gold box."""

Gold = dict[str, dict[int, list[BBox]]]


@dataclass(frozen=True, slots=True)
class Parsed:
    """A page as measured: the model's boxes alone, our elements without groups, and the seconds each took."""

    doc: str
    number: int
    image_only: bool
    model: tuple[BBox, ...]
    elements: tuple[Element, ...]
    model_seconds: float
    seconds: float


@dataclass(slots=True)
class Score:
    """The sums over pages of one sort; `met` and `candidates` by method, in the order of the table's rows."""

    pages: int = 0
    gold: int = 0
    seconds: tuple[float, ...] = (0.0, 0.0, 0.0)
    met: tuple[int, ...] = (0, 0, 0)
    candidates: tuple[int, ...] = (0, 0, 0)
    crowded: int = 0

    def add(self, page: Parsed, gold: Sequence[BBox]) -> None:
        """Count a page; `crowded` counts pages with more groups than elements."""
        start = time.perf_counter()
        every = [e.bbox for e in with_groups(page.elements)]
        grouping = time.perf_counter() - start
        plain = [e.bbox for e in page.elements]
        methods = (page.model, plain, every)
        self.pages += 1
        self.gold += len(gold)
        self.met = tuple(m + _met(boxes, gold) for m, boxes in zip(self.met, methods, strict=True))
        self.candidates = tuple(n + len(boxes) for n, boxes in zip(self.candidates, methods, strict=True))
        spent = (page.model_seconds, page.seconds, page.seconds + grouping)
        self.seconds = tuple(a + b for a, b in zip(self.seconds, spent, strict=True))
        self.crowded += len(every) > 2 * len(plain)


def _met(boxes: Sequence[BBox], gold: Sequence[BBox]) -> int:
    return sum(any(box.iou(target) >= MEETS for box in boxes) for target in gold)


def read_gold(path: Path) -> Gold:
    """Read document -> page -> boxes; a box that does not lie on its page is left out with a warning."""
    gold: Gold = defaultdict(lambda: defaultdict(list))
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        for box in (box for question in row["questions"] for box in question["boxes"]):
            x0, y0, x1, y1 = box["bbox"]
            found = BBox.from_page(x0, y0, x1, y1, 1.0, 1.0)
            if found is None:
                print(f"{row['doc']} page {box['page']}: {box['bbox']} is not a box: left out", file=sys.stderr)
            else:
                gold[row["doc"]][box["page"]].append(found)
    return gold


def parse(path: Path, numbers: Sequence[int]) -> list[Parsed]:
    """Parse the pages `numbers` of a PDF, once with the layout model alone and once with `indexing.parse.layout`."""
    settings, found = IndexingSettings(), []
    with pymupdf.open(path) as document:
        for number in numbers:
            start = time.perf_counter()
            ours = parse_page(document[number - 1], path.name, settings).elements
            middle = time.perf_counter()
            page = document[number - 1]
            page.get_layout(return_raw=True)
            end = time.perf_counter()
            w, h = page.rect.width, page.rect.height
            regions = [region["group_bbox"][:4] for region in page.layout_information or []]
            inside = (BBox.from_page(x0, y0, x1, y1, w, h) for x0, y0, x1, y1 in regions)
            image_only = len("".join(page.get_text().split())) < MIN_LAYER_CHARS
            plain = tuple(e for e in ours if e.kind != "group")
            model = tuple(box for box in inside if box is not None)
            found.append(Parsed(path.name, number, image_only, model, plain, end - middle, middle - start))
    pymupdf.TOOLS.store_shrink(100)
    return found


def _jobs(gold: Gold, pdfs: Path, all_pages: bool) -> Iterator[tuple[Path, list[int]]]:
    for name, boxes in gold.items():
        path = pdfs / name
        if not path.exists():
            raise SystemExit(f"{path} is missing: give the folder of the benchmark's documents with --pdfs")
        with pymupdf.open(path) as document:
            numbers = list(range(1, document.page_count + 1)) if all_pages else sorted(boxes)
        for start in range(0, len(numbers), BATCH):
            yield path, numbers[start : start + BATCH]


def parsing_sources() -> list[Path]:
    """Return the modules that make the elements of a page: all of `indexing.parse` but groups, settings and types."""
    folder = Path(indexing.parse.__file__).parent
    parts = (p for p in folder.rglob("*.py") if p.stem != "groups")
    return sorted([*parts, folder.parent / "settings.py", folder.parent / "types.py"])


def _cached(cache: Path | None, path: Path, numbers: Sequence[int]) -> Path | None:
    """Return the file that keeps a batch; its name changes with the code that parses it (groups are made anew)."""
    if cache is None:
        return None
    digest = hashlib.sha256(f"{path.name} {path.stat().st_size} {list(numbers)}".encode())
    for source in parsing_sources():
        digest.update(source.read_bytes())
    return cache / f"{digest.hexdigest()[:24]}.pickle"


def parse_all(jobs: Sequence[tuple[Path, list[int]]], workers: int, cache: Path | None) -> list[Parsed]:
    """Return every page of `jobs`, out of the cache (a folder of our own pickles) or parsed in `workers` processes."""
    pages: list[Parsed] = []
    with Progress(console=Console(stderr=True)) as progress, ProcessPoolExecutor(workers) as pool:
        bar = progress.add_task("pages", total=sum(len(numbers) for _, numbers in jobs))
        waiting = {}
        for path, numbers in jobs:
            kept = _cached(cache, path, numbers)
            if kept is not None and kept.exists():
                pages += pickle.loads(kept.read_bytes())  # noqa: S301  written by this program
                progress.advance(bar, len(numbers))
            else:
                waiting[pool.submit(parse, path, numbers)] = kept
        for job in as_completed(waiting):
            found, kept = job.result(), waiting[job]
            if kept is not None:
                kept.parent.mkdir(parents=True, exist_ok=True)
                kept.write_bytes(pickle.dumps(found))
            pages += found
            progress.advance(bar, len(found))
    return pages


def scores(pages: Sequence[Parsed], gold: Mapping[str, Mapping[int, Sequence[BBox]]]) -> dict[str, Score]:
    """Return the sums over all, text and image-only pages."""
    sums = {"all": Score(), "text": Score(), "image-only": Score()}
    for page in pages:
        boxes = gold.get(page.doc, {}).get(page.number, ())
        for sort in ("all", "image-only" if page.image_only else "text"):
            sums[sort].add(page, boxes)
    return sums


def report(sums: Mapping[str, Score]) -> Table:
    """Return a row for each sort of page and method."""
    table = Table(title=f"element oracle: gold boxes met at IoU >= {MEETS}")
    table.add_column("pages")
    table.add_column("boxes of")
    for name in ("gold boxes", "met", "oracle %", "candidates a page", "seconds a page"):
        table.add_column(name, justify="right")
    for sort, score in sums.items():
        for n, method in enumerate(("layout model alone", "our elements", "elements + groups")):
            share = f"{100 * score.met[n] / score.gold:.1f}" if score.gold else "-"
            each = max(score.pages, 1)
            table.add_row(
                f"{sort} ({score.pages})" if n == 0 else "", method, str(score.gold), str(score.met[n]), share,
                f"{score.candidates[n] / each:.1f}", f"{score.seconds[n] / each:.3f}", end_section=n == 2,
            )  # fmt: skip
    return table


def main(argv: Sequence[str] | None = None) -> None:
    """Parse the pages and print the table."""
    options = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    options.add_argument(
        "--eval", type=Path, default=Path("../shared/eval/mmdocir"), help="the folder of the benchmark"
    )
    options.add_argument("--gold", type=Path, help="the gold boxes (default: dev.jsonl of that folder)")
    options.add_argument("--pdfs", type=Path, help="the folder of the documents (default: pdfs in that folder)")
    options.add_argument("--limit-docs", type=int, help="use only the first N documents of the gold file")
    options.add_argument("--workers", type=int, default=2, help="the number of processes")
    options.add_argument("--cache", type=Path, help="the folder that stores parsed pages between runs")
    options.add_argument(
        "--all-pages", action="store_true", help="also measure pages without gold boxes (candidates, time)"
    )
    asked = options.parse_args(argv)
    path = asked.gold or asked.eval / "dev.jsonl"
    if not path.exists():
        raise SystemExit(f"{path} is missing: give the gold file with --gold, or its folder with --eval")
    gold = dict(list(read_gold(path).items())[: asked.limit_docs])
    jobs = list(_jobs(gold, asked.pdfs or asked.eval / "pdfs", asked.all_pages))
    sums = scores(parse_all(jobs, asked.workers, asked.cache), gold)
    console = Console(width=None if sys.stdout.isatty() else 120)
    console.print(report(sums))
    elements, everything = sums["all"].candidates[1:]
    console.print(
        f"{everything - elements} groups to {elements} elements, "
        f"more groups than elements on {sums['all'].crowded} of {sums['all'].pages} pages"
    )


if __name__ == "__main__":
    main()
