"""The agreement of two judges: Cohen's kappa (Cohen 1960), and weighted for scores that have an order (Cohen 1968).

Of a judge and people also Pearson's correlation (MAVIS, Song et al. 2025) and Spearman's, its like for ranks; of two
reviewers Pearson's chi-square of their labels (CiteAudit); precision, recall and F1 of each label (MCiteBench, table
12); of three raters or methods and more, Friedman's test (CiteVQA).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Sequence
from typing import TypeVar

_Label = TypeVar("_Label", bound=Hashable)


def agreement(first: Sequence[Hashable], second: Sequence[Hashable]) -> float | None:
    """Return the share of cases that have two equal labels; None without a case. ValueError for unequal lengths.

    >>> agreement([1, 2, 3, 3], [1, 2, 3, 2])
    0.75
    """
    pairs = list(zip(first, second, strict=True))
    return sum(a == b for a, b in pairs) / len(pairs) if pairs else None


def kappa(first: Sequence[Hashable], second: Sequence[Hashable]) -> float | None:
    """Return Cohen's kappa, (p_o - p_e) / (1 - p_e): agreement beyond what the judges' label counts give by chance.

    p_o is the share of cases with equal labels, p_e the sum over labels of the product of the shares that each judge
    gives it. It is None without a case, and if both always give one and the same label, since then 1 - p_e is 0.

    >>> kappa([1, 1, 0, 0], [1, 0, 0, 0])
    0.5
    """
    observed = agreement(first, second)
    if observed is None:
        return None
    n = len(first)
    a, b = Counter(first), Counter(second)
    expected = sum(a[label] * b[label] for label in a) / n**2
    return (observed - expected) / (1 - expected) if expected < 1 else None


def weighted_kappa(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Return kappa with quadratic weights, 1 - sum of w observed / sum of w expected, w = (a - b)^2: 4 beside 5 is less
    wrong than 0 beside 5. It is None without a case, and where chance expects no difference.

    >>> weighted_kappa([0, 5, 5, 0], [0, 5, 5, 0])
    1.0
    """
    pairs = list(zip(first, second, strict=True))
    if not pairs:
        return None
    disagreement = sum((a - b) ** 2 for a, b in pairs) / len(pairs)
    counts = Counter(first), Counter(second)
    chance = sum(m * n * (a - b) ** 2 for a, m in counts[0].items() for b, n in counts[1].items()) / len(pairs) ** 2
    return 1 - disagreement / chance if chance else None


def chi_square(first: Sequence[Hashable], second: Sequence[Hashable]) -> tuple[float, float] | None:
    """Return Pearson's chi-square of two reviewers' labels, and p, the chance of as much where they are independent.

    It is the sum over pairs of labels of (o - e)^2 / e: o is how often the pair was given, e the product of how often
    each label was, over n. Degrees of freedom are (labels - 1) of one times that of the other, and nothing is corrected
    for continuity. It is None where one of them has given only one label. ValueError for unequal lengths.

    >>> chi_square([1] * 10 + [0] * 10, [1] * 8 + [0] * 10 + [1] * 2)[0]
    7.2
    """
    counts = Counter(zip(first, second, strict=True))
    a, b = Counter(first), Counter(second)
    free = (len(a) - 1) * (len(b) - 1)
    if free < 1:
        return None
    expected = {(x, y): a[x] * b[y] / len(first) for x in a for y in b}
    statistic = math.fsum((counts[pair] - e) ** 2 / e for pair, e in expected.items())
    return statistic, _chance_above(statistic, free)


def by_label(people: Sequence[_Label], judge: Sequence[_Label]) -> dict[_Label, tuple[float, float, float]]:
    """Return the judge's (precision, recall, F1) for each label that occurs, taking the people's labels as right.

    Of a label that the judge never gives precision is 0, of one that people never give recall. ValueError for unequal
    lengths.

    >>> by_label([1, 1, 0], [1, 0, 0])[1]
    (1.0, 0.5, 0.6666666666666666)
    """
    pairs = Counter(zip(people, judge, strict=True))
    people_counts, judge_counts = Counter(people), Counter(judge)
    scores = {}
    for label in dict.fromkeys([*people_counts, *judge_counts]):
        right = pairs[label, label]
        precision, recall = right / max(1, judge_counts[label]), right / max(1, people_counts[label])
        scores[label] = precision, recall, 2 * right / (people_counts[label] + judge_counts[label])
    return scores


def friedman(blocks: Sequence[Sequence[float]]) -> tuple[float, float] | None:
    """Return Friedman's chi-square of three methods or more, and p, the chance of as much where all are alike.

    Each block is one question: a value of every method, in one order. They are ranked within the block, equal values by
    the mean of their ranks: 12 / (n k (k + 1)) times the sum of squared rank sums, minus 3 n (k + 1), over 1 minus the
    sum of t^3 - t over n (k^3 - k) for ties of t; k - 1 degrees of freedom (Friedman 1937, Conover 1999). It is None
    for fewer than three methods or two blocks, and where each block has one value alone. ValueError for unequal blocks.

    >>> friedman([[1, 2, 3], [1, 2, 3]])[0]
    4.0
    """
    n, k = len(blocks), len(blocks[0]) if blocks else 0
    columns = list(zip(*(_ranks(block) for block in blocks), strict=True))
    ties = sum(t**3 - t for block in blocks for t in Counter(block).values())
    shared = 1 - ties / (n * (k**3 - k)) if n > 1 and k > 2 else 0.0
    if shared <= 0:
        return None
    squares = math.fsum(math.fsum(column) ** 2 for column in columns)
    statistic = max(0.0, (12 / (n * k * (k + 1)) * squares - 3 * n * (k + 1)) / shared)
    return statistic, _chance_above(statistic, k - 1)


def _chance_above(value: float, free: int) -> float:
    """Return p, the probability of a chi-square above a value, by the recurrence over `free` degrees of freedom."""
    half = value / 2
    p, at = (math.erfc(math.sqrt(half)), 1) if free % 2 else (math.exp(-half), 2)
    while at < free:
        p += math.exp(at / 2 * math.log(half) - half - math.lgamma(at / 2 + 1)) if half else 0.0
        at += 2
    return p


def pearson(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Return Pearson's r, the sum of (x - mean x)(y - mean y) over the root of the product of the sums of squares.

    It is None for fewer than two cases, and where one side is constant: the sum of its squares is 0. ValueError for
    unequal lengths.

    >>> round(pearson([1, 2, 3], [1, 3, 2]) or 0, 3)
    0.5
    """
    pairs = list(zip(first, second, strict=True))
    if len(set(first)) < 2 or len(set(second)) < 2:
        return None
    a, b = math.fsum(first) / len(pairs), math.fsum(second) / len(pairs)
    both = math.fsum((x - a) * (y - b) for x, y in pairs)
    spread = math.sqrt(math.fsum((x - a) ** 2 for x, _ in pairs) * math.fsum((y - b) ** 2 for _, y in pairs))
    return max(-1.0, min(1.0, both / spread)) if spread else None


def spearman(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Return Spearman's rho: Pearson's r of the ranks, where values that are alike share the mean of their ranks.

    >>> spearman([1, 2, 30], [5, 6, 7])
    1.0
    """
    return pearson(_ranks(first), _ranks(second))


def _ranks(values: Sequence[float]) -> list[float]:
    """Return the rank of each value, from 1; those that are alike have the mean of the ranks that they take up."""
    counts, before, rank = Counter(values), 0, {}
    for value in sorted(counts):
        rank[value] = before + (counts[value] + 1) / 2
        before += counts[value]
    return [rank[value] for value in values]
