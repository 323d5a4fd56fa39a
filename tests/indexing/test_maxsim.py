"""MaxSim over int8 vectors against the formula written out."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from indexing import maxsim as module
from indexing.embed.minilm import quantise
from indexing.maxsim import maxsim, segment_max, token_scores


def unit(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    rows = rng.normal(size=(n, d)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


@given(st.integers(0, 2**32 - 1), st.integers(1, 9), st.lists(st.integers(1, 12), min_size=1, max_size=8))
def test_maxsim_is_the_formula(seed: int, tokens: int, lengths: list[int]) -> None:
    rng = np.random.default_rng(seed)
    query, weights = unit(rng, tokens, 16), rng.dirichlet(np.ones(tokens)).astype(np.float32)
    passages = [unit(rng, n, 16) for n in lengths]
    stored = [quantise(p) for p in passages]
    naive = [
        sum(w * max(float(q @ (v / 127.0)) for v in p.astype(np.float64)) for q, w in zip(query, weights, strict=True))
        for p in stored
    ]
    starts = np.cumsum([0, *lengths[:-1]]).astype(np.int64)
    scores = maxsim(query, weights, np.concatenate(stored), starts)
    assert np.allclose(scores, naive, atol=1e-5)
    exact = [float((query @ p.T).max(axis=1) @ weights) for p in passages]
    assert np.abs(scores - exact).max() < 0.02  # what int8 costs, at d = 16 where it costs most


def test_a_passage_that_says_the_same_scores_one() -> None:
    query = unit(np.random.default_rng(3), 4, 128)
    score = maxsim(query, np.full(4, 0.25, np.float32), quantise(query), np.array([0], np.int64))
    assert abs(float(score[0]) - 1.0) < 0.01


def test_blocks_do_not_show(monkeypatch: object) -> None:
    rng = np.random.default_rng(5)
    query, vectors = unit(rng, 3, 8), quantise(unit(rng, 100, 8))
    whole = token_scores(query, vectors)
    monkeypatch.setattr(module, "BLOCK", 7)  # type: ignore[attr-defined]
    assert np.allclose(token_scores(query, vectors), whole, atol=1e-6)


def test_nothing_scores_nothing() -> None:
    query = unit(np.random.default_rng(1), 2, 8)
    assert token_scores(query, np.zeros((0, 8), np.int8)).shape == (0, 2)
    assert segment_max(np.zeros((0, 2), np.float32), np.zeros(0, np.int64)).shape == (0, 2)
