"""Fit the choice among calculations on tables (`rag/calculation/weights.json`), on open questions about tables.

    python -m evaluation.fit calculation --questions ../shared/train/qa.jsonl.gz --write rag/calculation/weights.json

A third of the tables is held out and never read here (`evaluation.table_questions`). Of the others four fifths fit the
weights: the log-likelihood of the programs whose answer is right, by AdaGrad. A fifth fits the probability that the
chosen answer is right (a logistic regression), where each question is also put to a table that is not its own.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from evaluation.fit.logistic import fit as fit_logistic
from evaluation.fit.logistic import probability
from evaluation.metrics import denotes
from evaluation.progress import say
from evaluation.table_questions import TableQuestion, read
from rag.calculation import ACCEPTANCE_FEATURES, acceptance_values, candidates, choose, features_of

SEED = 14
WRONG = 60
"""The most wrong programs of a question that are fitted with, drawn at random."""
SEEN = 6
"""The least questions in which a feature must occur to get a weight."""
STEP, DECAY, SMALL = 0.15, 2e-6, 0.03
FIFTH = 5


@dataclass(frozen=True, slots=True)
class Weighed:
    """The programs of a question: numbers of their features one after the other, where each begins, which are right."""

    features: NDArray[np.int32]
    begins: NDArray[np.int64]
    right: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Gathered:
    """Questions with a right program among theirs, and the number of every feature."""

    questions: list[Weighed] = field(default_factory=list)
    numbers: dict[str, int] = field(default_factory=dict)

    def add(self, asked: TableQuestion, draw: random.Random) -> None:
        """Add a question, unless none of its programs gives the right answer."""
        found = candidates(asked.text, asked.table)
        right = [denotes(program.answer, asked.answers) for _, program in found]
        if not any(right):
            return
        wrong = [n for n, good in enumerate(right) if not good]
        kept = set(draw.sample(wrong, min(WRONG, len(wrong)))) | {n for n, good in enumerate(right) if good}
        names = features_of(found)
        features: list[int] = []
        begins, good = [], []
        for n in sorted(kept):
            begins.append(len(features))
            good.append(right[n])
            features += [self.numbers.setdefault(name, len(self.numbers)) for name in names[n]]
        self.questions.append(Weighed(np.array(features, np.int32), np.array(begins, np.int64), np.array(good, bool)))

    def pruned(self) -> NDArray[np.bool_]:
        """Return a mask of the features that occur in enough questions."""
        seen: Counter[int] = Counter()
        for one in self.questions:
            seen.update(np.unique(one.features).tolist())
        return np.array([seen[n] >= SEEN for n in range(len(self.numbers))], bool)


def fit(gathered: Gathered, epochs: int) -> dict[str, float]:
    """Return the weights, by name, that make right programs probable; AdaGrad, one question a step."""
    kept = gathered.pruned()
    values = np.zeros(len(kept))
    squares = np.full(len(kept), 1e-2)
    order = list(gathered.questions)
    draw = random.Random(SEED)  # noqa: S311  an order, no secret
    for epoch in range(epochs):
        draw.shuffle(order)
        likelihood = 0.0
        for one in order:
            scores = np.add.reduceat(values[one.features], one.begins)
            odds = np.exp(scores - scores.max())
            share = odds / odds.sum()
            good = float((share * one.right).sum())
            likelihood += float(np.log(max(good, 1e-12)))
            wanted = share * one.right / good if good > 1e-12 else one.right / one.right.sum()
            lengths = np.diff(np.append(one.begins, len(one.features)))
            slope = np.bincount(one.features, np.repeat(wanted - share, lengths), len(values))
            at = np.nonzero((slope != 0) & kept)[0]
            step = slope[at] - DECAY * values[at]
            squares[at] += step * step
            values[at] += STEP * step / np.sqrt(squares[at])
        print(f"epoch {epoch + 1}: log-likelihood a question {likelihood / len(order):.3f}")
    return {
        name: round(float(values[n]), 2)
        for name, n in sorted(gathered.numbers.items())
        if kept[n] and abs(values[n]) >= SMALL
    }


def acceptance(asked: Sequence[TableQuestion], weights: dict[str, float]) -> tuple[float, ...]:
    """Return the coefficients of the probability that the chosen answer is right, and print what thresholds do."""
    values, right, own = [], [], []
    for n, question in enumerate(asked):
        other = asked[(n + len(asked) // 2) % len(asked)]
        for table, is_own in ((question.table, True), (other.table, other.group == question.group)):
            chosen = choose(candidates(question.text, table), weights)
            if chosen is not None:
                values.append(acceptance_values(chosen, table))
                right.append(is_own and denotes(chosen.program.answer, question.answers))
                own.append(is_own)
        if n % 50 == 0:
            say("judging", n, len(asked))
    x, y, mine = np.array(values), np.array(right, float), np.array(own, bool)
    beta = fit_logistic(x, y)
    p = probability(x, beta)
    print(f"\n{int(mine.sum())} own tables, {y[mine].mean():.3f} right; the same questions put to other tables")
    print("at least   answered   right of these   other tables answered")
    for least in (0.3, 0.4, 0.5, 0.6, 0.7, 0.8):
        said = p >= least
        good = y[said & mine].mean() if (said & mine).any() else float("nan")
        print(f"{least:8.1f}   {said[mine].mean():8.3f}   {good:14.3f}   {said[~mine].mean():21.3f}")
    return tuple(round(float(b), 3) for b in beta)


def main(argv: Sequence[str] | None = None) -> None:
    """Read the questions, fit both, print what they do, and write them where that is asked for."""
    parser = argparse.ArgumentParser(
        prog="python -m evaluation.fit calculation",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--questions", type=Path, required=True, help="qa.jsonl.gz")
    parser.add_argument(
        "--limit", type=int, help="only so many questions for the weights, and a third as many for the probability"
    )
    parser.add_argument("--epochs", type=int, default=6, help="passes over the questions (default: %(default)s)")
    parser.add_argument("--write", type=Path, metavar="FILE", help="write the fitted numbers into this file")
    args = parser.parse_args(argv)
    developing = [q for q in read(args.questions) if not q.held_out]
    draw = random.Random(SEED)  # noqa: S311  a sample, no secret
    draw.shuffle(developing)
    fifth = [q for q in developing if crc32(q.group[::-1].encode()) % FIFTH == 0][: args.limit and args.limit // 3]
    fitted = [q for q in developing if crc32(q.group[::-1].encode()) % FIFTH][: args.limit]
    fitted.sort(key=lambda q: q.group)
    gathered = Gathered()
    for n, question in enumerate(fitted):
        gathered.add(question, draw)
        if n % 50 == 0:
            say("gathering", n, len(fitted), f"{len(gathered.questions)} with a right program")
    print(
        f"\n{len(fitted)} questions, {len(gathered.questions)} with a right program, {len(gathered.numbers)} features"
    )
    weights = fit(gathered, args.epochs)
    coefficients = acceptance(fifth, weights)
    print(f"{len(weights)} weights; acceptance {dict(zip(ACCEPTANCE_FEATURES, coefficients, strict=True))}")
    if args.write is not None:
        text = json.dumps({"acceptance": coefficients, "features": weights}, ensure_ascii=False, indent=0)
        args.write.write_text(text + "\n", encoding="utf-8")
