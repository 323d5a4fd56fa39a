"""Questions about tables, answered in code: how many are right, how many of those that are answered, by data set.

    python -m evaluation.benches.tables --questions ../shared/train/qa.jsonl.gz

A third of the tables is held out by the name of its group, so that nothing was fitted on it; `--side developing` takes
the others. Each question is put to its own table. An answer is right if it has the members of the gold answer
(`evaluation.metrics.denotation`) and names the cells that it used. No model is called.
"""

from __future__ import annotations

import argparse
import random
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from evaluation.metrics import denotes
from evaluation.progress import say
from evaluation.table_questions import TableQuestion, read
from evaluation.tables import median, percentile, print_table
from rag.calculation import LEAST, Calculation, calculate

MUST = 0.35
SEED = 14
LEVELS = (0.0, 0.3, 0.5, 0.6, 0.7, LEAST, 0.8, 0.9)


@dataclass(frozen=True, slots=True)
class TableOutcome:
    """A question with the best calculation, however improbable, and the milliseconds that it took."""

    question: TableQuestion
    made: Calculation | None
    milliseconds: float

    @property
    def right(self) -> bool:
        """True if the answer is right and its cells are named."""
        return self.made is not None and bool(self.made.cells) and denotes(self.made.answer, self.question.answers)

    @property
    def given(self) -> bool:
        """True if the answer is probable enough to be given."""
        return self.made is not None and self.made.probability >= LEAST


def outcomes(questions: Sequence[TableQuestion]) -> list[TableOutcome]:
    """Put each question to its table."""
    found = []
    for n, question in enumerate(questions):
        started = time.perf_counter()
        made = calculate(question.text, question.table, least=0.0)
        found.append(TableOutcome(question, made, 1000 * (time.perf_counter() - started)))
        if n % 50 == 0:
            say("asking", n, len(questions))
    return found


def share(found: Sequence[bool]) -> str:
    """Return a share in percent; a dash of nothing."""
    return f"{100 * sum(found) / len(found):.1f}%" if found else "-"


def report(found: Sequence[TableOutcome]) -> None:
    """Print the shares by data set and by operation, what thresholds do, and the time."""
    by_source, by_operation = defaultdict(list), defaultdict(list)
    for one in found:
        by_source[one.question.source].append(one)
        by_operation[one.made.operation if one.made else "none"].append(one)
    columns = ("", "questions", "right", f"given at {LEAST}", "right of the given")

    def row(name: str, own: Sequence[TableOutcome]) -> tuple[str, ...]:
        given = [o.right for o in own if o.given]
        return name, str(len(own)), share([o.right for o in own]), share([o.given for o in own]), share(given)

    print()
    print_table("By data set", columns, [*(row(k, v) for k, v in sorted(by_source.items())), row("all", found)])
    ordered = sorted(by_operation.items(), key=lambda pair: -len(pair[1]))
    print_table("By operation chosen", columns, [row(name, own) for name, own in ordered if len(own) >= 10])
    calculated = [o for o in found if o.made is not None and o.made.calculated]
    for name, own in (("all", found), ("calculated, not read off", calculated)):
        rows = []
        for least in LEVELS:
            kept = [o.right for o in own if o.made is not None and o.made.probability >= least]
            rows.append((f"{least:.2f}", f"{100 * len(kept) / max(1, len(own)):.1f}%", share(kept)))
        print_table(f"By least probability, {name}", ("at least", "given", "right of these"), rows)
    times = [o.milliseconds for o in found]
    print(f"ms a question: median {median(times):.1f}, 95th percentile {percentile(times, 0.95):.1f}")
    print(f"right answer with its cells: {share([o.right for o in found])} (must {MUST:.0%})")


def main() -> None:
    """Read the questions, answer them and print the report."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--questions", type=Path, required=True, help="qa.jsonl.gz")
    options.add_argument(
        "--side", choices=("held-out", "developing"), default="held-out", help="(default: %(default)s)"
    )
    options.add_argument("--limit", type=int, help="only this many questions, drawn at random")
    options.add_argument("--failures", type=int, default=0, metavar="N", help="also list this many wrong answers")
    asked = options.parse_args()
    questions = [q for q in read(asked.questions) if q.held_out == (asked.side == "held-out")]
    random.Random(SEED).shuffle(questions)  # noqa: S311  a sample, no secret
    found = outcomes(questions[: asked.limit])
    report(found)
    for one in [o for o in found if not o.right][: asked.failures]:
        said = (one.made.answer, one.made.operation, round(one.made.probability, 2)) if one.made else None
        print(f"{one.question.source}: {one.question.text!r} gold {one.question.answers}, said {said}")
