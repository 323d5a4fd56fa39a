"""The search in stages beside numpy over everything.

    python -m plugins.research.benches.search --eval DIR [--home HOME --collection NAME] [--limit-docs N]

Both answer the same questions over all documents of one collection; each time includes embedding the question.

ours     `Collection.search`: candidates by codes and full text, exact MaxSim over them; reading the best 10 elements
         with their token offsets is part of it. Full text chooses pages here and adds nothing to their scores.
numpy    Exact scores of every element by the same formula, all token vectors in memory as int8; nothing is read.

Recall is of numpy's exact top 10: elements, and pages ranked by their best element; equal scores at the end count as
found. "gold" is the share of questions with a gold page among the first 10 pages.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from evaluation import TableRow, median, percentile, print_rows, print_table, say
from indexing import Collection, SearchSettings
from indexing.embed import MiniLM, QueryVectors
from indexing.search import ALL_PAGES
from indexing.store import Snapshot
from indexing.vectors import segment_max, token_scores
from plugins.research.benches.inputs import (
    BenchQuestion,
    add_collection_options,
    home_of,
    index_for_bench,
    parser,
    pdfs,
    questions,
)

TOP = 10
DEEP = 300
"""The number of elements looked through for the first 10 pages; not timed."""
PAGES_READ = 256
"""The number of pages read from the store at a time."""
SETTINGS = SearchSettings(full_text_weight=0, document_weight=0)
"""The settings of a search whose scores are those of MaxSim alone."""
TIE = 1e-4
"""The difference in score that counts as a tie."""


@dataclass(frozen=True, slots=True)
class Everything:
    """The token vectors of a collection, all in memory.

    `vectors` (n, d) int8, page after page; `page_starts` (p,) and `element_starts` (m,) are rows of it, `owners` (m,)
    the page of each element, `rows` (m,) its LanceDB row; `names` (p,) are (document id, page from 1).
    """

    vectors: NDArray[np.int8]
    page_starts: NDArray[np.int64]
    element_starts: NDArray[np.int64]
    owners: NDArray[np.int64]
    rows: NDArray[np.int64]
    names: tuple[tuple[str, int], ...]

    def element_scores(self, query: QueryVectors) -> NDArray[np.float32]:
        """Return the score (m,) of every element by the formula of `indexing.search`."""
        best = segment_max(token_scores(query.vectors, self.vectors), self.element_starts)
        weight = SETTINGS.element_weight
        first = np.searchsorted(self.owners, np.arange(len(self.page_starts)))
        pages = segment_max(best, first) @ query.weights
        scores: NDArray[np.float32] = weight * (best @ query.weights) + (1 - weight) * pages[self.owners]
        return scores


def everything(snapshot: Snapshot) -> Everything:
    """Read a collection; pages without a searched element are left out, as they cannot be found."""
    whole = {document.id for document in snapshot.documents()}
    keys = snapshot.page_keys()
    pages = [
        (row, (doc, number))
        for row, doc, number in zip(*(keys[c].to_pylist() for c in ("_rowid", "doc_id", "number")), strict=True)
        if doc in whole
    ]
    keys = snapshot.element_keys()
    columns = (keys[c].to_pylist() for c in ("_rowid", "doc_id", "page", "ordinal"))
    element_row = {(doc, page, ordinal): row for row, doc, page, ordinal in zip(*columns, strict=True)}
    parts, names = [np.zeros((0, 0), np.int8)], list[tuple[str, int]]()
    starts, owners, rows, page_starts = list[int](), list[int](), list[int](), list[int]()
    at = 0
    for first in range(0, len(pages), PAGES_READ):
        chunk = pages[first : first + PAGES_READ]
        found = snapshot.vectors([row for row, _ in chunk])
        for (_, name), (vectors, spans) in zip(chunk, found, strict=True):
            if not len(spans):
                continue
            page_starts.append(at)
            starts += (spans[:, 1] + at).tolist()
            rows += [element_row[*name, ordinal] for ordinal in spans[:, 0].tolist()]
            owners += [len(names)] * len(spans)
            names.append(name)
            parts.append(vectors)
            at += len(vectors)
    return Everything(
        np.concatenate(parts[1:] or parts),
        np.array(page_starts, np.int64),
        np.array(starts, np.int64),
        np.array(owners, np.int64),
        np.array(rows, np.int64),
        tuple(names),
    )


def best(scores: NDArray[np.float32], count: int) -> NDArray[np.int64]:
    """Return the positions of the `count` highest scores, best first."""
    count = min(count, len(scores))
    top = np.argpartition(-scores, count - 1)[:count] if count else np.zeros(0, np.int64)
    return top[np.argsort(-scores[top], kind="stable")]


def recall(found: NDArray[np.float32], exact: NDArray[np.float32], count: int) -> float:
    """Return the share of the exact top `count` that was found, from the exact scores of both; ties are no loss."""
    target = min(count, len(exact))
    if not target:
        return 1.0
    least = float(np.sort(exact)[-target]) - TIE
    return min(int((found >= least).sum()), target) / target


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


def run_ours(setting: Setting, exact: Sequence[NDArray[np.float32]]) -> MeasuredSearch:
    """Run our search; `exact` are the scores of every element (m,) for each question."""
    measured = MeasuredSearch()
    fresh = Collection.open(setting.collection.name, setting.collection.path.parent)  # nothing kept of another run
    place = {name: at for at, name in enumerate(setting.exact.names)}
    fresh.search(setting.asked[0].text, settings=SETTINGS)
    for number, (question, scores) in enumerate(zip(setting.asked, exact, strict=True), 1):
        start = time.perf_counter()
        fresh.search(question.text, limit=TOP, settings=SETTINGS)
        measured.seconds.append(time.perf_counter() - start)
        hits = fresh.search(question.text, limit=DEEP, settings=SETTINGS).hits
        found = np.array([hit.score for hit in hits[:TOP]], np.float32)
        names = list(dict.fromkeys((hit.element.doc_id, hit.element.page) for hit in hits))[:TOP]
        if not place.keys() >= set(names):
            raise SystemExit("the collection changed while it was being measured: wait until its writer has finished")
        by_page = exact_pages(setting.exact, scores)
        measured.elements.append(recall(found, scores, TOP))
        measured.pages.append(recall(by_page[[place[name] for name in names]], by_page, TOP))
        measured.gold.append(has_gold(setting, question, names))
        say("ours", number, len(setting.asked))
    print(file=sys.stderr)
    return measured


def cells(measured: MeasuredSearch) -> tuple[str, ...]:
    """Return questions, median and 95th percentile in ms, recall of elements and pages, gold pages; in percent."""

    def percent(values: Sequence[float]) -> str:
        return f"{100 * sum(values) / len(values):.1f}" if values else "-"

    times = [1000 * s for s in measured.seconds]
    shares = (percent(measured.elements), percent(measured.pages), percent(measured.gold))
    return (str(len(times)), f"{median(times):.1f}", f"{percentile(times, 0.95):.1f}", *shares)


def show(ours: MeasuredSearch, exact: MeasuredSearch) -> None:
    """Print the table of both, then ours with its limits."""
    columns = ("questions", "median ms", "95% ms", "top-10 elements %", "top-10 pages %", "gold %")
    rows = [(name, *cells(measured)) for name, measured in (("ours, in stages", ours), ("numpy, everything", exact))]
    print_table("search", ("", *columns), rows)
    limits = [
        TableRow(what, 100 * sum(values) / len(values), "%", 100.0, 98.0, at_least=True)
        for what, values in (("top-10 elements found", ours.elements), ("top-10 pages found", ours.pages))
    ]
    print_rows("of numpy's exact top 10", limits, "numpy")


def setting_of(collection: Collection, documents: Sequence[Path], asked: argparse.Namespace) -> Setting:
    """Read the collection into memory, and the questions about its documents."""
    snapshot = collection.snapshot()
    names = {document.id: document.name for document in snapshot.documents()}
    chosen = questions(asked, {path.name for path in documents})[: asked.limit_questions]
    return Setting(collection, MiniLM(), everything(snapshot), names, chosen)


def main(argv: Sequence[str] | None = None) -> None:
    """Measure and print the tables."""
    options = parser(__doc__)
    add_collection_options(options)
    options.add_argument("--limit-questions", type=int, metavar="N", help="ask only the first N questions")
    asked = options.parse_args(argv)
    with home_of(asked) as home:
        setting = setting_of(index_for_bench(asked, home), pdfs(asked), asked)
        exact, scores = run_numpy(setting)
        ours = run_ours(setting, scores)
    n, size = len(setting.exact.names), setting.exact.vectors.nbytes >> 20
    print(
        f"{len(setting.documents)} documents, {n} pages, {len(setting.exact.rows)} elements, {size} MB of token vectors"
    )
    if n <= ALL_PAGES:
        print(f"at most {ALL_PAGES} pages: ours skips its first stage here")
    show(ours, exact)


if __name__ == "__main__":
    main()
