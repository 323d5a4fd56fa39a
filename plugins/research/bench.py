"""The time and memory of indexing, the time of searching and asking, and what the stages of search lose.

    python -m plugins.research.bench --eval DIR [--home HOME --collection NAME] [--limit-docs N] [--limit-questions N]

DIR has the documents in pdfs/ and their questions in dev.jsonl, an object a line: `{"doc", "questions": [{"question",
"pages"}]}`. Documents that the collection lacks are indexed first; memory is that of all processes together, PSS where
the system tells it, else RSS. Then each question is searched for and answered in this process, and one is asked by new
ones. "Found" is the share of the ten best elements of a search that scores every page exactly, ties are no loss.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import psutil

from evaluation import print_indexing, print_progress, print_table
from indexing import Collection, SearchSettings, build_index
from rag import Pipeline

TOP = 10
EVERY_PAGE = 10**9
STAGES = SearchSettings(full_text_weight=0, document_weight=0)
"""The settings of a search whose scores are those of MaxSim alone."""
EXACT = STAGES.model_copy(
    update=dict.fromkeys(("code_candidates", "exact_candidates", "sketch_candidates"), EVERY_PAGE)
)
TIE = 1e-4
"""The difference in score that counts as a tie."""
SAMPLE_SECONDS = 0.25
Row = tuple[str, str]


def memory_of_all() -> int:
    """Return the bytes of memory of this process and all its descendants."""
    processes, total = psutil.Process(), 0
    for process in (processes, *processes.children(recursive=True)):
        with contextlib.suppress(psutil.Error, OSError):  # it has ended meanwhile
            info = process.memory_full_info()
            total += getattr(info, "pss", 0) or info.rss
    return total


def peak_during(work: Callable[[], None]) -> tuple[float, int]:
    """Call `work`; return the seconds it takes, and the most bytes of all processes meanwhile."""
    stop, samples = threading.Event(), [memory_of_all()]

    def sample() -> None:
        while not stop.wait(SAMPLE_SECONDS):
            samples.append(memory_of_all())

    thread = threading.Thread(target=sample, daemon=True)
    thread.start()
    start = time.perf_counter()
    try:
        work()
    finally:
        seconds = time.perf_counter() - start
        stop.set()
        thread.join()
    return seconds, max(samples)


def index(collection: Collection, paths: Sequence[Path], workers: int) -> list[Row]:
    """Index the documents that a collection lacks; return the rows of the table. Raises SystemExit if a page fails."""
    present = {document.name for document in collection.documents()}
    missing = [path for path in paths if path.name not in present]
    if not missing:
        return []

    def build() -> None:
        report = build_index(collection, missing, workers=workers, on_progress=print_indexing)
        if failures := [failure.message for file in report.files for failure in file.failures]:
            raise SystemExit("\n".join(["", "not indexed, so there is nothing to measure:", *failures]))

    seconds, peak = peak_during(build)
    pages = sum(document.n_pages for document in collection.documents() if document.name not in present)
    return [("pages indexed a second", f"{pages / seconds:.2f}"), ("peak memory of indexing", f"{peak >> 20} MB")]


def share_found(scores: Sequence[float], exact: Sequence[float]) -> float:
    """Return the share of the exact best scores that a search has found; 1 if there are none."""
    if not exact:
        return 1.0
    return min(sum(score >= min(exact) - TIE for score in scores), len(exact)) / len(exact)


def search(collection: Collection, questions: Sequence[str]) -> list[Row]:
    """Search for each question in stages, and once exactly; return the rows of times and of the share found."""
    seconds, shares = [], []
    collection.search(questions[0], settings=STAGES)
    for number, question in enumerate(questions, 1):
        start = time.perf_counter()
        hits = collection.search(question, limit=TOP, settings=STAGES).hits
        seconds.append(time.perf_counter() - start)
        exact = collection.search(question, limit=TOP, settings=EXACT).hits
        shares.append(share_found([hit.score for hit in hits], [hit.score for hit in exact]))
        print_progress("searches", number, len(questions))
    return [*times("search", seconds), (f"found of the exact top {TOP}", f"{100 * np.mean(shares):.1f}%")]


def ask(collection: Collection, questions: Sequence[str]) -> list[Row]:
    """Answer each question, and recheck each answer like one that a model wrote; return the rows of times."""
    pipeline, seconds, checks = Pipeline(collection), list[float](), list[float]()
    pipeline.answer(questions[0])
    for number, question in enumerate(questions, 1):
        start = time.perf_counter()
        answer = pipeline.answer(question)
        seconds.append(time.perf_counter() - start)
        start = time.perf_counter()
        pipeline.recheck(answer)
        checks.append(time.perf_counter() - start)
        print_progress("answers", number, len(questions))
    return [*times("answer", seconds), *times("check of an answer", checks)]


def times(what: str, seconds: Sequence[float]) -> list[Row]:
    """Return the rows of the median and the 95th percentile, in milliseconds."""
    middle, most = np.percentile(seconds, (50, 95))
    return [(f"{what}, median", f"{1000 * middle:.1f} ms"), (f"{what}, 95th percentile", f"{1000 * most:.1f} ms")]


def command(words: Sequence[str], home: Path, runs: int) -> Row:
    """Run a command of Vouch `runs` times as a new process; return the row of the median. Raises SystemExit."""
    seconds = []
    for _ in range(runs):
        start = time.perf_counter()
        process = subprocess.run(  # noqa: S603  our own command
            [sys.executable, "-m", "ui.cli", *words],
            env={**os.environ, "VOUCH_HOME": str(home)}, capture_output=True, text=True, check=False,
        )  # fmt: skip
        seconds.append(time.perf_counter() - start)
        if process.returncode:
            raise SystemExit(f"vouch {' '.join(words)} failed with {process.returncode}:\n{process.stderr[-2000:]}")
    return f"vouch {words[0]}, cold, median of {runs}", f"{np.median(seconds):.2f} s"


def main(argv: Sequence[str] | None = None) -> None:
    """Measure and print the table."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--eval", type=Path, required=True, help="the folder with pdfs/ and dev.jsonl")
    options.add_argument("--home", type=Path, help="the folder of the collection (default: a temporary one)")
    options.add_argument("--collection", default="bench", help="its name (default: %(default)s)")
    options.add_argument("--limit-docs", type=int, help="use only the N smallest documents")
    options.add_argument("--limit-questions", type=int, help="ask only the first N questions")
    options.add_argument("--workers", type=int, default=2, help="the processes that parse (default: %(default)s)")
    options.add_argument("--runs", type=int, default=5, help="the cold runs of a command (default: %(default)s)")
    args = options.parse_args(argv)
    paths = sorted((args.eval / "pdfs").glob("*.pdf"), key=lambda path: (path.stat().st_size, path.name))
    names = {path.name for path in paths[: args.limit_docs]}
    documents = map(json.loads, (args.eval / "dev.jsonl").read_text(encoding="utf-8").splitlines())
    questions = [each["question"] for row in documents if row["doc"] in names for each in row["questions"]]
    questions = questions[: args.limit_questions]
    if not questions:
        raise SystemExit(f"{args.eval}: no question of dev.jsonl is about a document of pdfs/")
    with tempfile.TemporaryDirectory(prefix="vouch-bench-") as temporary:
        home = args.home.absolute() if args.home else Path(temporary)
        collection = Collection.create(args.collection, home)
        rows = index(collection, paths[: args.limit_docs], args.workers)
        rows += search(collection, questions) + ask(collection, questions)
        rows += [command(["ask", questions[0], "--collection", args.collection], home, args.runs)]
        rows += [command(["--help"], home, args.runs)]
    print(file=sys.stderr)
    print_table(f"{len(questions)} questions about {len(names)} documents", ("", "here"), rows)


if __name__ == "__main__":
    main()
