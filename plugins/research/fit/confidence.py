"""Fit and judge the confidence of the extractive answerer (the coefficients in `rag/methods/quote/select.py`).

    python -m plugins.research.fit confidence --gold ../shared/eval/mmdocir/dev.jsonl --collection dev

Every question is asked twice: of its own document, and of a document that is not about it. A retrieved element is
right when it lies mostly inside a gold box, or holds one, of the question's document; in the other document nothing is
right. A logistic regression on the elements of both, cross-validated over documents, gives coefficients. A feature can
only speak for an element: one whose coefficient comes out negative is left out (0) and the others are fitted again.
Then the most confident element of each question is held against the truth: how often it is right at each confidence,
and the cost of abstaining.
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

from indexing import BBox, Collection
from plugins.research.fit.logistic import newton
from rag import Pipeline
from rag.methods.quote import FEATURES, features, pieces, typical_of

FOLDS = 5
INSIDE = 0.6


@dataclass(frozen=True, slots=True)
class QuoteSample:
    """A question put to one document: features (n, f) of its quotable elements and a mask of the right ones (n,)."""

    fold: int
    answerable: bool
    values: NDArray[np.float64]
    right: NDArray[np.bool_]


def collect(collection: Collection, gold: Path) -> list[QuoteSample]:
    """Ask every question whose document is in the collection, of that document and of the next one."""
    present = {d.name: d.id for d in collection.documents()}
    rows = [json.loads(line) for line in gold.read_text(encoding="utf-8").splitlines() if line.strip()]
    rows = [row for row in rows if row["doc"] in present]
    pipeline = Pipeline(collection)
    asked = []
    for number, row in enumerate(rows):
        other = rows[(number + len(rows) // 2) % len(rows)]["doc"]
        for question in row["questions"]:
            for doc, boxes in ((row["doc"], question["boxes"]), (other, [])):
                asked.append(_ask(pipeline, question["question"], present[doc], boxes, number % FOLDS))
    return asked


def _ask(pipeline: Pipeline, question: str, doc_id: str, boxes: list[Any], fold: int) -> QuoteSample:
    _, found = pipeline.retrieve(question, documents=[doc_id])
    typical = typical_of(found.elements)
    values, right = [], []
    for retrieved in found.elements:
        element = retrieved.evidence.element
        if pieces(element):
            values.append(features(retrieved, found.query, typical))
            right.append(any(b["page"] == element.page and _same(element.bbox, b["bbox"]) for b in boxes))
    return QuoteSample(fold, bool(boxes), np.array(values, float).reshape(-1, len(FEATURES)), np.array(right, bool))


def _same(element: BBox, box: list[float]) -> bool:
    x0, y0, x1, y1 = box
    gold = BBox.from_page(x0, y0, x1, y1, 1.0, 1.0)
    if gold is None:
        return False
    both = element.overlap(gold)
    return both > INSIDE * element.area or both > INSIDE * gold.area


def fit_positive(asked: list[QuoteSample]) -> NDArray[np.float64]:
    """Fit, leaving out the feature with the most negative coefficient until none has one."""
    kept = list(range(asked[0].values.shape[1]))
    while True:
        part = fit([replace(a, values=a.values[:, kept]) for a in asked])
        worst = int(part[1:].argmin()) + 1
        if part[worst] >= 0:
            break
        del kept[worst]
    beta = np.zeros(asked[0].values.shape[1])
    beta[kept] = part
    return beta


def fit(asked: list[QuoteSample], ridge: float = 1.0) -> NDArray[np.float64]:
    """Fit a logistic regression; each asked question weighs the same, the bias is not shrunk."""
    x = np.concatenate([a.values for a in asked])
    y = np.concatenate([a.right for a in asked]).astype(float)
    w = np.concatenate([np.full(len(a.right), 1.0 / max(len(a.right), 1)) for a in asked])
    w *= len(y) / w.sum()
    return newton(x, y, w, ridge)


def best(asked: list[QuoteSample], beta: NDArray[np.float64]) -> list[tuple[float, bool, bool]]:
    """Return (raw log-odds, right, answerable) of the most confident element of each question."""
    picked = []
    for a in asked:
        if len(a.values):
            odds = a.values @ beta
            top = int(odds.argmax())
            picked.append((float(odds[top]), bool(a.right[top]), a.answerable))
    return picked


def platt(picked: list[tuple[float, bool, bool]]) -> tuple[float, float]:
    """Return scale and shift that turn the best element's log-odds into those of its being right (Platt 1999)."""
    x = np.array([[1.0, odds] for odds, _, _ in picked])
    as_asked = [QuoteSample(0, True, x, np.array([right for _, right, _ in picked]))]
    shift, scale = fit(as_asked, ridge=1e-6)
    return float(scale), float(shift)


def report(picked: list[tuple[float, bool, bool]]) -> None:
    """Print reliability by tenths, and what each threshold answers, abstains from and gets right."""
    odds, right, answerable = (np.array(v) for v in zip(*picked, strict=True))
    p = 1 / (1 + np.exp(-odds))
    print("confidence   questions   mean confidence   right")
    for low in np.arange(0, 1, 0.1):
        inside = (p >= low) & (p < low + 0.1)
        if inside.any():
            row = f"{inside.sum():9d}   {p[inside].mean():15.2f}   {right[inside].mean():5.2f}"
            print(f"{low:.1f} to {low + 0.1:.1f}   {row}")
    print("\nthreshold   answered of own document   right when answered   abstained of foreign document")
    for threshold in (0.2, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7):
        said = p >= threshold
        own, foreign = answerable.astype(bool), ~answerable.astype(bool)
        good = right[said].mean() if said.any() else float("nan")
        print(f"{threshold:9.2f}   {said[own].mean():24.2f}   {good:19.2f}   {(~said)[foreign].mean():29.2f}")
    print(f"\nbest element right, own document, never abstaining: {right[answerable.astype(bool)].mean():.3f}")


def main(argv: Sequence[str] | None = None) -> None:
    """Collect, cross-validate, print, and print the coefficients fitted on everything."""
    parser = argparse.ArgumentParser(
        prog="python -m plugins.research.fit confidence",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--gold", type=Path, required=True)
    parser.add_argument("--collection", required=True)
    parser.add_argument("--home", type=Path, default=None)
    args = parser.parse_args(argv)
    asked = collect(Collection.open(args.collection, args.home), args.gold)
    elements, hopeful = sum(len(a.right) for a in asked), sum(bool(a.right.any()) for a in asked)
    print(f"{len(asked)} asked, {elements} elements, {hopeful} with a right one")
    held_out: list[tuple[float, bool, bool]] = []
    for fold in range(FOLDS):
        train = [a for a in asked if a.fold != fold]
        beta = fit_positive(train)
        scale, shift = platt(best(train, beta))
        test = best([a for a in asked if a.fold == fold], beta)
        held_out += [(scale * odds + shift, right, answerable) for odds, right, answerable in test]
    report(held_out)
    beta = fit_positive(asked)
    scale, shift = platt(best(asked, beta))
    final = beta * scale
    final[0] += shift
    print("COEFFICIENTS =", tuple(round(float(v), 3) for v in final))
    print("             ", FEATURES)
