"""The figures of MMDocIR (Dong et al. 2025, arXiv 2501.08828), layout level: how much of the gold was retrieved.

Boxes are fractions of the displayed page, origin top left. Page-level recall is `evaluation.metrics.page_recall`.
The figures are as the paper's text has them: the benchmark's scoring code (its `metric_eval.py`) was not available.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence

from evaluation.metrics.core import PageBox


def layout_recall(gold: Sequence[PageBox], ranking: Sequence[PageBox], k: int) -> float | None:
    """Return Recall@k of section 5: the share of the gold layouts' area that the first k retrieved layouts overlap.

    R@k = sum over gold layouts g of |g ∩ union of top-k boxes on g's page| / sum of |g|. The paper counts overlap,
    as the retrieved layouts need not be cut as the gold is. An area that two retrieved boxes cover counts once, which
    the text leaves open: the figure cannot exceed 1. It is None when the question has no gold layout.

    >>> gold = [PageBox(1, (0.0, 0.0, 1.0, 0.4))]
    >>> round(layout_recall(gold, [PageBox(1, (0.0, 0.1, 0.5, 1.0))], 1), 3)
    0.375
    """
    total = math.fsum(area(g.bbox) for g in gold)
    if not total:
        return None
    results = [box for box in ranking[:k] if box.page > 0]
    return min(
        1.0, math.fsum(covered_area(g.bbox, [b.bbox for b in results if b.place == g.place]) for g in gold) / total
    )


def macro(groups: Mapping[str, Sequence[float]]) -> float | None:
    """Return the macro average of table 4: the mean over domains of the mean over a domain's questions.

    The micro average is the mean over all questions. It is None when there are no values.

    >>> macro({"law": [1.0, 1.0, 1.0], "news": [0.0]})
    0.5
    """
    means = [math.fsum(values) / len(values) for values in groups.values() if values]
    return math.fsum(means) / len(means) if means else None


def area(box: Sequence[float]) -> float:
    """Return the area of a box (x0, y0, x1, y1); 0 for an inverted box."""
    return max(0.0, box[2] - box[0]) * max(0.0, box[3] - box[1])


def covered_area(box: Sequence[float], by: Sequence[Sequence[float]]) -> float:
    """Return the area of `box` that lies in at least one of `by`.

    >>> round(covered_area((0, 0, 1, 1), [(0, 0, 0.5, 1), (0.25, 0, 0.75, 1)]), 3)
    0.75
    """
    clips = [(max(box[0], b[0]), max(box[1], b[1]), min(box[2], b[2]), min(box[3], b[3])) for b in by]
    inside = [c for c in clips if c[0] < c[2] and c[1] < c[3]]
    edges = sorted({x for c in inside for x in (c[0], c[2])})
    return math.fsum(
        (right - left) * _length([(c[1], c[3]) for c in inside if c[0] <= left and c[2] >= right])
        for left, right in itertools.pairwise(edges)
    )


def _length(intervals: Sequence[tuple[float, float]]) -> float:
    """Return the length of the union of intervals."""
    total, reach = 0.0, -math.inf
    for low, high in sorted(intervals):
        total += max(0.0, high - max(low, reach))
        reach = max(reach, high)
    return total
