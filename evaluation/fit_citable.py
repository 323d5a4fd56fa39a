"""Fit and judge what is cited and when to abstain (the coefficients in `rag/citable.py` and `rag/extractive.py`).

    python -m evaluation.fit_citable --gold ../shared/eval/mmdocir/dev.jsonl --collection dev [--mode multi]

Every question is asked of its own document and of --others documents that are not about it. A region is right when it
meets a gold box at IoU 0.5; an answer is right when one of the pages that it cites is a gold page, and of another
document it never is. Two logistic regressions, held out by document: what is printed was never fitted on.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation.logistic import fit, held_out
from evaluation.metrics import PageBox, citation_precision, citation_recall, cited_pages, f1, iou, mean
from indexing import Collection, Mode
from rag import Pipeline
from rag.citable import FEATURES, choose, citable
from rag.extractive import ANSWERING_FEATURES, answering, best_of, quotes, words_of
from rag.types import Citable

FOLDS = 10
MOST = 3


@dataclass(frozen=True, slots=True)
class Asked:
    """A question put to a document: what could be cited, the label of the best quote, and the values behind the
    confidence. `gold` is empty for a document that is not about it.
    """

    fold: int
    gold: tuple[PageBox, ...]
    pages: frozenset[int]
    regions: tuple[Citable, ...]
    best: str
    answering: tuple[float, ...]

    def right(self, region: Citable) -> bool:
        """Whether it meets a gold box."""
        e = region.element
        return any(g.page == e.page and iou(g.bbox, e.bbox.as_tuple()) >= 0.5 for g in self.gold)


def collect(collection: Collection, gold: Path, mode: Mode | None, others: int) -> list[Asked]:
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
    return found


def _ask(pipeline: Pipeline, question: str, doc_id: str, gold: Any, how: tuple[int, Mode | None]) -> Asked:
    planned, found = pipeline.retrieve(question, documents=[doc_id], mode=how[1])
    places = list(dict.fromkeys((e.element.doc_id, e.element.page) for e in found.evidence))
    around = dict(zip(places, pipeline.collection.elements_on(places), strict=True))
    words = [words_of(hit, found.tokens, found.weights) for hit in found.hits]
    regions = citable(found.evidence, words, found.pages, around, planned.hints)
    scored = quotes(question, found.evidence, found.hits, found.tokens, found.weights)
    spoken = {q.evidence.label for q in scored}
    values = answering(found.hits, [e.score for e in found.evidence], found.tokens, found.weights)
    return Asked(
        how[0],
        tuple(PageBox(b["page"], tuple(b["bbox"])) for b in gold["boxes"]),
        frozenset(gold["pages"]),
        tuple(r for r in regions if spoken.intersection(r.labels)),
        best_of(scored, regions),
        values,
    )


def rated(asked: Sequence[Asked], probabilities: Sequence[NDArray[np.float64]], most: int) -> list[tuple[PageBox, ...]]:
    """What each question cites when its regions have these probabilities."""
    cited = []
    for a, p in zip(asked, probabilities, strict=True):
        regions = [Citable(r.element, float(v), r.labels) for r, v in zip(a.regions, p, strict=True)]
        cited.append(tuple(PageBox(r.element.page, r.element.bbox.as_tuple()) for r in choose(regions, most, a.best)))
    return cited


def show(label: str, asked: Sequence[Asked], cited: Sequence[tuple[PageBox, ...]]) -> None:
    """The figures of CiteVQA, in per cent."""
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


def _folds(asked: Sequence[Asked]) -> NDArray[np.int64]:
    return np.array([a.fold for a in asked for _ in a.regions], np.int64)


def main() -> None:
    """Collect, hold out, print; then the coefficients fitted on everything."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gold", type=Path, required=True)
    parser.add_argument("--collection", required=True)
    parser.add_argument("--home", type=Path, default=None)
    parser.add_argument("--mode", choices=("text", "image", "multi"), default=None)
    parser.add_argument("--others", type=int, default=3, help="documents that a question is not about, each")
    args = parser.parse_args()
    asked = collect(Collection.open(args.collection, args.home), args.gold, args.mode, args.others)
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
    weights = np.array([1.0 if a.pages else 1.0 / max(args.others, 1) for a in asked])
    values = np.array([a.answering for a in asked])
    sure = held_out(values, right, np.array([a.fold for a in asked], np.int64), weights, ridge=2.0)
    at_home = np.array([bool(a.pages) for a in asked])
    print("\nconfidence        asked   mean   right (documents that are not about it weigh as much as those that are)")
    for low in np.arange(0, 1, 0.2):
        inside = (sure >= low) & (sure < low + 0.2 + (low > 0.7))
        if inside.any():
            m, r = np.average(sure[inside], weights=weights[inside]), np.average(right[inside], weights=weights[inside])
            print(f"{low:.1f} to {low + 0.2:.1f}   {inside.sum():12d}   {m:.2f}    {r:.2f}")
    print(f"\n{'threshold (other documents abstain)':34s}  Page     Rec    Prec      F1   cited   abstained")
    for threshold in (0.1, 0.15, 0.2, 0.25, 0.3, 0.4):
        kept = [c if s >= threshold else () for c, s in zip(cited, sure[at_home], strict=True)]
        show(f"{threshold:.2f} ({100 * (sure[~at_home] < threshold).mean():.1f}%)", own, kept)
    for name, names, found in (
        ("COEFFICIENTS", FEATURES, fit(x, y)),
        ("ANSWERING", ANSWERING_FEATURES, fit(values, right, weights, ridge=2.0)),
    ):
        print(f"\n{name} =", tuple(round(float(v), 3) for v in found))
        print(" ", names)


if __name__ == "__main__":
    main()
