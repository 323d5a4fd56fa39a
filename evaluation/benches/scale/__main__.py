"""The search over 10,000 and 100,000 pages: latency, and how many of the exact top 10 it finds.

    python -m evaluation.benches.scale --eval DIR [--home HOME --collection NAME] [--pages 10000 100000]
                                     [--candidates 600:120,1000:200] [--questions 30] [--made DIR] [--no-exact]

The collections are made of the pages of an indexed one (`made_pages`) and written through `Store`, so that search reads
the same data as in use. The time is that of all stages and ranking, without embedding the question (some 8 ms), full
text and fetching the texts of the best ten, which do not depend on the number of vectors.

candidates   Pages that codes choose, and those of them that are scored exactly, of 10,000; for more they grow as in
             search.

exact    Every packed vector of the store, read once in blocks and scored by the same kernel.
memory   Resident bytes of this process after the questions, less before the store was opened.
"""

from __future__ import annotations

import argparse
import gc
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import psutil
from numpy.typing import NDArray

from evaluation.baselines import best
from evaluation.benches.inputs import add_collection_options, home_of, indexed, numbers, parser, questions
from evaluation.benches.scale.made_pages import KEPT, PageMaker
from evaluation.benches.scale.written import write_pages
from evaluation.progress import say
from evaluation.tables import median, percentile, print_table
from indexing import Collection, IndexingSettings, SearchSettings
from indexing.embed import MiniLM, QueryVectors
from indexing.search import PageVectors, growth, read_memory_index
from indexing.store import Store

TOP = 10
BLOCK = 500
"""The number of pages written, or read for the exact scores, at a time."""
LIMITS = {10_000: (60.0, 98.0), 100_000: (200.0, 95.0)}
"""The limits by number of pages: most milliseconds (median), least percent of the exact top 10."""


def exact(view: PageVectors, n_pages: int, queries: Sequence[QueryVectors], weight: float) -> list[NDArray[np.float32]]:
    """Return the scores of the exact top ten elements of each query."""
    highest = [np.full(0, 0.0, np.float32) for _ in queries]
    for at in range(0, n_pages, BLOCK):
        found = view.scored(range(at, min(at + BLOCK, n_pages)), queries)
        scores = weight * found.own + (1 - weight) * found.page
        highest = [np.sort(np.concatenate([h, scores[:, n]]))[::-1][:TOP] for n, h in enumerate(highest)]
        say("exact, pages", min(at + BLOCK, n_pages), n_pages)
    print(file=sys.stderr)
    return highest


def ours(
    view: PageVectors,
    queries: Sequence[QueryVectors],
    codebook: NDArray[np.float32],
    candidates: Sequence[int],
    weight: float,
) -> Iterator[tuple[float, float, float, NDArray[np.float32]]]:
    """Yield for each query the seconds of the first stage, of two and of all, and the scores of the best ten."""
    for query in queries:
        start = time.perf_counter()
        by_codes = best(view.coded([query], codebook), candidates[0])
        first = time.perf_counter()
        chosen = by_codes[best(view.outlined(by_codes, [query], codebook), candidates[1])]
        second = time.perf_counter()
        found = view.scored(chosen.tolist(), [query])
        scores = (weight * found.own + (1 - weight) * found.page)[:, 0]
        top = np.sort(scores)[::-1][:TOP]
        yield first - start, second - start, time.perf_counter() - start, top


def measure(made: Collection, asked: Sequence[QueryVectors], options: argparse.Namespace) -> list[tuple[str, ...]]:
    """Return a row of the table for every number of candidates."""
    weight, process = SearchSettings().element_weight, psutil.Process(os.getpid())
    codebook = MiniLM(threads=1).codebook()
    snapshot = Store(made.path / "db", codebook.shape[1]).snapshot()
    start = time.perf_counter()
    read_memory_index(snapshot)  # the file is made where there is none
    written = time.perf_counter() - start
    gc.collect()
    before = process.memory_info().rss
    start = time.perf_counter()
    index = read_memory_index(snapshot)
    opened, n_pages = time.perf_counter() - start, len(index)
    truth = exact(index.views["text"], n_pages, asked, weight) if options.exact else []
    rows: list[tuple[str, ...]] = []
    for pair in options.candidates:
        candidates = [round(number * times) for number, times in zip(pair, growth(n_pages), strict=True)]
        fresh = read_memory_index(snapshot).views["text"]  # nothing kept in memory from the exact pass
        used = time.process_time()
        found = list(ours(fresh, asked, codebook, candidates, weight))
        used = (time.process_time() - used) / len(asked)
        hits = [np.isin(np.round(t, 5), np.round(f[3], 5)).mean() for t, f in zip(truth, found, strict=options.exact)]
        times = [1000 * f[2] for f in found]
        firsts, seconds = median([1000 * f[0] for f in found]), median([1000 * f[1] for f in found])
        rows.append(
            (f"{n_pages:,}", ":".join(map(str, candidates)), f"{firsts:.0f}", f"{seconds:.0f}", f"{median(times):.0f}",
             f"{percentile(times, 0.95):.0f}", f"{1000 * used:.0f}",
             f"{100 * float(np.mean(hits)):.1f}" if hits else "",
             f"{written:.1f}", f"{opened:.2f}", f"{(process.memory_info().rss - before) / 1e6:.0f}")
        )  # fmt: skip
    return rows


def main(argv: Sequence[str] | None = None) -> None:
    """Measure and print the table."""
    options = parser(__doc__)
    add_collection_options(options)
    add = options.add_argument
    add("--pages", type=int, nargs="+", default=[10_000, 100_000], help="the numbers of pages (default: %(default)s)")
    usual = f"{SearchSettings().code_candidates}:{SearchSettings().exact_candidates}"
    add("--candidates", type=numbers(2), default=usual, metavar="C:E,...", help="the candidates (default: %(default)s)")
    add(
        "--questions",
        type=int,
        default=30,
        metavar="N",
        help="the number of questions, spread over all (default: %(default)s)",
    )
    add("--kept", type=float, default=KEPT, help="the probability that a code is unchanged (default: %(default)s)")
    add("--elements", action="store_true", help="write elements and their texts too, for questions by `...scale.cold`")
    add("--no-exact", dest="exact", action="store_false", help="skip the exact result, which reads every vector")
    add("--made", type=Path, metavar="DIR", help="keep the made collections in DIR/PAGES/made, or take them from there")
    asked: argparse.Namespace = options.parse_args(argv)
    rows: list[tuple[str, ...]] = []
    with home_of(asked) as home, tempfile.TemporaryDirectory(prefix="vouch-scale-") as folder:
        collection = indexed(asked, home)
        every = questions(asked, {d.name for d in collection.documents()})
        model = MiniLM()
        chosen = every[:: max(1, len(every) // asked.questions)][: asked.questions]
        queries = [model.embed_query(question.text) for question in chosen]
        for n_pages in asked.pages:
            made = Collection.create(
                "made", (asked.made or Path(folder)) / str(n_pages), IndexingSettings(visual="none")
            )
            if not made.documents():
                maker = PageMaker(collection.snapshots()[0], model.codebook(), asked.kept)
                write_pages(maker, made, n_pages, _texts(collection) if asked.elements else ())
            rows += measure(made, queries, asked)
    columns = (
        "pages", "candidates", "stage 1 ms", "1 + 2 ms", "median ms", "95% ms", "processor ms", "exact top 10 %",
        "index made s", "opening s", "memory MB",
    )  # fmt: skip
    print_table(f"{len(queries)} questions, each asked once; vectors read from disk", columns, rows)
    for n_pages, (most, least) in LIMITS.items():
        print(f"limits at {n_pages:,} pages: median at most {most:g} ms, at least {least:g}% of the exact top 10")


def _texts(collection: Collection) -> list[str]:
    snapshot = collection.snapshots()[0]
    return [
        element.text for element in snapshot.elements(snapshot.element_keys()["_rowid"].to_pylist()) if element.text
    ]


if __name__ == "__main__":
    main()
