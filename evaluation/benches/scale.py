"""The search over 10,000 and 100,000 pages: latency, and how many of the exact top 10 it finds.

    python -m evaluation.benches.scale --eval DIR [--home HOME --collection NAME] [--pages 10000 100000]
                                     [--noise 0.1] [--questions 30]
                                     [--candidates 600:120,1000:200]

The pages of an indexed collection are repeated until there are as many as asked for, each repetition with other
noise on its vectors (a random direction of --noise times their length, then normalised and packed again), so that no
two pages are the same; their codes and residuals are those of the noisy vectors, looked for among the --near centroids
next to the old one. They are written through `Store`, so that search reads the same data as in use. Elements are not
written: the time is that of all stages and ranking, without embedding the question (some 8 ms), full text and fetching
the texts of the best ten, which do not depend on the number of vectors.

candidates   Pages that codes choose, and those of them that are scored exactly, of 10,000; for more they grow as in
             search.

exact    Every packed vector of the store, read once in blocks and scored by the same kernel.
memory   Resident bytes of this process after the questions, less before the store was opened.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import psutil
from numpy.typing import NDArray

from evaluation.baselines import best
from evaluation.benches.inputs import add_collection_options, home_of, indexed, numbers, parser, questions
from evaluation.progress import say
from evaluation.tables import median, percentile, print_table
from indexing import Document, Landmarks, Page, SearchSettings
from indexing.embed import MiniLM, QueryVectors, quantise
from indexing.search import PageVectors, growth, read_memory_index
from indexing.store import MultiVector, Snapshot, Store, page_row
from indexing.vectors import outline

TOP = 10
BLOCK = 500
"""The number of pages written, or read for the exact scores, at a time."""
LIMITS = {10_000: (60.0, 98.0), 100_000: (250.0, 95.0)}
"""The limits by number of pages: most milliseconds (median), least percent of the exact top 10."""


def noisy(vectors: NDArray[np.int8], noise: float, rng: np.random.Generator) -> NDArray[np.int8]:
    """Return unit rows near `vectors` (n, d)."""
    rows = vectors.astype(np.float32) / 127.0
    directions = rng.normal(size=rows.shape).astype(np.float32)
    directions *= noise / np.maximum(np.linalg.norm(directions, axis=1, keepdims=True), 1e-9)
    rows += directions
    return quantise(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9))


class Tiles:
    """The pages of a collection, repeated with noise."""

    def __init__(self, source: Snapshot, codebook: NDArray[np.float32], noise: float, near: int) -> None:
        """Read the pages and their codes."""
        keys = source.page_keys()
        rows = keys["_rowid"].to_pylist()
        self._names = list(zip(keys["doc_id"].to_pylist(), keys["number"].to_pylist(), strict=True))
        self._pages = [page for at in range(0, len(rows), BLOCK) for page in source.vectors(rows[at : at + BLOCK])]
        self._codebook = codebook
        self._near = np.argpartition(-(codebook @ codebook.T), near, axis=1)[:, :near]
        self._codes = [self._all_codes(vectors) for vectors, _ in self._pages]
        self._noise = noise
        self._rng = np.random.default_rng(0)

    def page(self, number: int) -> tuple[str, dict[str, Any]]:
        """Return document id and row of page `number` (from 0); the first repetition is without noise."""
        repetition, place = divmod(number, len(self._names))
        doc, in_doc = self._names[place]
        vectors, spans = self._pages[place]
        nearest = self._codes[place]
        if repetition:
            vectors = noisy(vectors, self._noise, self._rng)
            near = self._near[nearest]
            similar = np.einsum("nd,nkd->nk", vectors.astype(np.float32), self._codebook[near])
            nearest = near[np.arange(len(near)), similar.argmax(axis=1)]
        known = outline(vectors.astype(np.float32), nearest, self._codebook)
        placed = tuple((int(a), int(b), int(c)) for a, b, c in spans)
        multi = MultiVector(vectors, placed, known.codes.tobytes(), known.residuals.tobytes())
        name = f"{repetition}-{doc}"
        return name, page_row(Page(name, in_doc, 595.0, 842.0), Landmarks((), (), 0.0, 0.0), multi, None)

    def _all_codes(self, vectors: NDArray[np.int8]) -> NDArray[np.int64]:
        return (vectors.astype(np.float32) @ self._codebook.T).argmax(axis=1) if len(vectors) else np.zeros(0, np.int64)


def tile(tiles: Tiles, target: Store, n_pages: int) -> None:
    """Write `n_pages` pages."""
    documents: dict[str, Document] = {}
    for at in range(0, n_pages, BLOCK):
        made = [tiles.page(number) for number in range(at, min(at + BLOCK, n_pages))]
        documents |= {name: Document(name, name, "", 1, name, name) for name, _ in made}
        target.add([row for _, row in made], [])
        say("pages written", at + len(made), n_pages)
    target.publish(list(documents.values()))
    print(file=sys.stderr)


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


def measure(
    store: Store,
    n_pages: int,
    asked: Sequence[QueryVectors],
    codebook: NDArray[np.float32],
    sweep: Sequence[tuple[int, ...]],
) -> list[tuple[str, ...]]:
    """Return a row of the table for every number of candidates."""
    weight = SearchSettings().element_weight
    process = psutil.Process(os.getpid())
    before = process.memory_info().rss
    start = time.perf_counter()
    view = read_memory_index(store.snapshot()).views["text"]
    opened = time.perf_counter() - start
    truth = exact(view, n_pages, asked, weight)
    rows: list[tuple[str, ...]] = []
    for pair in sweep:
        candidates = [round(number * times) for number, times in zip(pair, growth(n_pages), strict=True)]
        fresh = read_memory_index(store.snapshot()).views["text"]  # nothing kept in memory from the exact pass
        found = list(ours(fresh, asked, codebook, candidates, weight))
        hits = [np.isin(np.round(t, 5), np.round(f[3], 5)).mean() for t, f in zip(truth, found, strict=True)]
        times = [1000 * f[2] for f in found]
        firsts, seconds = median([1000 * f[0] for f in found]), median([1000 * f[1] for f in found])
        rows.append(
            (f"{n_pages:,}", ":".join(map(str, candidates)), f"{firsts:.0f}", f"{seconds:.0f}", f"{median(times):.0f}",
             f"{percentile(times, 0.95):.0f}", f"{100 * float(np.mean(hits)):.1f}", f"{opened:.1f}",
             f"{(process.memory_info().rss - before) / 1e6:.0f}")
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
        help="how many questions, spread over all (default: %(default)s)",
    )
    add("--noise", type=float, default=0.1, help="the length of the noise on a unit vector (default: %(default)s)")
    add(
        "--near",
        type=int,
        default=32,
        help="how many centroids are looked at for a noisy vector's code (default: %(default)s)",
    )
    asked: argparse.Namespace = options.parse_args(argv)
    rows: list[tuple[str, ...]] = []
    with home_of(asked) as home:
        collection = indexed(asked, home)
        every = questions(asked, {d.name for d in collection.documents()})
        model = MiniLM()
        chosen = every[:: max(1, len(every) // asked.questions)][: asked.questions]
        queries = [model.embed_query(question.text) for question in chosen]
        tiles = Tiles(collection.snapshot(), model.codebook(), asked.noise, asked.near)
        for n_pages in asked.pages:
            with tempfile.TemporaryDirectory(prefix="vouch-scale-") as folder:
                store = Store(Path(folder) / "db", model.dim)
                tile(tiles, store, n_pages)
                rows += measure(store, n_pages, queries, model.codebook(), asked.candidates)
    columns = (
        "pages",
        "candidates",
        "stage 1 ms",
        "1 + 2 ms",
        "median ms",
        "95% ms",
        "exact top 10 %",
        "opening s",
        "memory MB",
    )
    print_table(f"{len(queries)} questions, each asked once; vectors read from disk", columns, rows)
    for n_pages, (most, least) in LIMITS.items():
        print(f"limits at {n_pages:,} pages: median at most {most:g} ms, at least {least:g}% of the exact top 10")


if __name__ == "__main__":
    main()
