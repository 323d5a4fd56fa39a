"""Fit the mark of a quote: the probability that who reads it learns the answer (`CITED` of `rag.methods.quote`).

    python -m plugins.research.fit marks --judged judged.jsonl --collection dev

Each line of the file is a question, the name of the document that it was put to, and whether a reader who knows the
answer called the first quote good: {"question": ..., "doc": ..., "good": true}. A question that its document does not
answer has no good quote. The printed figures are held out by document.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from indexing import Collection
from plugins.research.fit.logistic import newton, probability
from plugins.research.metrics import auroc
from rag import Pipeline
from rag.methods.quote import (
    CITED_FEATURES,
    best_of,
    candidate_regions,
    choose,
    cited_values,
    confidence_of,
    quotes,
    select,
    words_of,
)

RIDGE = 1.0
BOUNDS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 1.01)


def values_of(pipeline: Pipeline, question: str, doc_id: str) -> tuple[float, ...] | None:
    """Return the features of the first quote that answers a question to a document; None where nothing is quoted."""
    planned, results = pipeline.retrieve(question, documents=[doc_id], mode="text")
    results = results.quotable
    pages = list(dict.fromkeys((e.element.doc_id, e.element.page) for e in results.evidence))
    around = dict(zip(pages, pipeline.collection.elements_on(pages), strict=True))
    words = [words_of(element, results.query) for element in results.elements]
    scored = quotes(question, results)
    labels = {quote.evidence.label for quote in scored}
    regions = candidate_regions(results.evidence, words, results.pages, around, planned.hints)
    regions = [region for region in regions if labels.intersection(region.labels)]
    chosen = choose(regions, pipeline.settings.max_sentences, best_of(scored, regions))
    proofs = select(scored, chosen, pipeline.settings)
    confidence = confidence_of(results)
    first = [cited_values(confidence, region, quote.confidence) for quote, region in (proofs[0] if proofs else ())]
    return first[0] if first else None


def held_out(x: NDArray[np.float64], y: NDArray[np.float64], docs: NDArray[np.str_]) -> NDArray[np.float64]:
    """Return (n,) probabilities, each from coefficients that were fitted without the question's document."""
    found, ones = np.zeros(len(y)), np.ones(len(y))
    for doc in np.unique(docs):
        out = docs == doc
        found[out] = probability(x[out], newton(x[~out], y[~out], ones[~out], RIDGE))
    return found


def main(argv: Sequence[str] | None = None) -> None:
    """Collect, hold out, print; then print the coefficients that were fitted on everything."""
    parser = argparse.ArgumentParser(
        prog="python -m plugins.research.fit marks",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--judged", type=Path, required=True, help="questions whose first quotes were judged")
    parser.add_argument("--collection", required=True, help="the collection with their documents")
    parser.add_argument("--home", type=Path, default=None, help="the folder of the collections")
    args = parser.parse_args(argv)
    collection = Collection.open(args.collection, args.home)
    ids = {document.name: document.id for document in collection.documents()}
    rows = [json.loads(line) for line in args.judged.read_text(encoding="utf-8").splitlines() if line.strip()]
    pipeline = Pipeline(collection)
    made = [(values_of(pipeline, row["question"], ids[row["doc"]]), row) for row in rows if row["doc"] in ids]
    kept = [(values, row) for values, row in made if values is not None]
    x, y = np.array([values for values, _ in kept]), np.array([float(row["good"]) for _, row in kept])
    likely = held_out(x, y, np.array([row["doc"] for _, row in kept]))
    good, bad = likely[y == 1].tolist(), likely[y == 0].tolist()
    print(f"{len(kept)} quotes, {y.mean():.0%} good; AUROC {auroc(good, bad):.3f}, held out by document")
    for low, high in pairwise(BOUNDS):
        inside = (likely >= low) & (likely < high)
        if inside.any():
            print(f"{low:.1f} to {min(high, 1):.1f}  {inside.sum():5d} quotes  {y[inside].mean():.2f} good")
    print("CITED =", tuple(round(float(v), 3) for v in newton(x, y, np.ones(len(y)), RIDGE)))
    print(" ", CITED_FEATURES)
