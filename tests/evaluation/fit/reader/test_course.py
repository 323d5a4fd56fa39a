"""The course of a training: labels on tokens, batches, rates, and the figures that judge it."""

from __future__ import annotations

import math
import random
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.fit.reader.course import Item, ReaderCourse, batches, items_of
from evaluation.fit.reader.examples import SILENT, SUPPORTS, UNASKED, UNKNOWN, ReaderExample
from evaluation.fit.reader.report import LONGEST_SPAN, Read, Rows, auc, best_span, overlap, read_all, report
from rag.reader import InputEncoder, ReaderInput
from tests.evaluation.fit.reader.tokens import tokenizer


def item(length: int, answers: int = 1, place: tuple[int, int] | None = (3, 3), support: int = UNASKED) -> Item:
    places = [place] if place and answers == 1 else []
    row = ReaderInput((1, *[7] * (length - 2), 2), 2, ())
    starts, ends = tuple(a for a, _ in places), tuple(b for _, b in places)
    return Item(row, answers, starts, ends, support, "xquad", "text" if answers else "cut")


def test_labels_are_the_tokens_of_the_answer() -> None:
    region = "the mill\nin 1907"
    encoder = InputEncoder(tokenizer("when", "the", "mill", "in", "1907"))
    right = ReaderExample("when", region, 1, ((12, 16),))
    cut_off = ReaderExample("when", "mill " * 300 + "1907", 1, ((1500, 1504),))
    wrong = ReaderExample("when", "the mill", 0)
    found = items_of(encoder, [right, cut_off, wrong])
    assert [(i.answers, i.starts, i.ends) for i in found] == [(1, (7,), (7,)), (UNKNOWN, (), ()), (0, (), ())]
    assert found[0].row.ids[7] == found[1].row.ids[-2] + 2  # "1907" stands two words after "mill"


@given(st.lists(st.integers(4, 60), max_size=50), st.integers(60, 300))
def test_batches_have_every_item_once_and_few_tokens(lengths: list[int], tokens: int) -> None:
    items = [item(n) for n in lengths]
    found = batches(items, tokens, random.Random(0))
    assert sorted(i.length for batch in found for i in batch) == sorted(lengths)
    assert all(max(i.length for i in batch) * len(batch) <= tokens for batch in found)


def test_the_rate_rises_and_falls_to_nothing() -> None:
    rates = [ReaderCourse(rate=1.0).rate_at(step, 100) for step in range(101)]
    assert rates[0] == pytest.approx(1 / 6)
    assert max(rates) == pytest.approx(0.95)
    assert rates[6:] == sorted(rates[6:], reverse=True)
    assert rates[100] == 0


@given(st.lists(st.integers(0, 5)), st.lists(st.integers(0, 5)))
def test_auc_is_the_chance_of_being_above(right: list[float], wrong: list[float]) -> None:
    pairs = [(a > b) + (a == b) / 2 for a in right for b in wrong]
    assert auc(right, wrong) == pytest.approx(np.mean(pairs) if pairs else math.nan, nan_ok=True)


@given(st.integers(1, 60), st.integers(0, 99))
def test_the_best_span_is_the_best_of_all(length: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    start, end = rng.normal(size=(2, length)).astype(np.float32)
    allowed = [(a, b) for a in range(length) for b in range(a, min(length, a + LONGEST_SPAN))]
    assert best_span(start, end) == max(allowed, key=lambda ab: start[ab[0]] + end[ab[1]])


def test_overlap_is_of_the_answer_that_is_met_best() -> None:
    two = Item(ReaderInput((), 0, ()), 1, (3, 8), (4, 9), UNASKED, "", "")
    assert [overlap(span, two) for span in ((8, 9), (3, 3), (5, 7))] == [1.0, pytest.approx(2 / 3), 0.0]


def test_a_reader_that_knows_all_has_full_figures() -> None:
    items = [item(9), item(9, 0), item(12, 1, (4, 5)), item(8, UNKNOWN, None, SUPPORTS), item(8, 0, None, SILENT)]

    def knows(ids: Rows, _mask: Rows, _types: Rows) -> list[np.ndarray]:
        """Rows are known by their lengths; those of one length come in their order."""
        count, length = ids.shape
        assert count == 1
        i = next(left)
        start, end = np.zeros((2, count, length), np.float32)
        for a, b in zip(i.starts, i.ends, strict=True):
            start[0, a] = end[0, b] = 5
        support = np.eye(3, dtype=np.float32)[[max(i.support, 0)]]
        return [np.array([i.answers * 4 - 2], np.float32), start, end, support]

    read = []
    for one in items:
        left = iter([one])
        read += read_all(knows, [one])
    assert [r.item for r in read] == items
    lines = report(read)
    assert re.split(r"\s{2,}", lines[1].strip()) == ["all", "5", "1.000", "1.000", "1.000", "1.000"]
    assert any("against cut" in line and line.endswith("1.000") for line in lines)


def test_a_reader_that_is_always_wrong_has_none() -> None:
    lines = report([Read(item(9), -1.0, (6, 6), 0), Read(item(9, 0), 1.0, (2, 2), 0)])
    assert re.split(r"\s{2,}", lines[1].strip()) == ["all", "2", "0.000", "0.000", "0.000", "nan"]
