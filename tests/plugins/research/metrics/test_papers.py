"""The figures of the single papers: worked examples, hand-computed cases, bounds, symmetry and order."""

from __future__ import annotations

import doctest
import importlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.metrics.core import PageBox, citation_recall, met
from plugins.research.metrics import box_accuracy, citevqa, mavis, ndcg, recall_at, reciprocal_rank, relaxed_exact_match
from plugins.research.metrics import mcitebench as mcite

GRADES = st.sampled_from([0.0, 0.5, 1.0])


@pytest.mark.parametrize("name", ["citevqa", "mavis", "mcitebench", "ranking", "visa"])
def test_the_worked_examples_are_right(name: str) -> None:
    done = doctest.testmod(importlib.import_module(f"plugins.research.metrics.{name}"))
    assert done.attempted > 1
    assert done.failed == 0


# ---- CiteVQA -------------------------------------------------------------------------------------------------------


def test_boxes_on_the_same_page_of_another_document_do_not_meet() -> None:
    gold, cited = [PageBox(1, (0, 0, 1, 1), 1)], [PageBox(1, (0, 0, 1, 1), 2)]
    assert met(gold, cited) == 0
    assert citation_recall(gold, cited) == 0
    assert citevqa.page_recall(gold, cited) == 0


@pytest.mark.parametrize(
    ("answer", "relevance", "recall", "wanted"),
    [
        (4, 4, 0.0, 1.0),
        (4, 3, 0.6, 1.0),
        (5, 3, 0.59, 0.0),
        (3.9, 5, 1.0, 0.0),
        (3.99, 5, 1.0, 0.0),
        (5, 3.99, 0.0, 0.0),
        (5, None, 0.6, 1.0),
        (5, None, 0.5, None),
        (5, 3, None, None),
        (2, None, None, 0.0),
        (None, 5, 1.0, None),
    ],
)
def test_strict_attributed_accuracy_by_hand(
    answer: float | None, relevance: float | None, recall: float | None, wanted: float | None
) -> None:
    assert citevqa.strict_attributed_accuracy(answer, relevance, recall) == wanted


@given(st.floats(0, 5), st.floats(0, 5), st.floats(0, 1))
def test_saa_never_falls_when_a_score_rises(answer: float, relevance: float, recall: float) -> None:
    now = citevqa.strict_attributed_accuracy(answer, relevance, recall)
    assert now is not None
    for better in ((5.0, relevance, recall), (answer, 5.0, recall), (answer, relevance, 1.0)):
        found = citevqa.strict_attributed_accuracy(*better)
        assert found is not None
        assert found >= now


# ---- VISA ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("gold", "said", "wanted"),
    [
        ("Albert Einstein", "albert einstein.", True),
        ("the Eiffel Tower", "Eiffel Tower", True),
        ("1905", "in 1905", True),
        ("Einstein", "Albert Einstein, born in Ulm in 1879", False),  # more than 20 characters more
        ("0.922", "0.92", True),
        ("1,200", "1200", True),
        ("3.5 kg", "35 kg", True),  # lenient, as the paper has it: all of 35 kg stands in 3.5 kg, in this order
        ("5 mg/kg", "5mg/kg", True),
        ("colour", "color", True),
        ("北京", "答案是北京", True),
        ("3.5 kg", "53 kg", False),
        ("0.922", "The Cronbach's alpha of the scale is 0.922.", False),  # 38 characters more
        ("Einstein", f"Einstein {'x' * 19}", True),  # 20 characters more, the blank between them counted
        ("Einstein", f"Einstein {'x' * 20}", False),
        ("Albert Einstein", "Einstein, Albert", False),
        ("north", "south", False),
        ("", "anything", False),
        ("yes", "", False),
    ],
)
def test_relaxed_exact_match_by_hand(gold: str, said: str, wanted: bool) -> None:
    """VISA, arXiv 2412.14457, section 5: a subsequence of characters, and 20 characters of difference at most."""
    assert relaxed_exact_match(gold, said) is wanted


@given(st.text(max_size=40), st.text(max_size=40))
def test_relaxed_exact_match_is_symmetric_and_knows_itself(a: str, b: str) -> None:
    assert relaxed_exact_match(a, b) == relaxed_exact_match(b, a)
    assert relaxed_exact_match(a, a) == bool(a.split())


def test_box_accuracy_wants_the_right_page() -> None:
    gold = [PageBox(1, (0, 0, 1, 1), 2)]
    assert box_accuracy(gold, PageBox(1, (0, 0, 1, 1), 2)) == 1
    assert box_accuracy(gold, PageBox(1, (0, 0, 1, 1), 1)) == 0
    assert box_accuracy(gold, PageBox(1, (0, 0, 1, 0.49), 2)) == 0
    assert box_accuracy(gold, None) == 0
    assert box_accuracy([], None) is None


# ---- MCiteBench ----------------------------------------------------------------------------------------------------


def test_citation_figures_by_hand() -> None:
    assert mcite.citation_recall([1.0, 0.5, 0.0, 0.5]) == 0.5
    assert mcite.citation_recall([1.0, None]) is None
    assert mcite.citation_recall([]) is None
    assert mcite.citation_precision([[1.0, 0.0], [1.0, 1.0], []]) == 0.75
    assert mcite.citation_precision([[], []]) == 0
    assert mcite.citation_precision([[None], [1.0]]) is None


@given(st.sets(st.sampled_from("abcde"), min_size=1), st.sets(st.sampled_from("abcde")))
def test_sources_match_exactly_where_f1_is_1(gold: set[str], cited: set[str]) -> None:
    f1, exact = mcite.source_f1(gold, cited), mcite.source_exact_match(gold, cited)
    assert f1 is not None
    assert 0 <= f1 <= 1
    assert (f1 == 1) == (exact == 1) == (gold == cited)
    if cited:
        assert mcite.source_f1(cited, gold) == pytest.approx(f1)


# ---- MAVIS ---------------------------------------------------------------------------------------------------------


def test_ndcg_by_hand() -> None:
    """Gold at ranks 1 and 3: (1 + 1/2) / (1 + 1/log2(3))."""
    assert ndcg({"a": 1, "b": 1}, ["a", "x", "b"], 10) == pytest.approx(1.5 / (1 + 1 / 1.5849625))
    assert ndcg({"a": 1}, ["x"] * 10 + ["a"], 10) == 0
    assert ndcg({}, ["a"], 10) is None


def test_gains_are_graded_and_cut_at_k() -> None:
    """Grade 1 at rank 1 and grade 2 at rank 6: @5 (1) / (2 + 1/log2(3)); @10 (1 + 2/log2(7)) by the same."""
    ranked = ["one", "x", "y", "z", "none", "two"]
    gains = {"one": 1, "two": 2, "none": 0, "bad": -1}
    assert ndcg(gains, ranked, 5) == pytest.approx(1 / (2 + 1 / 1.5849625))
    assert ndcg(gains, ranked, 10) == pytest.approx((1 + 2 / 2.8073549) / (2 + 1 / 1.5849625))
    assert ndcg({"bad": -1, "none": 0}, ranked, 5) is None
    assert (recall_at(gains, ranked, 5), recall_at(gains, ranked, 10), recall_at({"a": 0}, ranked, 5)) == (0.5, 1, None)


def test_the_reciprocal_rank_is_of_the_first_relevant_document() -> None:
    gains = {"two": 1, "x": 0, "z": 2}
    assert reciprocal_rank(gains, ["x", "y", "z", "two"], 10) == pytest.approx(1 / 3)
    assert reciprocal_rank(gains, ["x", "y", "z"], 2) == 0
    assert reciprocal_rank({"x": 0}, ["x"], 2) is None


@given(st.sets(st.integers(0, 20), min_size=1), st.permutations(range(21)))
def test_a_perfect_ranking_has_ndcg_1_and_no_other_more(gold: set[int], ranked: list[int]) -> None:
    names, order = {str(g) for g in gold}, [str(r) for r in ranked]
    perfect = sorted(order, key=lambda name: name not in names)
    assert ndcg(dict.fromkeys(names, 1), perfect, 10) == pytest.approx(1)
    found = ndcg(dict.fromkeys(names, 1), order, 10)
    assert found is not None
    assert 0 <= found <= 1 + 1e-9


def test_what_is_not_judged_leaves_the_figure_blank() -> None:
    assert mavis.completeness([1.0, None]) is None
    assert mavis.relevance([]) == 0
    assert mavis.relevance([None]) is None
    assert mavis.grounded_precision([[1.0, None]]) is None
    assert mavis.grounded_precision([[], []]) == 0
    assert mavis.grounded_recall([]) == 0
    assert mavis.informativeness(None, 1.0) is None
    assert mavis.utilization(0, 0) is None


def test_informativeness_is_f1_and_no_mean() -> None:
    assert mavis.informativeness(0.5, 1.0) == pytest.approx(2 / 3)


@given(st.lists(GRADES, min_size=1), st.lists(st.lists(GRADES), min_size=1))
def test_mavis_figures_are_shares(flat: list[float], nested: list[list[float]]) -> None:
    found = (
        mavis.completeness(flat),
        mavis.relevance(flat),
        mavis.grounded_recall(flat),
        mavis.grounded_precision(nested),
    )
    assert all(value is not None and 0 <= value <= 1 for value in found)
