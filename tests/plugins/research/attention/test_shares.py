"""Shares of attention: worked examples, hand-computed cases, bounds, sums, and what order does not change."""

from __future__ import annotations

import doctest
import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from plugins.research.attention import cli as attention
from plugins.research.attention import model as attention_model
from plugins.research.attention import report as attention_report
from plugins.research.attention import shares
from plugins.research.attention.shares import Span, distribution, item_shares, of_members, per_token


@pytest.mark.parametrize("module", [shares, attention, attention_model])
def test_the_worked_examples_are_right(module: object) -> None:
    done = doctest.testmod(module)  # type: ignore[arg-type]  # it is one
    assert done.attempted > 0
    assert done.failed == 0


@st.composite
def cases(draw: st.DrawFn) -> tuple[NDArray[np.float64], list[Span]]:
    """Rows of attention that sum to 1, and spans that do not overlap, in any order."""
    layers, heads, answers = (draw(st.integers(1, 3)) for _ in range(3))
    cuts = sorted(draw(st.sets(st.integers(0, 12), min_size=2, max_size=6)))
    rng = np.random.default_rng(draw(st.integers(0, 1000)))
    rows = rng.dirichlet(np.ones(12 + draw(st.integers(0, 3))), (layers, heads, answers))
    spans = draw(st.permutations(list(itertools.pairwise(cuts))))
    return rows, list(spans)


@given(cases())
def test_shares_are_shares_and_the_whole_is_1(case: tuple[NDArray[np.float64], list[Span]]) -> None:
    rows, spans = case
    found = item_shares(rows, spans)
    assert found.shape == (len(rows), len(spans))
    assert (found >= 0).all()
    assert (found.sum(axis=1) <= 1 + 1e-9).all()
    assert item_shares(rows, [(0, rows.shape[-1])]) == pytest.approx(1)


def test_even_attention_is_even_per_token_only() -> None:
    rows = np.full((1, 2, 3, 10), 0.1)
    shares = item_shares(rows, [(0, 1), (2, 10)])
    assert shares[0] == pytest.approx([0.1, 0.8])
    assert per_token(shares, [1, 8])[0] == pytest.approx([0.1, 0.1])
    assert distribution(per_token(shares, [1, 8]))[0] == pytest.approx([0.5, 0.5])
    assert of_members(shares, [False, False]) == pytest.approx([0])


@given(cases())
def test_a_distribution_sums_to_1(case: tuple[NDArray[np.float64], list[Span]]) -> None:
    rows, spans = case
    found = distribution(per_token(item_shares(rows, spans), [end - start for start, end in spans]))
    assert found.sum(axis=1) == pytest.approx(1)
    half = [n % 2 == 0 for n in range(len(spans))]
    assert of_members(found, half) + of_members(found, [not member for member in half]) == pytest.approx(1)


@pytest.mark.parametrize(
    ("spans", "named"),
    [([(0, 11)], "within 10"), ([(3, 3)], "empty"), ([(-1, 2)], "within"), ([(0, 5), (4, 6)], "overlap")],
)
def test_spans_that_cannot_be_are_refused(spans: list[Span], named: str) -> None:
    with pytest.raises(ValueError, match=named):
        item_shares(np.full((1, 1, 1, 10), 0.1), spans)
    with pytest.raises(ValueError, match="no rows"):
        item_shares(np.zeros((1, 1, 0, 10)), [(0, 1)])
    with pytest.raises(ValueError, match="at least one"):
        per_token(np.ones((1, 1)), [0])


def row(gold: list[bool], items: list[float], tokens: list[int], kind: str) -> dict[str, object]:
    """A line of two layers that are the same."""
    found = {"tokens": 4, "items": [items] * 2, "labels": [[0.05] * len(items)] * 2, "prompt": [0.9] * 2}
    about = [
        {"kind": kind, "gold": is_gold, "tokens": count, "document": "d"}
        for is_gold, count in zip(gold, tokens, strict=True)
    ]
    return {"groups": {"modality": [kind]}, "items": about, "all": found, "naming": None}


def test_the_report_says_where_tokens_look() -> None:
    """Gold 0.3 over 3 tokens, the distractor 0.1 over 1: the same per token, so gold has its half of two items."""
    rows = [row([True, False], [0.3, 0.1], [3, 1], "text"), row([False, True], [0.2, 0.2], [1, 1], "figure")]
    assert attention_report.parts_of(rows[0], "all")[:, 0] == pytest.approx([0.3, 0.1, 0.1, 0.4, 0.1])
    assert attention_report.focus(rows[0]) == pytest.approx(0.5)
    where, focus, kinds = attention_report.tables(rows)
    assert where.rows[0] == ("gold items", "25.0 [20.0, 30.0]", "–")
    assert [line[0] for line in focus.rows] == ["all", "modality: text", "modality: figure"]
    assert focus.rows[0][1:3] == ("50.0 [50.0, 50.0]", "50.0")
    assert kinds.rows == (("text", "100.000", "100.000", "1", "1"), ("figure", "200.000", "200.000", "1", "1"))
