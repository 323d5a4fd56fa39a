"""The figures of MMDocIR and of judges: worked examples, hand-computed cases, bounds, symmetry and order."""

from __future__ import annotations

import doctest
import importlib
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.metrics import agreement as agree
from evaluation.metrics import mmdocir
from evaluation.metrics.core import PageBox


@st.composite
def boxes(draw: st.DrawFn) -> PageBox:
    x0, y0 = draw(st.floats(0, 0.9)), draw(st.floats(0, 0.9))
    x1, y1 = draw(st.floats(x0 + 0.01, 1)), draw(st.floats(y0 + 0.01, 1))
    return PageBox(draw(st.integers(1, 3)), (x0, y0, x1, y1), draw(st.integers(1, 2)))


MANY = st.lists(boxes(), max_size=5)
GRADES = st.sampled_from([0.0, 0.5, 1.0])


@pytest.mark.parametrize("name", ["core", "agreement", "mmdocir"])
def test_the_worked_examples_are_right(name: str) -> None:
    done = doctest.testmod(importlib.import_module(f"evaluation.metrics.{name}"))
    assert done.attempted > 1
    assert done.failed == 0


# ---- MMDocIR -------------------------------------------------------------------------------------------------------


def test_layout_recall_by_hand() -> None:
    gold = [PageBox(1, (0, 0, 0.5, 0.5)), PageBox(2, (0, 0, 1, 0.25))]  # a quarter of a page each
    half = PageBox(1, (0, 0, 0.25, 1))  # half of the first
    assert mmdocir.layout_recall(gold, [half], 1) == pytest.approx(0.25)
    assert mmdocir.layout_recall(gold, [half, half], 2) == pytest.approx(0.25)  # what is covered twice counts once
    assert mmdocir.layout_recall(gold, [half, PageBox(2, (0, 0, 1, 1))], 2) == pytest.approx(0.75)
    assert mmdocir.layout_recall(gold, [PageBox(0, (0, 0, 1, 1))], 1) == 0
    assert mmdocir.layout_recall([], [half], 1) is None


@given(MANY, MANY, st.integers(1, 6))
def test_layout_recall_grows_with_k_and_stays_a_share(gold: list[PageBox], found: list[PageBox], k: int) -> None:
    now, more = mmdocir.layout_recall(gold, found, k), mmdocir.layout_recall(gold, found, k + 1)
    if gold:
        assert now is not None
        assert more is not None
        assert 0 <= now <= more + 1e-9 <= 1 + 2e-9
        assert mmdocir.layout_recall(gold, gold, len(gold)) == pytest.approx(1)
    else:
        assert now is None


@given(boxes(), st.lists(boxes(), max_size=6), st.randoms(use_true_random=False))
def test_what_is_covered_does_not_depend_on_order(box: PageBox, by: list[PageBox], order: random.Random) -> None:
    shuffled = [b.bbox for b in by]
    order.shuffle(shuffled)
    once = mmdocir.covered(box.bbox, [b.bbox for b in by])
    assert once == pytest.approx(mmdocir.covered(box.bbox, shuffled), abs=1e-9)
    assert once <= mmdocir.area(box.bbox) + 1e-9


# ---- judges --------------------------------------------------------------------------------------------------------


def test_kappa_by_hand() -> None:
    """50 cases, 20 yes-yes, 15 no-no, 5 yes-no, 10 no-yes: p_o = 0.7, p_e = 0.5 x 0.6 + 0.5 x 0.4 = 0.5, kappa 0.4."""
    a = ["y"] * 25 + ["n"] * 25
    b = ["y"] * 20 + ["n"] * 5 + ["y"] * 10 + ["n"] * 15
    assert agree.kappa(a, b) == pytest.approx(0.4)
    assert agree.kappa([], []) is None
    assert agree.kappa(["y", "y"], ["y", "y"]) is None


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1))
def test_kappa_is_symmetric_at_most_1_and_1_only_in_agreement(pairs: list[tuple[int, int]]) -> None:
    a, b = [x for x, _ in pairs], [y for _, y in pairs]
    for measure in (agree.kappa, agree.weighted_kappa):
        found = measure(a, b)
        assert found == pytest.approx(measure(b, a)) if found is not None else measure(b, a) is None
        if found is not None:
            assert found <= 1 + 1e-9
            assert (abs(found - 1) < 1e-9) == (a == b)


def test_a_near_miss_weighs_less_than_a_wide_one() -> None:
    near = agree.weighted_kappa([0, 5, 3, 4], [0, 5, 3, 5])
    wide = agree.weighted_kappa([0, 5, 3, 4], [0, 5, 3, 0])
    assert near is not None
    assert wide is not None
    assert near > wide
    assert agree.kappa([0, 5, 3, 4], [0, 5, 3, 1]) == agree.kappa([0, 5, 3, 4], [0, 5, 3, 2])


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
    assert [agree._above(9.487729, 4), agree._above(7.814728, 3)] == pytest.approx([0.05, 0.05], abs=1e-6)
    assert agree.chi_square([0, 0, 1, 1], [0, 1, 0, 1]) == (0, 1)
    assert agree.chi_square(["y", "y"], ["y", "n"]) is None


@given(st.lists(st.tuples(GRADES, GRADES), min_size=2), st.floats(0.1, 9), st.floats(-5, 5))
def test_pearson_is_symmetric_and_free_of_scale(pairs: list[tuple[float, float]], scale: float, shift: float) -> None:
    a, b = [x for x, _ in pairs], [y for _, y in pairs]
    found = agree.pearson(a, b)
    assert agree.pearson(b, a) == (None if found is None else pytest.approx(found))
    moved = agree.pearson([scale * x + shift for x in a], b)
    assert moved == (None if found is None else pytest.approx(found, abs=1e-6))


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


def test_precision_and_recall_of_each_label_by_hand() -> None:
    """MCiteBench, table 12: people say 2 2 2 1 0 0, a judge 2 2 1 1 1 0. Of 2 P 2/2, R 2/3; of 1 P 1/3, R 1/1."""
    found = agree.by_label([2, 2, 2, 1, 0, 0], [2, 2, 1, 1, 1, 0])
    assert found[2] == pytest.approx((1, 2 / 3, 4 / 5))
    assert found[1] == pytest.approx((1 / 3, 1, 1 / 2))
    assert found[0] == pytest.approx((1, 1 / 2, 2 / 3))
    assert agree.by_label([1], [0]) == {1: (0, 0, 0), 0: (0, 0, 0)}
