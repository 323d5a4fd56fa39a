"""MaxSim, candidate search and packed vectors."""

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from indexing.embed.minilm import quantise
from indexing.vectors import InvertedLists
from indexing.vectors.maxsim import element_maxima, token_scores
from indexing.vectors.packing import RESIDUAL_STEP, TokenCodes, pack, unpack


def unit(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    rows = rng.normal(size=(n, d)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def packed(vectors: np.ndarray) -> np.ndarray:
    return np.frombuffer(pack(quantise(vectors)), np.uint8).reshape(-1, vectors.shape[1] // 2)


@given(st.integers(0, 2**32 - 1), st.integers(1, 9), st.lists(st.integers(1, 12), min_size=1, max_size=8))
def test_the_kernel_is_the_formula(seed: int, tokens: int, lengths: list[int]) -> None:
    rng = np.random.default_rng(seed)
    query = unit(rng, tokens, 16)
    passages = [unit(rng, n, 16) for n in lengths]
    data = packed(np.concatenate(passages))
    last = np.cumsum(lengths).astype(np.int64)
    found = element_maxima(query, data, last - lengths, last)
    stored = [unpack(data[end - n : end], 16) / 127.0 for n, end in zip(lengths, last, strict=True)]
    naive = [[max(float(q @ v) for v in p.astype(np.float64)) for q in query] for p in stored]
    assert found.shape == (len(lengths), tokens)
    assert np.allclose(found, naive, atol=1e-5)
    same = np.maximum.reduceat(token_scores(query, unpack(data, 16)), last - lengths, axis=0)
    assert np.allclose(found, same, atol=1e-5)


def outlines(page: TokenCodes, book: np.ndarray) -> np.ndarray:
    """The means (c, d) that codes and residuals stand for, bit by bit as they are told of."""
    eighth = page.residuals.shape[1] - 1
    signs = np.empty((len(page.codes), 8 * eighth), np.float32)
    for component in range(8 * eighth):
        bit, byte = divmod(component, eighth)
        signs[:, component] = np.where(page.residuals[:, byte] >> bit & 1, 1, -1)
    return book[page.codes] + signs * page.residuals[:, -1:] * np.float32(RESIDUAL_STEP)


SEEDS = st.integers(0, 2**32 - 1)
COUNTS = st.lists(st.integers(0, 6), min_size=1, max_size=8)


def pages_of_codes(seed: int, counts: list[int]) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    own = [np.sort(rng.choice(20, count, replace=False)) for count in counts]
    return np.concatenate(own).astype(np.uint16), np.cumsum([0, *counts]).astype(np.int64)


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


def test_a_list_that_is_damaged_leads_nowhere() -> None:
    lists = InvertedLists(np.array([4_000_000_000, 1, 70_000], np.uint32), np.array([0, 3]))
    assert lists.scores(2, np.ones((1, 1), np.float32), np.ones(1, np.float32)).tolist() == [1, 1]


units = arrays(np.float32, st.tuples(st.integers(1, 12), st.just(64)), elements=st.floats(-1, 1, width=32)).filter(
    lambda rows: bool((np.linalg.norm(rows, axis=1) > 1e-3).all())
)
