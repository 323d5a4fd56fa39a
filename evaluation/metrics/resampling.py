"""The certainty of a figure, and of a difference between two runs: bootstrap intervals and paired permutation tests.

Everything is seeded: the same values give the same interval. Questions about one document resemble each other, so whole
documents can be drawn in the place of questions.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

DRAWS = 1000
INTERVAL = ((1 - 0.95) / 2, (1 + 0.95) / 2)
"""The quantiles of the draws between which 95% of them lie."""
FLIPS = 10_000
EXACT = 13
"""The most pairs that differ for which every way of flipping them is counted."""
TINY = 1e-12
"""The share of the whole spread below which a draw is constant, but for rounding."""
CELLS = 4_000_000
"""The most numbers that are drawn at once: 32 MB."""


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """The mean of b - a over `n` common questions, its 95% interval, and the probability of one as large by chance."""

    value: float
    low: float
    high: float
    p: float
    n: int


def interval(values: Sequence[float], clusters: Sequence[Hashable] | None = None) -> tuple[float, float] | None:
    """Return the percentile bootstrap interval of the mean (Efron 1979); None for fewer than two clusters.

    `clusters` say which values belong together; a draw takes whole clusters, with replacement, as many as there are.
    """
    array = np.asarray(values, dtype=np.float64)
    sums, counts = _by_cluster(array, clusters)
    if len(sums) < 2:
        return None
    random = np.random.default_rng(0)
    means = np.concatenate(
        [
            (sums[sample].sum(axis=1) / counts[sample].sum(axis=1))
            for rows in _batch_sizes(DRAWS, len(sums))
            for sample in [random.integers(0, len(sums), (rows, len(sums)))]
        ]
    )
    low, high = np.quantile(means, INTERVAL)
    return float(low), float(high)


def interval_of(
    counts: NDArray[np.float64], figure: Callable[[NDArray[np.float64]], NDArray[np.float64]]
) -> tuple[float, float] | None:
    """Return the percentile bootstrap interval of a figure of sums, such as F1; None for fewer than two rows.

    `counts` (n, k) has a row an item; `figure` turns the sums of draws (d, k) into its value for each (d,). Items that
    have the same counts are drawn as one kind of item, which is the same and quicker.
    """
    if len(counts) < 2:
        return None
    kinds, sizes = np.unique(counts, axis=0, return_counts=True)
    samples = np.random.default_rng(0).multinomial(len(counts), sizes / len(counts), DRAWS)
    low, high = np.quantile(figure(samples @ kinds), INTERVAL)
    return float(low), float(high)


def correlation_interval(
    first: Sequence[float], second: Sequence[float], clusters: Sequence[Hashable] | None = None
) -> tuple[float, float] | None:
    """Return the percentile bootstrap interval of Pearson's r (Efron 1979), over pairs or whole clusters of them.

    A draw in which one side is constant has no r and is left out; None where that is more than half of the draws, and
    for fewer than two clusters. Raises ValueError for unequal lengths.
    """
    x, y = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if len(x) != len(y):
        raise ValueError(f"{len(x)} values beside {len(y)}")
    if not len(x):
        return None
    x, y = x - x.mean(), y - y.mean()
    totals = [_by_cluster(values, clusters) for values in (x, y, x * x, y * y, x * y)]
    sums, counts = np.stack([total for total, _ in totals]), totals[0][1]
    if len(counts) < 2:
        return None
    random, draws = np.random.default_rng(0), []
    for rows in _batch_sizes(DRAWS, 5 * len(counts)):
        sample = random.integers(0, len(counts), (rows, len(counts)))
        mx, my, xx, yy, xy = sums[:, sample].sum(axis=2) / counts[sample].sum(axis=1)
        spread = np.maximum(xx - mx**2, 0) * np.maximum(yy - my**2, 0)
        valid = spread > TINY * x.var() * y.var()
        draws.append((xy - mx * my)[valid] / np.sqrt(spread[valid]))
    correlations = np.concatenate(draws)
    if len(correlations) * 2 < DRAWS or not len(correlations):
        return None
    low, high = np.quantile(np.clip(correlations, -1, 1), INTERVAL)
    return float(low), float(high)


def difference(
    a: Sequence[float], b: Sequence[float], clusters: Sequence[Hashable] | None = None
) -> PairedDifference | None:
    """Compare b with a on the same questions: interval by bootstrap over pairs, p by flipping signs; None without any.

    The permutation test (Fisher 1935) asks how often the mean of the differences would be as far from 0 if it were a
    matter of chance which run a value came from: exactly for few pairs, else by 10,000 draws, of which the observed one
    counts as one more. Raises ValueError for unequal lengths.
    """
    pairs = list(zip(a, b, strict=True))
    if not pairs:
        return None
    gaps = np.array([y - x for x, y in pairs], dtype=np.float64)
    bounds = interval(gaps.tolist(), clusters) or (float(gaps.mean()), float(gaps.mean()))
    return PairedDifference(float(gaps.mean()), *bounds, _chance(gaps[gaps != 0]), len(pairs))


def _chance(gaps: NDArray[np.float64]) -> float:
    """Return the probability of a sum at least as far from 0 if every sign is random: p of the permutation test."""
    if not len(gaps):
        return 1.0
    statistic = abs(gaps.sum()) * (1 - 1e-12)
    if len(gaps) <= EXACT:
        signs = 1 - 2 * ((np.arange(2 ** len(gaps))[:, None] >> np.arange(len(gaps))) & 1)
        return float((np.abs(signs @ gaps) >= statistic).mean())
    random = np.random.default_rng(0)
    as_far = sum(
        int((np.abs((1 - 2 * random.integers(0, 2, (rows, len(gaps)))) @ gaps) >= statistic).sum())
        for rows in _batch_sizes(FLIPS, len(gaps))
    )
    return (as_far + 1) / (FLIPS + 1)


def _by_cluster(
    values: NDArray[np.float64], clusters: Sequence[Hashable] | None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the sum and the number of the values of each cluster; without clusters, each value is its own cluster."""
    if clusters is None:
        return values, np.ones(len(values))
    numbers: dict[Hashable, int] = {}
    members = np.array([numbers.setdefault(c, len(numbers)) for c in clusters], dtype=np.int64)
    if len(members) != len(values):
        raise ValueError(f"{len(values)} values, but {len(members)} clusters")
    sums: NDArray[np.float64] = np.bincount(members, values, len(numbers)).astype(np.float64)
    return sums, np.bincount(members, minlength=len(numbers)).astype(np.float64)


def _batch_sizes(rows: int, width: int) -> list[int]:
    """Split a number of rows, of `width` numbers each, into batch sizes of at most CELLS numbers."""
    size = max(1, min(rows, CELLS // max(1, width)))
    return [min(size, rows - at) for at in range(0, rows, size)]
