"""Metrics of papers, by hand and by laws that they keep, and their intervals by resampling."""

import doctest
import importlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.metrics import agreement as agree
from evaluation.metrics.core import PageBox
from evaluation.metrics.resampling import correlation_interval, difference, interval


@st.composite
def boxes(draw: st.DrawFn) -> PageBox:
    x0, y0 = draw(st.floats(0, 0.9)), draw(st.floats(0, 0.9))
    x1, y1 = draw(st.floats(x0 + 0.01, 1)), draw(st.floats(y0 + 0.01, 1))
    return PageBox(draw(st.integers(1, 3)), (x0, y0, x1, y1), draw(st.integers(1, 2)))


MANY = st.lists(boxes(), max_size=5)
GRADES = st.sampled_from([0.0, 0.5, 1.0])


@pytest.mark.parametrize("name", ["core", "agreement"])
def test_the_worked_examples_are_right(name: str) -> None:
    done = doctest.testmod(importlib.import_module(f"evaluation.metrics.{name}"))
    assert done.attempted > 1
    assert done.failed == 0


# ---- MMDocIR -------------------------------------------------------------------------------------------------------


# ---- judges --------------------------------------------------------------------------------------------------------


def test_correlations_by_hand() -> None:
    """Pearson 1895: 1, 2, 3, 4 beside 1, 3, 2, 6: sum of products 7, of squares 5 and 14; of the ranks 4, 5 and 5."""
    assert agree.pearson([1, 2, 3, 4], [1, 3, 2, 6]) == pytest.approx(7 / 70**0.5)
    assert agree.spearman([1, 2, 3, 4], [1, 3, 2, 6]) == pytest.approx(0.8)
    assert agree.pearson([0, 1], [1, 0]) == -1
    for constant in ([], [1], [2, 2, 2]):
        assert agree.pearson(constant, constant) is None
        assert agree.spearman(constant, constant) is None
    with pytest.raises(ValueError, match="zip"):
        agree.pearson([1, 2], [1, 2, 3])


def test_chi_square_of_two_reviewers_by_hand() -> None:
    """Pearson 1900: yes-yes 20, yes-no 5, no-yes 10, no-no 15 of 50; expected 15, 10, 15, 10, so 25 (2/15 + 2/10).

    8.333 with one degree of freedom has p 0.00389. Of three labels each (4 degrees) a chi-square of 9.488 has p 0.05.
    """
    a = ["y"] * 25 + ["n"] * 25
    b = ["y"] * 20 + ["n"] * 5 + ["y"] * 10 + ["n"] * 15
    found, p = agree.chi_square(a, b) or (0, 0)
    assert found == pytest.approx(25 * (2 / 15 + 2 / 10))
    assert p == pytest.approx(0.0038924, abs=1e-6)
    assert agree.chi_square(b, a) == pytest.approx((found, p))
    assert [agree._chance_above(9.487729, 4), agree._chance_above(7.814728, 3)] == pytest.approx([0.05, 0.05], abs=1e-6)
    assert agree.chi_square([0, 0, 1, 1], [0, 1, 0, 1]) == (0, 1)
    assert agree.chi_square(["y", "y"], ["y", "n"]) is None


def test_friedman_by_hand() -> None:
    """Friedman 1937, four questions and three methods, ranks 1 2 3, 1 2 3, 1 3 2 and 2 1 3: sums 5, 8 and 11.

    12 / (4 * 3 * 4) * (25 + 64 + 121) - 3 * 4 * 4 = 52.5 - 48 = 4.5, p = exp(-4.5 / 2). With a tie in one of two
    questions, ranks 1 2 3 and 1.5 1.5 3: (12 / 24 * (6.25 + 12.25 + 36) - 24) / (1 - 6 / 48) = 3.25 / 0.875.
    """
    found, p = agree.friedman([[1, 2, 3], [10, 20, 30], [0, 9, 4], [2, 1, 3]]) or (0, 0)
    assert found == pytest.approx(4.5)
    assert p == pytest.approx(0.1053992, abs=1e-6)
    tied, _ = agree.friedman([[1, 2, 3], [5, 5, 6]]) or (0, 0)
    assert tied == pytest.approx(3.25 / 0.875)
    for too_few in ([], [[1, 2, 3]], [[1, 2], [2, 1]], [[1, 1, 1], [2, 2, 2]]):
        assert agree.friedman(too_few) is None
    with pytest.raises(ValueError, match="zip"):
        agree.friedman([[1, 2, 3], [1, 2]])


SHARES = st.lists(st.floats(0, 1), min_size=2, max_size=40)


def test_the_interval_of_a_coin_is_that_of_the_binomial() -> None:
    """Mean of 400 coins: 0.5 ± 1.96 x 0.5 / 20."""
    found = interval([0.0, 1.0] * 200)
    assert found == pytest.approx((0.451, 0.549), abs=0.006)


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=30))
def test_swapping_the_runs_turns_the_difference_round(pairs: list[tuple[float, float]]) -> None:
    a, b = [x for x, _ in pairs], [y for _, y in pairs]
    there, back = difference(a, b), difference(b, a)
    assert there is not None
    assert back is not None
    assert there.value == pytest.approx(-back.value)
    assert there.p == pytest.approx(back.p, abs=0.05)
    assert 0 < there.p <= 1


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
