"""The search in stages beside numpy over everything and LanceDB's own exact multi-vector search.

    python -m evaluation.benches.search --eval DIR [--home HOME --collection NAME] [--limit-docs N] [--sweep C:E:T,...]

All answer the same questions over all documents of one collection; each time includes embedding the question.

ours     `Collection.search`: candidates by codes and full text, exact MaxSim over them; reading the best 10 elements
         with their token offsets is part of it. Full text chooses pages here and adds nothing to their scores.
numpy    Exact scores of every element by the same formula, all token vectors in memory as int8; nothing is read.
lancedb  One row a page with all its token vectors (float16) and LanceDB's flat search, which scores pages only. With
         --metric dot the weights go into the query, so it scores what ours does; cosine, its default for multi-vectors,
         leaves them out. Timed on --lance-questions questions: it takes seconds for each.

Recall is of numpy's exact top 10: elements, and pages ranked by their best element; equal scores at the end count as
found. LanceDB's is of the top 10 pages by page MaxSim. "gold" is the share of questions with a gold page among the
first 10 pages. The sweep repeats ours with other numbers of candidates (by codes : of them exactly : by full text).
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from evaluation.benches.exact_search import Everything, best, everything, recall
from evaluation.benches.inputs import (
    BenchQuestion,
    add_collection_options,
    home_of,
    indexed,
    numbers,
    parser,
    pdfs,
    questions,
)
from evaluation.benches.lance_exact import LancePages, Metric
from evaluation.progress import say
from evaluation.tables import TableRow, median, percentile, print_rows, print_table
from indexing import Collection, SearchSettings
from indexing.embed import MiniLM
from indexing.search import ALL_PAGES

TOP = 10
DEEP = 300
"""The number of elements looked through for the first 10 pages; not timed."""


@dataclass(frozen=True, slots=True)
class Setting:
    """The setting of the benchmark: the documents, the questions, and the parts that search."""

    collection: Collection
    embedder: MiniLM
    exact: Everything
    documents: dict[str, str]
    asked: Sequence[BenchQuestion]


@dataclass(slots=True)
class MeasuredSearch:
    """The seconds, recall and gold pages of one method, a value for each question."""

    seconds: list[float] = field(default_factory=list)
    elements: list[float] = field(default_factory=list)
    pages: list[float] = field(default_factory=list)
    gold: list[bool] = field(default_factory=list)


def exact_pages(exact: Everything, scores: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the score (p,) of each page's best element."""
    first = np.searchsorted(exact.owners, np.arange(len(exact.names)))
    found: NDArray[np.float32] = np.maximum.reduceat(scores, first) if len(first) else scores
    return found


def has_gold(setting: Setting, question: BenchQuestion, names: Sequence[tuple[str, int]]) -> bool:
    """Return True if one of the pages (document id, number) is a gold page."""
    return any(setting.documents[doc] == question.document and page in question.pages for doc, page in names)


def run_numpy(setting: Setting) -> tuple[MeasuredSearch, list[NDArray[np.float32]]]:
    """Run the exact reference; return it with its element scores (m,) for every question."""
    measured, kept = MeasuredSearch(), list[NDArray[np.float32]]()
    for number, question in enumerate(setting.asked, 1):
        start = time.perf_counter()
        scores = setting.exact.element_scores(setting.embedder.embed_query(question.text))
        best(scores, TOP)
        measured.seconds.append(time.perf_counter() - start)
        pages = best(exact_pages(setting.exact, scores), TOP)
        measured.gold.append(has_gold(setting, question, [setting.exact.names[p] for p in pages]))
        kept.append(scores)
        say("numpy", number, len(setting.asked))
    print(file=sys.stderr)
    return measured, kept


def run_ours(
    setting: Setting, exact: Sequence[NDArray[np.float32]], candidates: tuple[int, ...] | None = None
) -> MeasuredSearch:
    """Run our search with its own or another number of `candidates` (by codes, of them exactly, by full text)."""
    usual = SearchSettings()
    counts = candidates or (usual.code_candidates, usual.exact_candidates, usual.text_candidates)
    pure = SearchSettings(
        code_candidates=counts[0],
        exact_candidates=counts[1],
        text_candidates=counts[2],
        full_text_weight=0,
        document_weight=0,
    )
    measured = MeasuredSearch()
    fresh = Collection.open(setting.collection.name, setting.collection.path.parent)  # nothing kept of another run
    place = {name: at for at, name in enumerate(setting.exact.names)}
    fresh.search(setting.asked[0].text, settings=pure)
    for number, (question, scores) in enumerate(zip(setting.asked, exact, strict=True), 1):
        start = time.perf_counter()
        fresh.search(question.text, limit=TOP, settings=pure)
        measured.seconds.append(time.perf_counter() - start)
        hits = fresh.search(question.text, limit=DEEP, settings=pure).hits
        found = np.array([hit.score for hit in hits[:TOP]], np.float32)
        names = list(dict.fromkeys((hit.element.doc_id, hit.element.page) for hit in hits))[:TOP]
        if not place.keys() >= set(names):
            raise SystemExit("the collection changed while it was being measured: wait until its writer has finished")
        by_page = exact_pages(setting.exact, scores)
        measured.elements.append(recall(found, scores, TOP))
        measured.pages.append(recall(by_page[[place[name] for name in names]], by_page, TOP))
        measured.gold.append(has_gold(setting, question, names))
        say(f"ours, {':'.join(map(str, counts))} candidates", number, len(setting.asked))
    print(file=sys.stderr)
    return measured


def run_lance(setting: Setting, metric: Metric, count: int) -> MeasuredSearch:
    """Run LanceDB's exact search, on `count` questions spread over all."""
    measured = MeasuredSearch()
    asked = setting.asked[:: max(1, len(setting.asked) // max(count, 1))][:count]
    with tempfile.TemporaryDirectory(prefix="vouch-bench-") as folder:
        lance = LancePages(Path(folder), setting.exact.vectors, setting.exact.page_starts, metric)
        for number, question in enumerate(asked, 1):
            start = time.perf_counter()
            query = setting.embedder.embed_query(question.text)
            pages = list(lance.search(query.vectors, query.weights, TOP))
            measured.seconds.append(time.perf_counter() - start)
            scores = setting.exact.page_scores(query, weighted=metric == "dot")
            measured.pages.append(recall(scores[pages], scores, TOP, slack=1e-3))
            measured.gold.append(has_gold(setting, question, [setting.exact.names[p] for p in pages]))
            say(f"lancedb, {metric}", number, len(asked))
    print(file=sys.stderr)
    return measured


def cells(measured: MeasuredSearch) -> tuple[str, ...]:
    """Return questions, median and 95th percentile in ms, recall of elements and pages, gold pages; in percent."""

    def percent(values: Sequence[float]) -> str:
        return f"{100 * sum(values) / len(values):.1f}" if values else "-"

    times = [1000 * s for s in measured.seconds]
    shares = (percent(measured.elements), percent(measured.pages), percent(measured.gold))
    return (str(len(times)), f"{median(times):.1f}", f"{percentile(times, 0.95):.1f}", *shares)


def show(ours: MeasuredSearch, exact: MeasuredSearch, lance: MeasuredSearch | None, metric: Metric) -> None:
    """Print the table of methods, then ours with its limits."""
    columns = ("questions", "median ms", "95% ms", "top-10 elements %", "top-10 pages %", "gold %")
    methods = [("ours, in stages", ours), ("numpy, everything", exact)]
    if lance:
        methods.append((f"lancedb, exact, {metric}", lance))
    print_table("search", ("", *columns), [(name, *cells(measured)) for name, measured in methods])
    rows = [
        TableRow(what, 100 * sum(values) / len(values), "%", 100.0, 98.0, at_least=True)
        for what, values in (("top-10 elements found", ours.elements), ("top-10 pages found", ours.pages))
    ]
    print_rows("of numpy's exact top 10", rows, "numpy")


def setting_of(collection: Collection, documents: Sequence[Path], asked: argparse.Namespace) -> Setting:
    """Read the collection into memory, and the questions about its documents."""
    snapshot = collection.snapshots()[0]
    names = {document.id: document.name for document in snapshot.documents()}
    chosen = questions(asked, {path.name for path in documents})[: asked.limit_questions]
    return Setting(collection, MiniLM(), everything(snapshot), names, chosen)


def main(argv: Sequence[str] | None = None) -> None:
    """Measure and print the tables."""
    options = parser(__doc__)
    add_collection_options(options)
    add = options.add_argument
    add("--limit-questions", type=int, metavar="N", help="ask only the first N questions")
    add(
        "--lance-questions",
        type=int,
        default=20,
        metavar="N",
        help="the number of questions for LanceDB; 0 means none (default: %(default)s)",
    )
    add("--metric", choices=("dot", "cosine"), default="dot", help="the metric of LanceDB (default: %(default)s)")
    usual = "300:40:40,600:80:40,1000:60:40,1000:200:40"
    add(
        "--sweep",
        type=numbers(3),
        default=usual,
        metavar="C:E:T,...",
        help="the numbers of candidates to try; '' means none (default: %(default)s)",
    )
    asked = options.parse_args(argv)
    with home_of(asked) as home:
        setting = setting_of(indexed(asked, home), pdfs(asked), asked)
        exact, scores = run_numpy(setting)
        ours = run_ours(setting, scores)
        lance = run_lance(setting, asked.metric, asked.lance_questions) if asked.lance_questions else None
        swept = [(pair, run_ours(setting, scores, pair)) for pair in asked.sweep]
    n, size = len(setting.exact.names), setting.exact.vectors.nbytes >> 20
    print(
        f"{len(setting.documents)} documents, {n} pages, {len(setting.exact.rows)} elements, {size} MB of token vectors"
    )
    if n <= ALL_PAGES:
        print(f"at most {ALL_PAGES} pages: ours skips its first stage here")
    show(ours, exact, lance, asked.metric)
    if swept:
        columns = ("codes:exact:text", "questions", "median ms", "95% ms", "elements %", "pages %", "gold %")
        print_table("ours by number of candidates", columns, [(":".join(map(str, n)), *cells(x)) for n, x in swept])


if __name__ == "__main__":
    main()
