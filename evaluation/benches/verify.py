"""The precision and recall of checking by words on pairs made to mislead it, by kind of change.

    python -m evaluation.benches.verify [--eval DIR] [--home HOME --collection NAME] [--half fit]

The pairs (`pairs.py`) are made from the elements of an index: the benchmark's documents, or any other with --pdfs.
The constants of `rag/attribution/rules` were set on half of the documents, chosen by the hash of their names
(--half fit); the numbers printed otherwise are of the other half. Nothing of the documents is kept.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.benches.inputs import add_collection_options, home_of, indexed, parser
from evaluation.benches.pairs import FALSE_KINDS, TRUE_KINDS, Pair, half, pairs
from evaluation.console import percentile
from indexing import Collection, Element
from rag.attribution.rules import SUPPORTED, Compared, compare

HALVES = {"fit": 0, "report": 1}


@dataclass(frozen=True, slots=True)
class Outcome:
    """A pair, what comparing its words gave, and how long it took in milliseconds."""

    pair: Pair
    check: Compared
    milliseconds: float


def elements_of(collection: Collection, wanted: int) -> dict[str, list[Element]]:
    """Return the elements, without groups, of the documents in one half."""
    found: dict[str, list[Element]] = {}
    for document in collection.documents():
        if half(document.name) == wanted:
            pages = range(1, document.n_pages + 1)
            every = (e for page in pages for e in collection.page_elements(document.id, page))
            found[document.name] = [e for e in every if e.kind != "group"]
    return found


def judged(made: Sequence[Pair]) -> list[Outcome]:
    """Compare every pair."""
    outcomes = []
    for pair in made:
        started = time.perf_counter()
        check = compare(pair.sentence, [pair.element])
        outcomes.append(Outcome(pair, check, 1000 * (time.perf_counter() - started)))
    return outcomes


def precision(outcomes: Sequence[Outcome]) -> float:
    """Return the share of the true among those called confirmed; nan when none is."""
    called = [o.pair.label for o in outcomes if o.check.outcome == "confirmed"]
    return sum(called) / len(called) if called else float("nan")


def recall(outcomes: Sequence[Outcome]) -> float:
    """Return the share of the true that is called confirmed; nan when nothing is true."""
    true = [o.check.outcome == "confirmed" for o in outcomes if o.pair.label]
    return sum(true) / len(true) if true else float("nan")


def brier(outcomes: Sequence[Outcome]) -> float:
    """Return the mean squared distance of score and truth (Brier 1950); 0 is perfect."""
    return float(np.mean([(o.check.coverage - o.pair.label) ** 2 for o in outcomes]))


def report(outcomes: Sequence[Outcome]) -> None:
    """Print totals, a line for each kind, the reliability table, and times."""
    documents = {o.pair.document for o in outcomes}
    print(f"{len(outcomes)} pairs of {len(documents)} documents, {sum(o.pair.label for o in outcomes)} true")
    print(f"precision of confirmed {precision(outcomes):.3f}   recall of true {recall(outcomes):.3f}")
    print(f"\n{'kind':18}{'truth':>7}{'pairs':>7}{'confirmed':>11}{'open':>9}{'contradicted':>14}")
    for kind in (*TRUE_KINDS, *FALSE_KINDS):
        of_kind = [o for o in outcomes if o.pair.kind == kind]
        said = Counter(o.check.outcome for o in of_kind)
        truth = "yes" if kind in TRUE_KINDS else "no"
        print(f"{kind:18}{truth:>7}{len(of_kind):7}{said['confirmed']:11}{said['open']:9}{said['contradicted']:14}")
    print(f"\nBrier {brier(outcomes):.4f}\n\nscore          pairs   mean score   true")
    for low in np.arange(0, 1, 0.1):
        inside = [o for o in outcomes if low <= o.check.coverage < low + 0.1 + 1e-9 * (low > 0.85)]
        if inside:
            score, true = np.mean([o.check.coverage for o in inside]), np.mean([o.pair.label for o in inside])
            print(f"{low:.1f} to {low + 0.1:.1f} {len(inside):10}   {score:10.2f}   {true:4.2f}")
    times = [o.milliseconds for o in outcomes]
    print(f"\nms a pair: median {percentile(times, 0.5):.1f}, 95th percentile {percentile(times, 0.95):.1f}")
    print(f"a sentence that is confirmed has a score of at least {SUPPORTED}")


def main() -> None:
    """Read the index, make the pairs and print the report."""
    options = parser(__doc__)
    add_collection_options(options)
    options.add_argument(
        "--half",
        choices=tuple(HALVES),
        default="report",
        help="which half of the documents to use (default: %(default)s)",
    )
    options.add_argument(
        "--per-kind", type=int, default=8, help="the most pairs of each kind per document (default: 8)"
    )
    asked = options.parse_args()
    with home_of(asked) as home:
        elements = elements_of(indexed(asked, home), HALVES[asked.half])
        report(judged(pairs(elements, per_kind=asked.per_kind)))


if __name__ == "__main__":
    main()
