"""Inverted lists: the pages of each code, and MaxSim as nearly as the nearest codes tell."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from indexing.vectors import InvertedLists
from indexing.vectors.maxsim import listed_maxima

SEEDS = st.integers(0, 2**32 - 1)
COUNTS = st.lists(st.integers(0, 6), min_size=1, max_size=8)


def pages_of_codes(seed: int, counts: list[int]) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    own = [np.sort(rng.choice(20, count, replace=False)) for count in counts]
    return np.concatenate(own).astype(np.uint16), np.cumsum([0, *counts]).astype(np.int64)


@given(SEEDS, COUNTS)
def test_each_code_lists_its_pages_in_order(seed: int, counts: list[int]) -> None:
    codes, starts = pages_of_codes(seed, counts)
    lists = InvertedLists.of(codes, starts)
    for code, (a, b) in enumerate(pairwise(lists.starts.tolist())):
        bearers = [page for page, (c, d) in enumerate(pairwise(starts.tolist())) if code in codes[c:d]]
        assert lists.pages[a:b].tolist() == bearers
    assert len(lists.pages) == len(codes)


@given(SEEDS, COUNTS, st.integers(1, 25))
def test_a_page_takes_its_best_code_among_those_probed_or_the_last(seed: int, counts: list[int], probes: int) -> None:
    codes, starts = pages_of_codes(seed, counts)
    rng = np.random.default_rng(seed)
    table, weights = rng.uniform(-1, 1, (20, 3)).astype(np.float32), rng.random(3).astype(np.float32)
    lists = InvertedLists.of(codes, starts)
    known = table[: len(lists.starts) - 1]
    found = lists.scores(len(counts), table, weights, probes)
    if not len(known):
        assert not found.any()
        return
    least = np.sort(known, axis=0)[::-1][min(probes, len(known)) - 1]
    for page, (a, b) in enumerate(pairwise(starts.tolist())):
        best = np.maximum(table[codes[a:b]].max(axis=0), least) if b > a else least
        assert np.isclose(found[page], best @ weights, atol=1e-5)


def test_a_code_that_no_page_has_is_passed_over() -> None:
    lists = InvertedLists.of(np.array([1, 3], np.uint16), np.array([0, 1, 2]))
    table = np.array([[0.9], [0.1], [0.8], [0.5], [0.99]], np.float32)  # the last is beyond the lists
    assert np.allclose(lists.scores(2, table, np.ones(1, np.float32), probes=5), [0.1, 0.5])


def test_a_list_that_is_damaged_leads_nowhere() -> None:
    pages = np.array([4_000_000_000, 1, 70_000], np.uint32)
    nearest, gains = np.zeros((1, 1), np.int64), np.ones((1, 1), np.float32)
    assert listed_maxima(pages, np.array([0, 3]), nearest, gains, 2).sum() <= 1


def test_more_pages_than_one_thread_takes_at_a_time() -> None:
    codes = np.zeros(100_000, np.uint16)
    codes[99_999] = 1
    lists = InvertedLists.of(codes, np.arange(100_001))
    found = lists.scores(100_000, np.array([[0.25], [0.75]], np.float32), np.ones(1, np.float32))
    assert np.allclose(found[:-1], 0.25)
    assert np.isclose(found[-1], 0.75)
