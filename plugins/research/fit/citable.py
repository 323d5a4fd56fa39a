r"""Fit and judge the choice of citations and when to abstain: coefficients of `regions` and `select` in
`rag/methods/quote`.

    python -m plugins.research.fit citable --gold ../shared/eval/mmdocir/dev.jsonl --collection dev [--mode multi] \
        [--unanswerable ../shared/eval/mmdocir/dev_unanswerable.jsonl]

Every question is asked of its own document and of --others documents that are not about it; those of --unanswerable of
their document, which does not answer them. A region is right when it meets a gold box at IoU 0.5; an answer is right
when one of the pages that it cites is a gold page, and of another document, or of one that does not say, it never is.
There are three logistic regressions, held out by document: the printed figures are of data that was never fitted on.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation.metrics import PageBox, citation_precision, citation_recall, cited_pages, f1, iou, mean
from indexing import Collection, Mode
from plugins.research.fit.logistic import fit, held_out
from rag import CandidateRegion, Pipeline
from rag.methods.quote import (
    ANSWERABLE_FEATURES,
    ANSWERING_FEATURES,
    REGION_FEATURES,
    answerable,
    answering,
    best_of,
    candidate_regions,
    choose,
    quotes,
    words_of,
)

FOLDS = 10
MOST = 3
UNANSWERABLE_WEIGHT, OTHERS_WEIGHT = 2.0, 0.3
"""The weights, in the second regression of the confidence, of a question that its document leaves open and of the other
documents of a question together: those are told by the first one already.
"""
TINY = 1e-9


@dataclass(frozen=True, slots=True)
class RegionSample:
    """A question put to a document: the regions that could be cited, the best quote's label, the answering features.

    `gold` is empty for a document that is not about it; `unanswerable` is a question that its own document leaves open.
    """

    fold: int
    gold: tuple[PageBox, ...]
    pages: frozenset[int]
    regions: tuple[CandidateRegion, ...]
    best: str
    answering: tuple[float, ...]
    conditions: tuple[float, ...]
    unanswerable: bool = False

    def right(self, region: CandidateRegion) -> bool:
        """Return True if it meets a gold box."""
        e = region.element
        return any(g.page == e.page and iou(g.bbox, e.bbox.as_tuple()) >= 0.5 for g in self.gold)


def collect(
    collection: Collection, gold: Path, mode: Mode | None, others: int, unanswerable: Path | None = None
) -> list[RegionSample]:
    """Ask every question whose document is in the collection, of that document and of others."""
    present = {d.name: d.id for d in collection.documents()}
    rows = [json.loads(line) for line in gold.read_text(encoding="utf-8").splitlines() if line.strip()]
    rows = [row for row in rows if row["doc"] in present]
    pipeline = Pipeline(collection)
    order = np.random.default_rng(0).permutation(len(rows)).tolist()
    found = []
    for number, row in enumerate(rows):
        foreign = [rows[(number + (k + 1) * len(rows) // (others + 1)) % len(rows)]["doc"] for k in range(others)]
        for question in row["questions"]:
            for doc in (row["doc"], *foreign):
                own = question if doc == row["doc"] else {"boxes": [], "pages": []}
                found.append(_ask(pipeline, question["question"], present[doc], own, (order[number] % FOLDS, mode)))
    folds = {row["doc"]: order[number] % FOLDS for number, row in enumerate(rows)}
    lines = unanswerable.read_text(encoding="utf-8").splitlines() if unanswerable else []
    for question in map(json.loads, filter(str.strip, lines)):
        if (doc := question["doc"]) in present:
            sample = _ask(
                pipeline, question["question"], present[doc], {"boxes": [], "pages": []}, (folds.get(doc, 0), mode)
            )
            found.append(replace(sample, unanswerable=True))
    return found


def _ask(pipeline: Pipeline, question: str, doc_id: str, gold: Any, how: tuple[int, Mode | None]) -> RegionSample:
    planned, found = pipeline.retrieve(question, documents=[doc_id], mode=how[1])
    places = list(dict.fromkeys((e.element.doc_id, e.element.page) for e in found.evidence))
    around = dict(zip(places, pipeline.collection.elements_on(places), strict=True))
    words = [words_of(element, found.query) for element in found.elements]
    regions = candidate_regions(found.evidence, words, found.pages, around, planned.hints)
    scored = quotes(question, found)
    boxes = tuple(PageBox(b["page"], tuple(b["bbox"])) for b in gold["boxes"])
    labels = {quote.evidence.label for quote in scored}
    values = answering(found)
    return RegionSample(
        how[0],
        boxes,
        frozenset(gold["pages"]),
        tuple(r for r in regions if labels.intersection(r.labels)),
        best_of(scored, regions),
        values,
        answerable(0.5, found)[2:],
    )


def rated(
    asked: Sequence[RegionSample], probabilities: Sequence[NDArray[np.float64]], most: int
) -> list[tuple[PageBox, ...]]:
    """Return the citations of each question when its regions have these probabilities."""
    cited = []
    for a, p in zip(asked, probabilities, strict=True):
        regions = [CandidateRegion(r.element, float(v), r.labels) for r, v in zip(a.regions, p, strict=True)]
        cited.append(tuple(PageBox(r.element.page, r.element.bbox.as_tuple()) for r in choose(regions, most, a.best)))
    return cited


def show(label: str, asked: Sequence[RegionSample], cited: Sequence[tuple[PageBox, ...]]) -> None:
    """Print the figures of CiteVQA, in per cent."""
    page, recall, precision, both, number = [], [], [], [], []
    for a, boxes in zip(asked, cited, strict=True):
        r, p = citation_recall(a.gold, boxes), citation_precision(a.gold, boxes)
        page.append(cited_pages(a.pages, boxes) or 0.0)
        recall.append(r or 0.0)
        precision.append(p or 0.0)
        both.append(f1(p, r) or 0.0)
        number.append(len(boxes))
    figures = "   ".join(f"{100 * mean(v):5.1f}" for v in (page, recall, precision, both))
    print(f"{label:34s} {figures}   {mean(number):4.2f}   {100 * mean([not b for b in cited]):5.1f}")


def _folds(asked: Sequence[RegionSample]) -> NDArray[np.int64]:
    return np.array([a.fold for a in asked for _ in a.regions], np.int64)


def show_abstaining(asked: Sequence[RegionSample], sure: NDArray[np.float64], right: NDArray[np.float64]) -> None:
    """Print how well the confidence is calibrated, and how it tells answerable from unanswerable questions."""
    weights = weights_of(asked, 1.0, 1.0)
    print("\nconfidence        asked   mean   right (documents that are not about it weigh as much as those that are)")
    for low in np.arange(0, 1, 0.2):
        inside = (sure >= low) & (sure < low + 0.2 + (low > 0.7))
        if inside.any():
            m, r = np.average(sure[inside], weights=weights[inside]), np.average(right[inside], weights=weights[inside])
            print(f"{low:.1f} to {low + 0.2:.1f}   {inside.sum():12d}   {m:.2f}    {r:.2f}")
    answerable = np.sort(sure[[bool(a.pages) for a in asked]])
    no_answer = sure[[a.unanswerable for a in asked]]
    if len(no_answer):
        above = (answerable[:, None] > no_answer).mean() + (answerable[:, None] == no_answer).mean() / 2
        least = answerable[int(0.1 * len(answerable))]
        refused = 100 * (no_answer < least).mean()
        print(f"\n{len(no_answer)} unanswerable questions: AUROC {above:.3f}")
        print(f"keeping 90% of the answerable (from {least:.3f} on) refuses {refused:.1f}%")


def weights_of(asked: Sequence[RegionSample], unanswerable: float, others: float) -> NDArray[np.float64]:
    """Return weights (n,): 1 for a question to its own document, `unanswerable` for one that this does not answer, and
    `others` for all other documents of a question together.
    """
    foreign = sum(not a.pages and not a.unanswerable for a in asked)
    share = others * sum(bool(a.pages) for a in asked) / max(foreign, 1)
    return np.array([1.0 if a.pages else unanswerable if a.unanswerable else share for a in asked]) + TINY


def options() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m plugins.research.fit citable",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--gold", type=Path, required=True)
    parser.add_argument(
        "--unanswerable", type=Path, help="the questions that their documents do not answer (JSON lines)"
    )
    parser.add_argument("--collection", required=True)
    parser.add_argument("--home", type=Path, default=None)
    parser.add_argument("--mode", choices=("text", "image", "multi"), default=None)
    parser.add_argument("--others", type=int, default=3, help="how many documents are asked that are not about it")
    return parser


def main(argv: Sequence[str] | None = None) -> None:
    """Collect, hold out, print; then print the coefficients fitted on everything."""
    args = options().parse_args(argv)
    collection = Collection.open(args.collection, args.home)
    asked = collect(collection, args.gold, args.mode, args.others, args.unanswerable)
    own = [a for a in asked if a.pages]
    x = np.array([r.values for a in own for r in a.regions])
    y = np.array([a.right(r) for a in own for r in a.regions], float)
    p = np.split(held_out(x, y, _folds(own)), np.cumsum([len(a.regions) for a in own])[:-1])
    print(f"{len(own)} questions, {len(y)} regions, {100 * y.mean():.1f}% right")
    print(f"{'held out':34s}  Page     Rec    Prec      F1   cited   abstained")
    for most in (1, 2, 3, 5):
        show(f"at most {most}, never abstaining", own, rated(own, p, most))
    cited = rated(own, p, MOST)
    known = iter(bool(a.pages & {b.page for b in boxes}) for a, boxes in zip(own, cited, strict=True))
    right = np.array([next(known) if a.pages else False for a in asked], float)
    sure, coefficients = fit_confidence(asked, right)
    show_abstaining(asked, sure, right)
    at_home = np.array([bool(a.pages) for a in asked])
    foreign = np.array([not a.pages and not a.unanswerable for a in asked])
    print(f"\n{'threshold (other documents abstain)':34s}  Page     Rec    Prec      F1   cited   abstained")
    for threshold in (0.1, 0.15, 0.2, 0.25, 0.3, 0.4):
        kept = [c if s >= threshold else () for c, s in zip(cited, sure[at_home], strict=True)]
        show(f"{threshold:.2f} ({100 * (sure[foreign] < threshold).mean():.1f}%)", own, kept)
    for name, names, found in (
        ("COEFFICIENTS", REGION_FEATURES, fit(x, y)),
        ("ANSWERING", ANSWERING_FEATURES, coefficients[0]),
        ("ANSWERABLE", ANSWERABLE_FEATURES, coefficients[1]),
    ):
        print(f"\n{name} =", tuple(round(float(v), 3) for v in found))
        print(" ", names)


def fit_confidence(
    asked: Sequence[RegionSample], right: NDArray[np.float64]
) -> tuple[NDArray[np.float64], tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """Return the confidence (n,), held out by document, and the coefficients of its two regressions.

    The first tells a question's own document from others; the second adds the conditions, and has to tell questions
    that the own document answers from those that it does not.
    """
    folds = np.array([a.fold for a in asked], np.int64)
    weights = weights_of(asked, 0.0, 1.0)
    first = np.array([a.answering for a in asked])
    found = held_out(first, right, folds, weights, ridge=2.0)
    clipped = np.clip(found, 0.001, 0.999)
    second = np.column_stack([np.ones(len(asked)), np.log(clipped / (1 - clipped)), [a.conditions for a in asked]])
    likely = weights_of(asked, UNANSWERABLE_WEIGHT, OTHERS_WEIGHT)
    sure = held_out(second, right, folds, likely, ridge=5.0)
    return sure, (fit(first, right, weights, ridge=2.0), fit(second, right, likely, ridge=5.0))
