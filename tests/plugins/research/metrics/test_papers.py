"""The figures of the single papers: worked examples, hand-computed cases, bounds, symmetry and order."""

import doctest
import importlib

import pytest
from hypothesis import strategies as st

from evaluation.metrics.core import PageBox
from plugins.research.metrics import box_accuracy, citevqa, reciprocal_rank, relaxed_exact_match
from plugins.research.metrics import mcitebench as mcite

GRADES = st.sampled_from([0.0, 0.5, 1.0])


@pytest.mark.parametrize("name", ["citevqa", "mavis", "mcitebench", "ranking", "visa"])
def test_the_worked_examples_are_right(name: str) -> None:
    done = doctest.testmod(importlib.import_module(f"plugins.research.metrics.{name}"))
    assert done.attempted > 1
    assert done.failed == 0


# ---- CiteVQA -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "relevance", "recall", "wanted"),
    [
        (4, 4, 0.0, 1.0), (4, 3, 0.6, 1.0), (5, 3, 0.59, 0.0), (3.9, 5, 1.0, 0.0), (3.99, 5, 1.0, 0.0),
        (5, 3.99, 0.0, 0.0), (5, None, 0.6, 1.0), (5, None, 0.5, None), (5, 3, None, None), (2, None, None, 0.0),
        (None, 5, 1.0, None),
    ],
)  # fmt: skip
def test_strict_attributed_accuracy_by_hand(
    answer: float | None, relevance: float | None, recall: float | None, wanted: float | None
) -> None:
    assert citevqa.strict_attributed_accuracy(answer, relevance, recall) == wanted


# ---- VISA ----------------------------------------------------------------------------------------------------------


def test_box_accuracy_wants_the_right_page() -> None:
    gold = [PageBox(1, (0, 0, 1, 1), 2)]
    assert box_accuracy(gold, PageBox(1, (0, 0, 1, 1), 2)) == 1
    assert box_accuracy(gold, PageBox(1, (0, 0, 1, 1), 1)) == 0
    assert box_accuracy(gold, PageBox(1, (0, 0, 1, 0.49), 2)) == 0
    assert box_accuracy(gold, None) == 0
    assert box_accuracy([], None) is None


@pytest.mark.parametrize(
    ("gold", "said"),
    [("0.922", "0.92"), ("1,200", "1200"), ("5 mg/kg", "5mg/kg"), ("colour", "color"), ("北京", "答案是北京")],
)
def test_relaxed_exact_match_is_of_characters(gold: str, said: str) -> None:
    """VISA, arXiv 2412.14457, section 5: one answer is a subsequence of the other, character by character."""
    assert relaxed_exact_match(gold, said)
    assert not relaxed_exact_match(gold, "x")


# ---- MCiteBench ----------------------------------------------------------------------------------------------------


def test_citation_figures_by_hand() -> None:
    assert mcite.citation_recall([1.0, 0.5, 0.0, 0.5]) == 0.5
    assert mcite.citation_recall([1.0, None]) is None
    assert mcite.citation_recall([]) is None
    assert mcite.citation_precision([[1.0, 0.0], [1.0, 1.0], []]) == 0.75
    assert mcite.citation_precision([[], []]) == 0
    assert mcite.citation_precision([[None], [1.0]]) is None


# ---- MAVIS ---------------------------------------------------------------------------------------------------------


def test_the_reciprocal_rank_is_of_the_first_relevant_document() -> None:
    gains = {"two": 1, "x": 0, "z": 2}
    assert reciprocal_rank(gains, ["x", "y", "z", "two"], 10) == pytest.approx(1 / 3)
    assert reciprocal_rank(gains, ["x", "y", "z"], 2) == 0
    assert reciprocal_rank({"x": 0}, ["x"], 2) is None
