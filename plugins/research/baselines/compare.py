"""Three baselines that a user could take instead, and Vouch beside them, on the same questions and documents.

    python -m plugins.research.baselines --eval DIR [--collection NAME [--home HOME]] [--limit-docs N]

BM25: words of whole pages. MiniLM: one vector for every 500 characters, the best chunk stands for its page.
LlamaIndex: the recipe of its documentation, with the same MiniLM. Vouch: the collection that --collection names (what
python -m evaluation.run indexed, say), in every mode it can serve.

A page's text is its text layer. For pages without one the baselines get, free of charge, the text that Vouch's OCR
read when the collection was indexed, so that retrieval alone is compared; without a collection such pages stay empty.
Indexing time is that of reading the text layers and building the index; for Vouch it is not measured here (see
bench-indexing, and it reads pixels). Query times and bytes are of the whole collection, warm; Vouch's bytes are its
database, which also holds the boxes of elements, words and cells, and its query time is retrieval without answering.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from evaluation import GoldUnreadable, metrics, positive, say
from evaluation.harness import Figure, print_grid
from evaluation.tasks import KS, Gold, GoldQuestion, mmdocir
from indexing import Collection, DocumentMissing, IndexingError
from plugins.research.baselines import llamaindex_recipe
from plugins.research.baselines.bm25 import Bm25
from plugins.research.baselines.page_text import PageText, text_layers, with_recognised
from plugins.research.baselines.sentence_vectors import SentenceEncoder, chunks
from rag import Mode, Pipeline, Profile, RagError, load_profile

LIMIT = 50
"""The most pages, or chunks that stand for pages, that a search returns."""
SCOPES = ("document", "collection")

Pages = list[tuple[str, int]]
Search = Callable[[str, str | None], Pages]
"""A function of a question and the id of the document to search in (None: all) -> pages, best first."""


@dataclass(frozen=True, slots=True)
class MeasuredSystem:
    """A system: seconds of indexing and bytes (None: not measured), seconds of every query, recalls by scope and k."""

    name: str
    indexing: float | None
    size: int | None
    queries: tuple[float, ...]
    recalls: dict[tuple[str, int], list[float]]


def bm25(pages: Sequence[PageText], folder: Path) -> Search:
    """Build BM25 over pages."""
    index = Bm25([page.text for page in pages])
    index.save(folder)
    owners = [(page.doc_id, page.number) for page in pages]
    return lambda question, document: ranked(index.scores(question), owners, document)


def sentence_vectors(pages: Sequence[PageText], folder: Path, encoder: SentenceEncoder) -> Search:
    """Build MiniLM vectors of 500 characters each, all compared with the question's."""
    pieces = [(piece, (page.doc_id, page.number)) for page in pages for piece in chunks(page.text)]
    vectors = encoder.encode([piece for piece, _ in pieces])
    np.save(folder / "vectors.npy", vectors)
    (folder / "chunks.txt").write_text("\n".join(piece for piece, _ in pieces), encoding="utf-8")
    owners = [owner for _, owner in pieces]
    return lambda question, document: ranked(vectors @ encoder.encode([question])[0], owners, document)


def ranked(scores: NDArray[np.float32], owners: Sequence[tuple[str, int]], document: str | None) -> Pages:
    """Return the pages of the best rows that score above 0, in one document or all, each page once."""
    found: dict[tuple[str, int], None] = {}
    for row in np.argsort(-scores, kind="stable"):
        if scores[row] <= 0 or len(found) == LIMIT:
            break
        if document in (None, owners[row][0]):
            found[owners[row]] = None
    return list(found)


def built(
    name: str, build: Callable[[Path], Search], reading: float, questions: Sequence[GoldQuestion], folder: Path
) -> MeasuredSystem:
    """Build an index in a folder of its own, then ask it everything."""
    folder.mkdir(parents=True)
    started = time.perf_counter()
    search = build(folder)
    seconds = reading + time.perf_counter() - started

    def timed(question: GoldQuestion, document: str | None) -> tuple[Pages, float]:
        begun = time.perf_counter()
        return search(question.text, document), time.perf_counter() - begun

    size = sum(f.stat().st_size for f in folder.rglob("*") if f.is_file())
    return asked_all(name, timed, questions, seconds, size)


def ours(
    collection: Collection, profile: Profile, gold: Gold, questions: Sequence[GoldQuestion]
) -> list[MeasuredSystem]:
    """Measure Vouch in every mode that the collection can serve, searching the documents of the gold file."""
    pipeline = Pipeline(collection, profile.rag)
    pipeline.warm()
    everything = {document.id for document in collection.documents()}
    whole = () if everything == set(gold.files) else tuple(sorted(gold.files))
    size = int(collection.stats()["database_bytes"])
    found = []
    for mode in get_args(Mode):

        def timed(question: GoldQuestion, document: str | None, mode: Mode = mode) -> tuple[Pages, float]:
            answer = pipeline.answer(question.text, documents=(document,) if document else whole, mode=mode)
            return [(page.doc_id, page.number) for page in answer.pages], answer.timings["retrieve"]

        try:
            found.append(asked_all(f"Vouch {mode}", timed, questions, None, size))
        except IndexingError as error:
            print(f"Vouch {mode}: not measured: {error}", file=sys.stderr)
    return found


def complete(collection: Collection, gold: Gold) -> None:
    """Raise DocumentMissing unless the collection holds every document: one on fewer would be no comparison."""
    held = {document.id for document in collection.documents()}
    absent = [path.name for doc_id, path in gold.files.items() if doc_id not in held]
    if absent:
        raise DocumentMissing(
            f"{len(absent)} documents of the gold file are not in collection {collection.name!r} "
            f"({absent[0]}, ...): index them with vouch index or python -m evaluation.run, or use fewer with "
            "--limit-docs"
        )


def asked_all(
    name: str,
    timed: Callable[[GoldQuestion, str | None], tuple[Pages, float]],
    questions: Sequence[GoldQuestion],
    indexing: float | None,
    size: int | None,
) -> MeasuredSystem:
    """Ask every question in both scopes, after one that is not counted. Times are of the scope collection."""
    queries: list[float] = []
    recalls: dict[tuple[str, int], list[float]] = {(scope, k): [] for scope in SCOPES for k in KS}
    timed(questions[0], None)
    for number, question in enumerate(questions, 1):
        for scope in SCOPES:
            pages, seconds = timed(question, question.documents[0] if scope == "document" else None)
            if scope == "collection":
                queries.append(seconds)
            own = [page if doc_id == question.documents[0] else 0 for doc_id, page in pages]
            for k in KS:
                recall = metrics.page_recall(question.pages, own, k)
                if recall is not None:
                    recalls[scope, k].append(100 * recall)
        say(f"{name}: questions", number, len(questions))
    print(file=sys.stderr)
    return MeasuredSystem(name, indexing, size, tuple(queries), recalls)


def rows(systems: Sequence[MeasuredSystem]) -> list[list[str]]:
    """Return the table, a row a figure and a column a system."""

    def line(name: str, text: Callable[[MeasuredSystem], str]) -> list[str]:
        return [name, *(text(system) for system in systems)]

    def latency(share: float) -> Callable[[MeasuredSystem], str]:
        return lambda s: f"{1000 * metrics.quantile(s.queries, share):.1f}"

    def recall(scope: str, k: int) -> Callable[[MeasuredSystem], str]:
        def text(system: MeasuredSystem) -> str:
            values = system.recalls[scope, k]
            return str(Figure(metrics.mean(values), metrics.standard_error(values), len(values))) if values else "-"

        return text

    return [
        line("indexing, s", lambda s: "-" if s.indexing is None else f"{s.indexing:.1f}"),
        line("on disk, MB", lambda s: "-" if s.size is None else f"{s.size / 1e6:.1f}"),
        line("query, ms median", latency(0.5)),
        line("query, ms p95", latency(0.95)),
        *(line(f"{scope} R@{k}", recall(scope, k)) for scope in SCOPES for k in KS),
    ]


def options() -> argparse.ArgumentParser:
    """Return the command line's parser."""
    parser = argparse.ArgumentParser(
        prog="python -m plugins.research.baselines",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--eval", type=Path, default=Path("../shared/eval/mmdocir"), help="the folder with pdfs/ and dev.jsonl")
    add("--pdfs", type=Path, metavar="DIR", help="the folder of the documents (default: pdfs in --eval)")
    add("--gold", type=Path, metavar="FILE.jsonl", help="the questions (default: dev.jsonl in --eval)")
    add("--home", type=Path, metavar="DIR", help="the folder of the collection (default: the one that vouch uses)")
    add("--collection", metavar="NAME", help="an indexed collection for measuring Vouch (with --home: eval)")
    add("--profile", default="default", help="its settings (default: %(default)s)")
    add(
        "--limit-docs",
        type=positive,
        metavar="N",
        help="use only the N smallest documents, and the questions about them",
    )
    add("--limit-questions", type=positive, metavar="N", help="ask only the first N questions")
    add("--markdown", action="store_true", help="print the table as Markdown")
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, print the table; 2 when nothing could be measured."""
    asked = options().parse_args(argv)
    try:
        compare(asked)
    except (GoldUnreadable, IndexingError, RagError) as error:
        print(error, file=sys.stderr)
        return 2
    return 0


def compare(asked: argparse.Namespace) -> None:
    """Read the pages once, then measure one system after the other."""
    gold = mmdocir.read(asked.gold or asked.eval / "dev.jsonl", asked.pdfs or asked.eval / "pdfs", asked.limit_docs)
    for problem in gold.problems:
        print(f"left out: {problem}", file=sys.stderr)
    questions = gold.questions[: asked.limit_questions]
    profile = load_profile(asked.profile)
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="vouch-baselines-")))
        collection = None
        if asked.home or asked.collection:
            collection = stack.enter_context(Collection.open(asked.collection or "eval", asked.home, profile.indexing))
            complete(collection, gold)
        started = time.perf_counter()
        pages = text_layers(gold.files)
        reading = time.perf_counter() - started
        pages = with_recognised(pages, collection) if collection else pages
        encoder = SentenceEncoder()
        builds: dict[str, Callable[[Path], Search]] = {
            "BM25": lambda into: bm25(pages, into),
            "MiniLM": lambda into: sentence_vectors(pages, into, encoder),
        }
        if store := llamaindex_recipe.store_name():
            builds[f"LlamaIndex, {store}"] = lambda into: llamaindex_recipe.recipe(pages, into, encoder, LIMIT)
        else:
            print(f"LlamaIndex is not installed: {llamaindex_recipe.INSTALL}", file=sys.stderr)
        systems = [built(n, b, reading, questions, folder / str(i)) for i, (n, b) in enumerate(builds.items())]
        systems += ours(collection, profile, gold, questions) if collection else []
    read = {source: sum(page.source == source for page in pages) for source in ("layer", "ocr", "none")}
    title = f"{len(questions)} questions, {len(gold.files)} documents, {len(pages)} pages: {read['layer']} with a text "
    title += f"layer, {read['ocr']} with the text of Vouch's OCR, {read['none']} without text"
    print_grid(title, ["", *(s.name for s in systems)], rows(systems), markdown=asked.markdown)
