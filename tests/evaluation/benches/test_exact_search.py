"""Exact search in numpy: scores against the formulas written out, recall with ties."""

from __future__ import annotations

import numpy as np
import pytest

from evaluation.benches.exact_search import ELEMENT_WEIGHT, Everything, best, recall
from evaluation.benches.inputs import numbers
from evaluation.benches.search import exact_pages
from indexing.embed.protocol import QueryVectors


@pytest.fixture
def small() -> Everything:
    """Two pages: elements of 2 and 1 tokens on the first, one of 3 tokens on the second."""
    vectors = np.random.default_rng(0).integers(-127, 128, (6, 4)).astype(np.int8)
    starts, owners = np.array([0, 2, 3]), np.array([0, 0, 1])
    return Everything(vectors, np.array([0, 3]), starts, owners, np.array([7, 8, 9]), (("a", 1), ("b", 1)))


@pytest.fixture
def query() -> QueryVectors:
    vectors = np.random.default_rng(1).normal(size=(3, 4)).astype(np.float32)
    return QueryVectors(vectors, np.array([0.5, 0.3, 0.2], np.float32), ("x", "y", "z"))


def maxsim(query: QueryVectors, vectors: np.ndarray, weights: np.ndarray) -> float:
    return float(sum(w * max(q @ v for v in vectors) for q, w in zip(query.vectors, weights, strict=True)))


def test_element_scores_are_the_formula_of_search(small: Everything, query: QueryVectors) -> None:
    own = small.vectors.astype(np.float32) / 127
    pages = [maxsim(query, own[:3], query.weights), maxsim(query, own[3:], query.weights)]
    elements = [maxsim(query, own[a:b], query.weights) for a, b in ((0, 2), (2, 3), (3, 6))]
    wanted = [ELEMENT_WEIGHT * e + (1 - ELEMENT_WEIGHT) * pages[p] for e, p in zip(elements, (0, 0, 1), strict=True)]
    assert small.element_scores(query) == pytest.approx(wanted, rel=1e-5)


def test_unweighted_page_scores_are_sums_of_cosines(small: Everything, query: QueryVectors) -> None:
    units = small.vectors / np.linalg.norm(small.vectors.astype(np.float32), axis=1, keepdims=True)
    wanted = [maxsim(query, units[:3], np.ones(3)), maxsim(query, units[3:], np.ones(3))]
    assert small.page_scores(query, weighted=False) == pytest.approx(wanted, rel=1e-5)


def test_a_page_is_as_good_as_its_best_element(small: Everything) -> None:
    assert exact_pages(small, np.array([0.2, 0.5, 0.4], np.float32)).tolist() == pytest.approx([0.5, 0.4])


def test_the_best_come_in_order() -> None:
    assert best(np.array([0.1, 0.9, 0.5], np.float32), 2).tolist() == [1, 2]
    assert best(np.array([0.1], np.float32), 5).tolist() == [0]


@pytest.mark.parametrize(("found", "share"), [([0.9, 0.8], 1.0), ([0.9, 0.5], 0.5), ([0.9, 0.79999], 1.0), ([], 0.0)])
def test_recall_counts_ties_at_the_end_as_found(found: list[float], share: float) -> None:
    exact = np.array([0.9, 0.8, 0.8, 0.5], np.float32)
    assert recall(np.array(found, np.float32), exact, 2) == share


def test_sweeps_are_written_as_tuples_of_numbers() -> None:
    assert numbers(2)("50:20,100:40") == [(50, 20), (100, 40)]
    assert numbers(3)("") == []
