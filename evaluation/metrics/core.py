"""The figures of the papers as pure functions: one question in, a share from 0 to 1 out, None without gold.

`MMDocIR` is Dong et al. 2025 (page and layout retrieval over long documents), `CiteVQA` the benchmark of answers with
cited boxes. Every figure is computed for one question and averaged over questions; all of them agree with the scorer
that the project's development set comes with. Boxes are fractions of the displayed page, origin top left.

Boxes are fractions of the displayed page, origin top left. Page-level recall is `evaluation.metrics.page_recall`.
The figures are as the paper's text has them: the benchmark's scoring code (its `metric_eval.py`) was not available.
"""

from __future__ import annotations

import ast
import itertools
import math
import re
import statistics
import warnings
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

MEETS = 0.5
"""The IoU from which two boxes meet (CiteVQA)."""
ENOUGH = 0.6
"""The share of gold boxes from which a citation is good enough for SAA (CiteVQA)."""
WITHOUT_ANSWER = frozenset({"not answerable", "unanswerable", "none", ""})
_WORD = re.compile(r"[^\W_]+(?:[.,]\d+)*")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


@dataclass(frozen=True, slots=True)
class PageBox:
    """A box (x0, y0, x1, y1) on a page. Pages count from 1; page 0 stands for a page of another document.

    `doc` numbers the documents of a question that has several, from 1.
    """

    page: int
    bbox: tuple[float, float, float, float]
    doc: int = 1

    @property
    def place(self) -> tuple[int, int]:
        """The number of the document and the page, both from 1."""
        return self.doc, self.page


def iou(a: Sequence[float], b: Sequence[float]) -> float:
    """Return intersection over union of two boxes, |a ∩ b| / (|a| + |b| - |a ∩ b|); 0 when they only touch.

    Unlike `BBox.iou` it takes the boxes of a gold file: empty and inverted boxes meet nothing.

    >>> iou((0, 0, 1, 0.5), (0, 0, 1, 1))
    0.5
    """
    width = min(a[2], b[2]) - max(a[0], b[0])
    height = min(a[3], b[3]) - max(a[1], b[1])
    if width <= 0 or height <= 0:
        return 0.0
    both = width * height
    return both / ((a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - both)


def count_meeting(boxes: Sequence[PageBox], by: Sequence[PageBox]) -> int:
    """Count the `boxes` that meet one of `by` on the same page, IoU >= 0.5."""
    return sum(any(box.place == other.place and iou(box.bbox, other.bbox) >= MEETS for other in by) for box in boxes)


def page_recall(gold: AbstractSet[int], ranking: Sequence[int], k: int) -> float | None:
    """Return MMDocIR's page level: Recall@k = |top-k pages ∩ gold pages| / |gold pages|.

    >>> page_recall({2, 3}, [3, 7, 2], 1)
    0.5
    """
    return len(gold & set(ranking[:k])) / len(gold) if gold else None


def box_recall(gold: Sequence[PageBox], ranking: Sequence[PageBox], k: int) -> float | None:
    """Return Recall@k of MMDocIR's layout level by IoU: the share of gold boxes that one of the first k meets.

    MMDocIR counts the area that retrieved layouts cover; this is the stricter count of CiteVQA (IoU >= 0.5).

    >>> gold = [PageBox(2, (0, 0, 1, 0.5)), PageBox(2, (0, 0.5, 1, 1))]
    >>> box_recall(gold, [PageBox(2, (0, 0, 1, 0.4)), PageBox(2, (0, 0.5, 1, 1))], 1)
    0.5
    """
    return count_meeting(gold, ranking[:k]) / len(gold) if gold else None


def cited_pages(gold: AbstractSet[int], cited: Sequence[PageBox]) -> float | None:
    """Return CiteVQA's Page: |cited pages ∩ gold pages| / |gold pages|.

    >>> cited_pages({2, 3}, [PageBox(3, (0, 0, 1, 1)), PageBox(7, (0, 0, 1, 1))])
    0.5
    """
    return len(gold & {box.page for box in cited}) / len(gold) if gold else None


def citation_recall(gold: Sequence[PageBox], cited: Sequence[PageBox]) -> float | None:
    """Return CiteVQA's Rec: the share of gold boxes, there the crucial ones, that some cited box meets at IoU >= 0.5.

    >>> gold = [PageBox(1, (0, 0, 1, 0.2)), PageBox(1, (0, 0.8, 1, 1))]
    >>> citation_recall(gold, [PageBox(1, (0, 0, 1, 0.3)), PageBox(2, (0, 0.8, 1, 1))])
    0.5
    """
    return count_meeting(gold, cited) / len(gold) if gold else None


def citation_precision(gold: Sequence[PageBox], cited: Sequence[PageBox]) -> float | None:
    """Return CiteVQA's Prec: the share of cited boxes that meet some gold box, there a crucial or a supplemental one.

    It is 0 when nothing is cited.

    >>> gold = [PageBox(1, (0, 0, 1, 0.25))]
    >>> citation_precision(gold, [PageBox(1, (0, 0, 1, foot)) for foot in (0.25, 0.5, 0.75, 1)])  # IoU 1 to 0.25
    0.5
    """
    if not gold:
        return None
    return count_meeting(cited, gold) / len(cited) if cited else 0.0


def f1(precision: float | None, recall: float | None) -> float | None:
    """Return F1 = 2 Prec Rec / (Prec + Rec), of one question; 0 when both are 0.

    >>> round(f1(0.5, 1.0), 3)
    0.667
    """
    if precision is None or recall is None:
        return None
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def containment(gold: str, answer: str) -> float | None:
    """Return the share of the gold answer's items that occur in the answer; None when the question has no answer.

    Numbers are found as numbers (`$1,200` is `1200.0`, `$` and `%` aside), other items as runs of whole words, case
    and punctuation aside. A gold answer that Python reads as a list or tuple is one: a bare `1,200` is the items 1 and
    200, as the scorer has it. This is no paper's figure: it takes the place of CiteVQA's judge, which gives 0 to 5.

    >>> containment("['3', 'Ohio']", "It rose to 3.0 in Utah.")
    0.5
    """
    if gold.strip().lower() in WITHOUT_ANSWER:
        return None
    items = _items(gold)
    numbers = {float(n) for n in _NUMBER.findall(answer.replace(",", ""))}
    words = _words(answer)
    matches = [_occurs(item, numbers, words) for item in items]
    return sum(matches) / len(matches) if matches else None


def strict_accuracy(containment: float | None, recall: float | None) -> float | None:
    """Return SAA*: 1.0 if the answer contains every gold item (`containment` is 1) and Rec >= 0.6, else 0.0.

    CiteVQA's strict attributed accuracy is [Ans >= 4 and (Rel >= 4 or Rec >= 0.6)] with two judges; without them this
    is a lower bound of it, not the paper's figure.

    >>> strict_accuracy(1.0, 0.6), strict_accuracy(0.5, 1.0)
    (1.0, 0.0)
    """
    return None if containment is None or recall is None else float(containment == 1 and recall >= ENOUGH)


def mean(values: Sequence[float]) -> float:
    """Return the mean; ValueError when there are no values."""
    if not values:
        raise ValueError("no values: nothing was measured")
    return math.fsum(values) / len(values)


def mean_of_all(values: Sequence[float | None]) -> float | None:
    """Return the mean where every value is known; None without a value, or where one is missing.

    >>> mean_of_all([1.0, 0.0]), mean_of_all([1.0, None])
    (0.5, None)
    """
    present = [value for value in values if value is not None]
    return mean(present) if present and len(present) == len(values) else None


def standard_error(values: Sequence[float]) -> float | None:
    """Return the error of the mean: s / sqrt(n), s with n - 1 in the denominator; None for fewer than two values.

    Questions about one document resemble each other, so the true error is rather larger.

    >>> standard_error([0.0, 1.0])
    0.5
    """
    if len(values) < 2:
        return None
    middle = mean(values)
    spread = math.fsum((value - middle) ** 2 for value in values)
    return math.sqrt(spread / (len(values) - 1) / len(values))


def quantile(values: Sequence[float], share: float) -> float:
    """Return the smallest value that at least `share` of the values do not exceed; at 0.5 the median.

    The median is between two middle values. Raises ValueError when there are no values.
    """
    if not values:
        raise ValueError("no values: nothing was measured")
    if share == 0.5:
        return float(statistics.median(values))
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)]


def quantile_error(values: Sequence[float], share: float) -> float | None:
    """Return the standard error of a quantile, whatever the distribution: half the distance of the values whose ranks
    are one binomial standard deviation, sqrt(n q (1 - q)), below and above it (Woodruff 1952). It is None for fewer
    than two values.

    >>> quantile_error([1, 2, 3, 4, 5], 0.5)  # 2.5 values, less and plus 1.1: the second and the fifth
    1.5
    """
    if len(values) < 2:
        return None
    count, spread = len(values), math.sqrt(len(values) * share * (1 - share))
    below = max(0, math.floor(count * share - spread))
    above = min(count - 1, math.ceil(count * share + spread))
    ordered_values = sorted(values)
    return (ordered_values[above] - ordered_values[below]) / 2


def _items(gold: str) -> list[str]:
    """Return the items of an answer that is written as a Python list; else the answer itself."""
    if not any(sign in gold for sign in "[(,"):  # what no list or tuple is without
        return [gold]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what Python thinks of an answer's backslashes concerns no one
            value = ast.literal_eval(gold)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return [gold]
    return [str(item) for item in value] if isinstance(value, list | tuple) else [gold]


def _occurs(item: str, numbers: AbstractSet[float], words: str) -> bool:
    """Return True if the number `item` is among `numbers`, or its words occur in `words` (of `_words`)."""
    bare = item.strip().rstrip("%").lstrip("$").replace(",", "")
    return float(bare) in numbers if _NUMBER.fullmatch(bare) else _words(item) in words


def _words(text: str) -> str:
    """Return the words of a text in lower case, a space before, between and after them."""
    return f" {' '.join(_WORD.findall(text.lower().replace(',', '')))} "


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
