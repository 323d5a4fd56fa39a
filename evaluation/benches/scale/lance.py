"""LanceDB's own index of multi-vectors as the chooser of pages, beside ours, over the made pages of `...scale`.

    python -m evaluation.benches.scale.lance --eval DIR --home HOME --collection NAME --made DIR [--pages 10000]
                                             [--columns tokens,means,64] [--questions 30] [--probes 8,32]

First make the pages: `python -m evaluation.benches.scale --made DIR ...`. Each column is a table of its own in
DIR/PAGES/lance: one float16 multi-vector a page, under an IVF_RQ index (cosine).

tokens   All token vectors of a page.
means    The means of its tokens by code, as our second stage knows them.
64       At most 64 centroids of its tokens (`indexing.vectors.sketch`); any number.

Lance has no weights of tokens: it is asked with the heavier half of the question's, as our first stage is. The pages
that it finds are scored exactly by ours, and the ten best elements compared with the exact ten.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import lancedb
import numpy as np
import pyarrow as pa
from lancedb.index import IvfRq
from numpy.typing import NDArray

from evaluation.benches.inputs import add_collection_options, home_of, indexed, parser, questions
from evaluation.benches.scale.__main__ import TOP, exact, ours
from evaluation.progress import say
from evaluation.tables import median, percentile, print_table
from indexing import Collection, SearchSettings
from indexing.embed import MiniLM, QueryVectors
from indexing.search import PageVectors, growth, read_memory_index
from indexing.store import Store
from indexing.vectors import normalize, sketch

BLOCK = 2000
CANDIDATES = (200, 300, 400, 600, 1200)
Answer = tuple[float, float, NDArray[np.float32]]
"""The seconds until pages were chosen, and until they were scored; the scores of the best ten."""


def multivectors(store: Store, column: str, codebook: NDArray[np.float32]) -> Iterator[pa.RecordBatch]:
    """Yield pages in the order of the store's rows with their multi-vector."""
    snapshot = store.snapshot()
    rows = snapshot.page_keys()["_rowid"].to_numpy()
    kept = (np.frombuffer(value.as_py(), np.uint16) for _, values in snapshot.page_bytes("codes") for value in values)
    for at in range(0, len(rows), BLOCK):
        read = snapshot.vectors(rows[at : at + BLOCK].tolist())
        block = [_outline(vectors, codebook[next(kept)], column) for vectors, _ in read]
        flat = np.concatenate(block).astype(np.float16)
        inner = pa.FixedSizeListArray.from_arrays(pa.array(flat.ravel()), codebook.shape[1])
        lists = pa.ListArray.from_arrays(pa.array(np.cumsum([0, *map(len, block)]), pa.int32()), inner)
        yield pa.record_batch([pa.array(range(at, at + len(block)), pa.int64()), lists], names=["page", "vector"])
        say(f"{column}, pages written", at + len(block), len(rows))


def _outline(vectors: NDArray[np.int8], codes: NDArray[np.float32], column: str) -> NDArray[np.float32]:
    """Return what a column has of a page's vectors, which are nearest to the centroids `codes` (c, d)."""
    if column == "tokens":
        return normalize(vectors.astype(np.float32))
    if column == "means":
        code = (vectors.astype(np.float32) @ codes.T).argmax(axis=1)
        order = np.argsort(code, kind="stable")
        firsts = np.flatnonzero(np.diff(code[order], prepend=-1))
        return normalize(np.add.reduceat(vectors[order].astype(np.float32), firsts, axis=0))
    return normalize(sketch(vectors, int(column)))


def opened(
    folder: Path, column: str, store: Store, codebook: NDArray[np.float32]
) -> tuple[lancedb.table.Table, float, float]:
    """Return the table of a column, made where there is none, the seconds to write and to index it."""
    database = lancedb.connect(folder)
    name = f"by_{column}"
    if name in database.list_tables().tables:
        return database.open_table(name), 0.0, 0.0
    start = time.perf_counter()
    inner = pa.list_(pa.float16(), codebook.shape[1])
    schema = pa.schema([("page", pa.int64()), ("vector", pa.list_(inner))])
    table = database.create_table(name, schema=schema)
    for batch in multivectors(store, column, codebook):
        table.add(pa.Table.from_batches([batch]))
    table.optimize(cleanup_older_than=timedelta(0))
    print(file=sys.stderr)
    written = time.perf_counter()
    lists = 256 if table.count_rows() < 50_000 else 1024
    table.create_index("vector", config=IvfRq(distance_type="cosine", num_bits=1, num_partitions=lists))
    return table, written - start, time.perf_counter() - written


def found(table: lancedb.table.Table, query: QueryVectors, count: int, probes: int) -> list[int]:
    """Return the pages that Lance finds for the heavier half of a question's tokens."""
    heavy = query.vectors[query.weights >= 0.5 * query.weights.max()]
    asked = table.search(heavy.astype(np.float16), vector_column_name="vector").distance_type("cosine").nprobes(probes)
    pages: list[int] = asked.select(["page", "_distance"]).limit(count).to_arrow()["page"].to_pylist()
    return pages


def measure(options: argparse.Namespace, queries: Sequence[QueryVectors], folder: Path) -> list[tuple[str, ...]]:
    """Return a row of the table for every column, number of probes and of candidates, after those of our own stages."""
    codebook, weight = MiniLM(threads=1).codebook(), SearchSettings().element_weight
    store = Store(Collection.open("made", folder).path / "db", codebook.shape[1])
    index = read_memory_index(store.snapshot())
    truth = exact(index.views["text"], len(index), queries, weight)
    rows: list[tuple[str, ...]] = []

    def add(names: Sequence[str], ask: Callable[[PageVectors, QueryVectors], Answer], ending: Sequence[str]) -> None:
        view, used = read_memory_index(store.snapshot()).views["text"], time.process_time()  # no page kept in memory
        answers = [ask(view, query) for query in queries]
        used = 1000 * (time.process_time() - used) / len(queries)
        hits = [
            np.isin(np.round(best, 5), np.round(top, 5)).mean() for best, (*_, top) in zip(truth, answers, strict=True)
        ]
        chosen, times = [1000 * answer[0] for answer in answers], [1000 * answer[1] for answer in answers]
        figures = [median(chosen), median(times), percentile(times, 0.95), used]
        rows.append((f"{len(index):,}", *names, *(f"{f:.0f}" for f in figures), f"{100 * np.mean(hits):.1f}", *ending))
        print(*rows[-1], file=sys.stderr)

    coded, read = (round(n * times) for n, times in zip((600, 200), growth(len(index)), strict=True))
    for pair in ((coded // 2, read), (coded, read)):
        add(("ours", "", f"{pair[0]}:{pair[1]}"), partial(_by_ours, codebook, pair), ("", "", ""))
    for column in options.columns.split(","):
        table, written, made = opened(folder / "lance", column, store, codebook)
        files = (folder / "lance" / f"by_{column}.lance").rglob("*")
        size = sum(path.stat().st_size for path in files if path.is_file()) / len(index) / 1000
        found(table, queries[0], 10, 1)
        for probes in map(int, options.probes.split(",")):
            for count in CANDIDATES:
                ending = (f"{size:.1f}", f"{written:.0f}", f"{made:.0f}")
                add((column, str(probes), str(count)), partial(_by_lance, table, count, probes), ending)
    return rows


def _by_ours(
    codebook: NDArray[np.float32], candidates: tuple[int, int], view: PageVectors, query: QueryVectors
) -> Answer:
    ((_, second, whole, top),) = ours(view, [query], codebook, candidates, SearchSettings().element_weight)
    return second, whole, top


def _by_lance(table: Any, count: int, probes: int, view: PageVectors, query: QueryVectors) -> Answer:
    start = time.perf_counter()
    pages = found(table, query, count, probes)
    first = time.perf_counter() - start
    scored, weight = view.scored(pages, [query]), SearchSettings().element_weight
    top = np.sort((weight * scored.own + (1 - weight) * scored.page)[:, 0])[::-1][:TOP]
    return first, time.perf_counter() - start, top


def main(argv: Sequence[str] | None = None) -> None:
    """Measure and print the table."""
    options = parser(__doc__)
    add_collection_options(options)
    options.add_argument("--made", type=Path, required=True, metavar="DIR", help="the folder of the made pages")
    options.add_argument("--pages", type=int, nargs="+", default=[10_000], help="the numbers (default: %(default)s)")
    options.add_argument("--columns", default="tokens,means,64", help="what is indexed (default: %(default)s)")
    options.add_argument("--probes", default="8,32", help="the lists that Lance reads a token (default: %(default)s)")
    options.add_argument("--questions", type=int, default=30, metavar="N", help="(default: %(default)s)")
    asked = options.parse_args(argv)
    with home_of(asked) as home:
        collection = indexed(asked, home)
        every = questions(asked, {d.name for d in collection.documents()})
        model = MiniLM()
        chosen = every[:: max(1, len(every) // asked.questions)][: asked.questions]
        queries = [model.embed_query(question.text) for question in chosen]
        rows = [row for pages in asked.pages for row in measure(asked, queries, asked.made / str(pages))]
    columns = (
        "pages", "column", "probes", "candidates", "Lance ms", "median ms", "95% ms", "processor ms",
        "exact top 10 %", "KB a page", "written s", "index s",
    )  # fmt: skip
    print_table(f"{len(queries)} questions, each asked once", columns, rows)


if __name__ == "__main__":
    main()
