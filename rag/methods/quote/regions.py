"""Find the regions that a careful reader would mark: elements and groups, each with its probability.

Retrieval ranks passages; people mark the complete paragraph, the table, the figure with its caption. Every element that
was retrieved, and every group that holds one, is a candidate. A logistic model weighs the evidence retrieved inside it,
the kind and number of its parts and the kind of thing the question asks for; it gives the probability that a reader
marks just this region. Of regions that do not overlap, as many are cited as raise the expected F1.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

from indexing import Element, Hints
from rag.logistic import probability
from rag.types import CandidateRegion, Evidence, RankedPage

REGION_FEATURES = (
    "bias", "score", "page lead", "page order", "parts", "group", "area", "with a picture", "with a table", "a list",
    "led by a heading", "led by a caption", "not the picture asked for", "cover", "table", "picture", "words",
    "share of the evidence", "length",
)  # fmt: skip
COEFFICIENTS = (
    -3.001, 1.088, 4.097, -0.767, -0.364, -0.296, 0.254, 1.613, 2.137, 0.595, 0.312, 0.484, -0.641, 0.226, 1.688, 1.393,
    1.471, 4.103, -0.098,
)  # fmt: skip
"""The coefficients, fitted by a program that is at commit 956a98c1: numbers in docs/experiments/citations.md."""
MARKED_REGIONS = 2.25
"""The number of regions that people mark for a question, on average; the expected F1 of a choice depends on it."""
WIDEST = 0.1
"""The largest share of its page that a group may cover to be cited: a wider one would point at everything."""
APART = 0.3
"""The IoU above which two regions of a page are cited once."""
INSIDE = 0.8
"""The share of the smaller region in the other above which the two are cited once, too."""


def candidate_regions(
    evidence: Sequence[Evidence],
    words: Sequence[float],
    pages: Sequence[RankedPage],
    around: Mapping[tuple[str, int], Sequence[Element]],
    hints: Hints,
) -> list[CandidateRegion]:
    """Return the regions that could be cited, the most probable first.

    `words` has the share of the question's words in each item of evidence, `pages` the ranked pages, `around` all
    elements, with groups, of the pages (document, number) of the evidence.
    """
    regions: list[CandidateRegion] = []
    total = sum(max(e.score, 0.0) for e in evidence) or 1.0
    best = max((p.score for p in pages), default=0.0)
    leads = {(p.doc_id, p.number): p.score - best for p in pages}  # how far a page is behind the best one, 0 or less
    for order, page in enumerate(dict.fromkeys((e.element.doc_id, e.element.page) for e in evidence)):
        here = {e.element.id: n for n, e in enumerate(evidence) if (e.element.doc_id, e.element.page) == page}
        by_id = {e.id: e for e in around[page]}
        for element in by_id.values():
            parts = element.parts or (element.id,)
            members = sorted(here[part] for part in parts if part in here)
            if members and not (element.kind == "group" and element.bbox.area > WIDEST):
                own = [evidence[n] for n in members]
                values = (
                    *(1.0, own[0].score, leads.get(page, min(leads.values(), default=0.0)), math.log1p(order)),
                    *_part_values(element, [by_id[p] for p in parts if p in by_id], own, hints),
                    max(words[n] for n in members),
                    sum(max(e.score, 0.0) for e in own) / total,
                    math.log1p(len(element.text)),
                )
                likely = probability(values, COEFFICIENTS)
                regions.append(CandidateRegion(element, likely, tuple(e.label for e in own), values))
    return sorted(regions, key=lambda r: -r.probability)


def choose(regions: Sequence[CandidateRegion], most: int, label: str = "") -> list[CandidateRegion]:
    """Return at most `most` regions to cite, without overlaps, that maximize the expected F1.

    The first is the most probable region with the evidence `label`, that of the best quote, which the answer needs.
    """
    ranking = sorted(regions, key=lambda r: -r.probability)
    first = next((n for n, region in enumerate(ranking) if label in region.labels), 0)
    selection: list[CandidateRegion] = []
    mass = 0.0
    for region in [*ranking[first : first + 1], *ranking]:
        n = len(selection)
        if n == most:
            break
        if any(_same_place(region.element, other.element) for other in selection):
            continue
        if n and (mass + region.probability) / (n + 1 + MARKED_REGIONS) <= mass / (n + MARKED_REGIONS):
            break
        selection.append(region)
        mass += region.probability
    return selection


def _part_values(
    element: Element, parts: Sequence[Element], own: Sequence[Evidence], hints: Hints
) -> tuple[float, ...]:
    """Return the features of the kinds and sizes of a region's parts, and of the best evidence in it (`own[0]`)."""
    kinds = Counter(part.kind for part in parts)
    group, lead = element.kind == "group", own[0].element.kind
    coverage = sum(e.element.bbox.area for e in own) / max(element.bbox.area, 1e-6)
    return (
        math.log(max(len(parts), 1)),
        float(group),
        math.log(element.bbox.area + 1e-3),
        float(group and kinds["picture"] > 0),
        float(group and kinds["table"] > 0),
        float(group and kinds["list"] >= len(parts) - 1),
        float(group and lead == "heading"),
        float(group and lead == "caption"),
        float(hints.pictures and not kinds["picture"]),
        min(1.0, coverage) if group else 1.0,
        float(element.kind == "table"),
        float(element.kind == "picture"),
    )


def _same_place(a: Element, b: Element) -> bool:
    """Return True if two elements of a page overlap so far that only one of them is cited."""
    if (a.doc_id, a.page) != (b.doc_id, b.page):
        return False
    return a.bbox.iou(b.bbox) > APART or a.bbox.overlap(b.bbox) > INSIDE * min(a.bbox.area, b.bbox.area)
