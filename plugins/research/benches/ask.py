"""The time that a question takes, warm and cold, beside full-text search alone.

    python -m plugins.research.benches.ask --eval DIR [--home HOME --collection NAME] [--limit-docs N]

Warm: `Pipeline.answer` on every question of the gold file, over all documents, in one process that has answered one
question before. The reference is the way without late interaction: LanceDB's full text (BM25) over the same elements,
and reading the best of them; it answers nothing. The time of checking is told as a share of the whole: for the answer
as it is made (quotes are boxed, not compared), for checking all its sentences anew with their boxes, as is done with a
model's answer, and for sentences that nothing proves, for which all evidence is gone through. Cold: the command `vouch
ask` as a new process, beside a new Python that does the same full-text search; and `vouch --help` beside an empty
Python. Without --home the documents are indexed first, into a temporary folder.
"""

from __future__ import annotations

import argparse
import math
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from evaluation import TableRow, median, percentile, print_rows, say
from indexing import Collection
from plugins.research.benches.inputs import (
    BenchQuestion,
    add_collection_options,
    home_of,
    index_for_bench,
    parser,
    pdfs,
    questions,
)
from rag import Answer, Pipeline

SHARE = 15.0
"""The most percent of an ask that checking and boxing may take."""
_COLD_BM25 = """
import sys, lancedb
from lancedb.query import MatchQuery
elements = lancedb.connect(sys.argv[1]).open_table("elements")
print(elements.search(MatchQuery(sys.argv[2], "text"), query_type="fts").limit(8).to_list())
"""


@dataclass(frozen=True, slots=True)
class Times:
    """The seconds of every question: our answer, its parts, full-text search alone; for answered ones, checking.

    `again` is checking the sentences anew, `altered` checking them after a year that nothing names was added to each.
    """

    total: list[float] = field(default_factory=list)
    retrieve: list[float] = field(default_factory=list)
    answer: list[float] = field(default_factory=list)
    check: list[float] = field(default_factory=list)
    full_text: list[float] = field(default_factory=list)
    answered: list[float] = field(default_factory=list)
    again: list[float] = field(default_factory=list)
    altered: list[float] = field(default_factory=list)

    @property
    def abstained(self) -> int:
        """The number of questions that were not answered."""
        return len(self.total) - len(self.answered)


def warm(collection: Collection, asked: Sequence[BenchQuestion]) -> Times:
    """Answer every question once, after one that is not counted."""
    pipeline = Pipeline(collection)
    snapshot = collection.snapshot()
    limit = pipeline.settings.top_k
    times = Times()
    pipeline.warm()
    for number, question in enumerate([asked[0], *asked]):
        start = time.perf_counter()
        answer = pipeline.answer(question.text)
        middle = time.perf_counter()
        snapshot.elements([row for row, _ in snapshot.full_text(question.text, limit)])
        end = time.perf_counter()
        if number == 0:
            continue
        say("questions", number, len(asked))
        times.total.append(middle - start)
        times.retrieve.append(answer.timings["retrieve"])
        times.answer.append(answer.timings.get("answer", 0.0))
        times.check.append(answer.timings.get("check", 0.0))
        times.full_text.append(end - middle)
        if answer.sentences:
            times.answered.append(middle - start)
            times.again.append(seconds_of_checking(pipeline, answer))
            times.altered.append(seconds_of_checking(pipeline, with_unfounded_years(answer)))
    print(file=sys.stderr)
    return times


def seconds_of_checking(pipeline: Pipeline, answer: Answer) -> float:
    """Return how long it takes to check an answer's sentences and to box their proofs."""
    start = time.perf_counter()
    pipeline.recheck(answer)
    return time.perf_counter() - start


def with_unfounded_years(answer: Answer) -> Answer:
    """Return the answer with a year in every sentence that no document names."""
    sentences = tuple(replace(s, text=f"In 3019, {s.text}") for s in answer.sentences)
    return replace(answer, sentences=sentences)


def share(part: Sequence[float], whole: Sequence[float]) -> float:
    """Return the percent of the time that a part takes, over all questions; 0 when there are none."""
    return 100 * math.fsum(part) / (math.fsum(whole) + math.fsum(part)) if part else 0.0


def seconds_of(command: Sequence[str], times: int, home: Path) -> list[float]:
    """Run a command several times as a new process; SystemExit when it fails."""
    found = []
    for _ in range(times):
        start = time.perf_counter()
        run = subprocess.run(  # noqa: S603  our own command
            command, env={**os.environ, "VOUCH_HOME": str(home)}, capture_output=True, text=True, check=False
        )
        found.append(time.perf_counter() - start)
        if run.returncode:
            raise SystemExit(f"{' '.join(command)} failed with {run.returncode}:\n{run.stderr[-2000:]}")
    return found


def vouch() -> list[str]:
    """Return the installed command of this environment; the module where it is not installed."""
    script = Path(sys.executable).with_name("vouch")
    return [str(script)] if script.exists() else [sys.executable, "-m", "ui.cli"]


def cold_rows(collection: Collection, home: Path, question: str, repeats: tuple[int, int]) -> list[TableRow]:
    """Return the rows of new processes: `vouch ask`, then `vouch --help`."""
    asks, helps = repeats
    python = sys.executable
    say("cold starts", 0, 4)
    ask = seconds_of([*vouch(), "ask", question, "--collection", collection.name], asks, home)
    say("cold starts", 1, 4)
    bm25 = seconds_of([python, "-c", _COLD_BM25, str(collection.snapshot().path), question], asks, home)
    say("cold starts", 2, 4)
    shown = seconds_of([*vouch(), "--help"], helps, home)
    say("cold starts", 3, 4)
    empty = seconds_of([python, "-c", "pass"], helps, home)
    print(file=sys.stderr)
    return [
        TableRow(
            "vouch ask, cold", median(ask), "s", median(bm25), 4.0, note=f"median of {asks}; reference: cold full text"
        ),
        TableRow(
            "vouch --help", median(shown), "s", median(empty), 0.3, note=f"median of {helps}; reference: python -c pass"
        ),
    ]


def warm_rows(times: Times) -> list[TableRow]:
    """Return the rows of one warm process, in milliseconds."""

    def at(values: Sequence[float], share: float) -> float:
        return 1000 * percentile(values, share)

    full_text = times.full_text
    return [
        TableRow("answer, median", at(times.total, 0.5), "ms", at(full_text, 0.5), 250),
        TableRow("answer, 95th percentile", at(times.total, 0.95), "ms", at(full_text, 0.95), 500),
        TableRow("of it retrieve, median", at(times.retrieve, 0.5), "ms"),
        TableRow("of it retrieve, 95th percentile", at(times.retrieve, 0.95), "ms"),
        TableRow("of it answer, median", at(times.answer, 0.5), "ms"),
        TableRow("of it answer, 95th percentile", at(times.answer, 0.95), "ms"),
        TableRow("share of boxing the quotes", 100 * math.fsum(times.check) / math.fsum(times.total), "%", limit=SHARE),
        TableRow("share of checking all sentences", share(times.again, times.answered), "%", limit=SHARE),
        TableRow(
            "the same, every sentence made false", share(times.altered, times.answered), "%", note="all evidence read"
        ),
    ]


def main(argv: Sequence[str] | None = None) -> None:
    """Measure and print the table."""
    options = parser(__doc__)
    add_collection_options(options)
    options.add_argument(
        "--asks", type=int, default=5, help="the number of cold runs of vouch ask (default: %(default)s)"
    )
    options.add_argument(
        "--helps", type=int, default=7, help="the number of runs of vouch --help (default: %(default)s)"
    )
    options.add_argument("--limit-questions", type=int, metavar="N", help="ask only the first N questions")
    asked: argparse.Namespace = options.parse_args(argv)
    with home_of(asked) as home:
        collection = index_for_bench(asked, home)
        names = {path.name for path in pdfs(asked)}
        chosen = questions(asked, names)[: asked.limit_questions]
        times = warm(collection, chosen)
        rows = warm_rows(times) + cold_rows(collection, home, chosen[0].text, (asked.asks, asked.helps))
        stats = collection.stats()
    title = f"{len(chosen)} questions over {stats['pages']} pages of {stats['documents']} documents"
    print_rows(f"{title}; {times.abstained} not answered", rows, "full text alone")


if __name__ == "__main__":
    main()
