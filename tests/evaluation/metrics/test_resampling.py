"""Intervals and paired tests: hand-computed cases, bounds, symmetry, and that the same values give the same answer."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.metrics.resampling import correlation_interval, difference, interval

SHARES = st.lists(st.floats(0, 1), min_size=2, max_size=40)


@given(SHARES)
def test_the_interval_is_inside_the_values_and_the_same_again(values: list[float]) -> None:
    found = interval(values)
    assert found is not None
    low, high = found
    assert min(values) - 1e-9 <= low <= high <= max(values) + 1e-9
    assert interval(values) == found


def test_more_questions_make_the_interval_narrower_and_it_holds_the_mean() -> None:
    few, many = interval([0, 1] * 10), interval([0, 1] * 1000)
    assert few is not None
    assert many is not None
    assert many[1] - many[0] < (few[1] - few[0]) / 5
    assert few[0] < 0.5 < few[1]


def test_the_interval_of_a_coin_is_that_of_the_binomial() -> None:
    """Mean of 400 coins: 0.5 ± 1.96 x 0.5 / 20."""
    found = interval([0.0, 1.0] * 200)
    assert found == pytest.approx((0.451, 0.549), abs=0.006)


def test_whole_documents_are_drawn() -> None:
    """Ten questions a document, all alike: two documents say as much as two questions."""
    values, documents = [0.0] * 10 + [1.0] * 10, ["a"] * 10 + ["b"] * 10
    assert interval(values, documents) == (0.0, 1.0)
    assert interval([0.0, 1.0], ["a", "a"]) is None
    with pytest.raises(ValueError, match="2 values, but 1 clusters"):
        interval([0.0, 1.0], ["a"])


def test_few_pairs_are_tested_exactly() -> None:
    """Five pairs that all say the same: of 32 ways to flip them two are as far from 0."""
    found = difference([0] * 5, [1] * 5)
    assert found is not None
    assert found.p == 2 / 32
    assert (found.value, found.low, found.high, found.n) == (1.0, 1.0, 1.0, 5)


def test_runs_that_are_alike_do_not_differ() -> None:
    found = difference([0.2, 0.4, 1.0], [0.2, 0.4, 1.0])
    assert found is not None
    assert (found.value, found.p) == (0.0, 1.0)
    assert difference([], []) is None


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=30))
def test_swapping_the_runs_turns_the_difference_round(pairs: list[tuple[float, float]]) -> None:
    a, b = [x for x, _ in pairs], [y for _, y in pairs]
    there, back = difference(a, b), difference(b, a)
    assert there is not None
    assert back is not None
    assert there.value == pytest.approx(-back.value)
    assert there.p == pytest.approx(back.p, abs=0.05)
    assert 0 < there.p <= 1


def test_the_interval_of_a_correlation_is_about_fishers() -> None:
    """Fisher 1921: atanh r is normal with the deviation 1 / sqrt(n - 3); here r = 0.6 of 400 normal pairs."""
    dice = random.Random(3)
    x = [dice.gauss(0, 1) for _ in range(400)]
    y = [0.6 * v + 0.8 * dice.gauss(0, 1) for v in x]
    low, high = correlation_interval(x, y) or (0, 0)
    middle = math.atanh((low + high) / 2)
    assert low == pytest.approx(math.tanh(middle - 1.96 / 397**0.5), abs=0.02)
    assert high == pytest.approx(math.tanh(middle + 1.96 / 397**0.5), abs=0.02)
    assert low < 0.6 < high
    assert correlation_interval(x, y) == (low, high)


def test_whole_clusters_are_drawn_and_what_has_no_correlation_has_no_interval() -> None:
    x, y = [0.0, 1.0, 0.2, 0.9] * 5, [0.1, 0.8, 0.4, 0.3] * 5
    alone, together = correlation_interval(x, y), correlation_interval(x, y, [n // 4 for n in range(20)])
    assert alone is not None
    assert together is not None
    assert alone[1] - alone[0] > 0.1
    assert together[1] - together[0] < 1e-9, "each cluster is like every other"
    assert correlation_interval([0.0, 1.0, 2.0], [0.0, 1.0, 2.0]) == pytest.approx((1, 1))
    assert correlation_interval([1.0] * 5, [0.0, 1.0, 0.0, 1.0, 1.0]) is None
    assert correlation_interval(x, y, ["one"] * 20) is None
    assert correlation_interval([], []) is None
    with pytest.raises(ValueError, match="2 values beside 1"):
        correlation_interval([1.0, 2.0], [1.0])
