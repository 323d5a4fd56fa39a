"""MaxSim, candidate search and packed vectors."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from indexing.embed.minilm import quantise
from indexing.vectors import InvertedLists
from indexing.vectors.codes import RESIDUAL_STEP, TokenCodes, encode_tokens, sketch
from indexing.vectors.maxsim import element_maxima, mean_maxima, segment_max, token_scores
from indexing.vectors.packing import MOST, STEP, pack, unpack


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
    same = segment_max(token_scores(query, unpack(data, 16)), last - lengths)
    assert np.allclose(found, same, atol=1e-5)


def outlines(page: TokenCodes, book: np.ndarray) -> np.ndarray:
    """The means (c, d) that codes and residuals stand for, bit by bit as they are told of."""
    eighth = page.residuals.shape[1] - 1
    signs = np.empty((len(page.codes), 8 * eighth), np.float32)
    for component in range(8 * eighth):
        bit, byte = divmod(component, eighth)
        signs[:, component] = np.where(page.residuals[:, byte] >> bit & 1, 1, -1)
    return book[page.codes] + signs * page.residuals[:, -1:] * np.float32(RESIDUAL_STEP)


@given(st.integers(0, 2**32 - 1), st.lists(st.integers(0, 9), min_size=1, max_size=6))
def test_means_of_tokens_by_code(seed: int, counts: list[int]) -> None:
    """What the kernel adds up is what the residuals stand for."""
    rng = np.random.default_rng(seed)
    book, query = unit(rng, 12, 16), unit(rng, 3, 16)
    pages = [encode_tokens(quantise(unit(rng, n, 16)) if n else np.zeros((0, 16), np.int8), book) for n in counts]
    ends = np.cumsum([len(page.codes) for page in pages])
    codes, residuals = (np.concatenate([getattr(page, name) for page in pages]) for name in ("codes", "residuals"))
    found = mean_maxima(query, book, codes, residuals, np.append(0, ends[:-1]), ends)
    for page, scores in zip(pages, found, strict=True):
        means = outlines(page, book)
        expected = (means @ query.T).max(axis=0) if len(means) else np.full(3, -1.0)
        assert np.allclose(scores, expected, atol=1e-5)


def test_many_threads_may_ask_at_once() -> None:
    rng = np.random.default_rng(9)
    data, query = packed(unit(rng, 5000, 32)), unit(rng, 6, 32)
    first = np.arange(0, 5000, 10)
    expected = element_maxima(query, data, first, first + 10)
    with ThreadPoolExecutor(8) as pool:
        for found in pool.map(lambda _: element_maxima(query, data, first, first + 10), range(40)):
            assert np.array_equal(found, expected)


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


def test_a_list_that_is_damaged_leads_nowhere() -> None:
    lists = InvertedLists(np.array([4_000_000_000, 1, 70_000], np.uint32), np.array([0, 3]))
    assert lists.scores(2, np.ones((1, 1), np.float32), np.ones(1, np.float32)).tolist() == [1, 1]


@given(arrays(np.int8, st.tuples(st.integers(0, 20), st.just(8)), elements=st.integers(-127, 127)))
def test_unpacked_is_packed_to_the_nearest_level(rows: np.ndarray) -> None:
    """Half a size, and off by half a step at most where nothing was cut."""
    packed = pack(rows)
    assert len(packed) == rows.size // 2
    back = unpack(packed, 8)
    cut = np.clip(rows.astype(int), -MOST * STEP, MOST * STEP)
    assert back.shape == rows.shape
    assert np.abs(back - cut).max(initial=0) <= STEP / 2
    assert pack(back) == packed


units = arrays(np.float32, st.tuples(st.integers(1, 12), st.just(64)), elements=st.floats(-1, 1, width=32)).filter(
    lambda rows: bool((np.linalg.norm(rows, axis=1) > 1e-3).all())
)


def unit_of_packing(rows: np.ndarray) -> np.ndarray:
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def test_pages_alike_in_some_patches_are_found_by_their_sketches() -> None:
    """Of 300 pages of 200 patches, the 30 best by sketches hold the one that holds what is asked for."""
    drawn = np.random.default_rng(3)
    topics = unit_of_packing(drawn.standard_normal((60, 64)))
    held = [drawn.choice(60, 8, replace=False) for _ in range(300)]
    pages = [
        unit_of_packing(topics[drawn.choice(own, 200)] + 0.1 * drawn.standard_normal((200, 64))) * 127 for own in held
    ]
    sketches = [sketch(page, 16) / 127 for page in pages]
    hits = 0
    for asked in range(40):
        query = unit_of_packing(topics[held[asked][:4]] + 0.05 * drawn.standard_normal((4, 64)))
        exact = np.array([(query @ page.T / 127).max(axis=1).mean() for page in pages])
        rough = np.array([(query @ page.T).max(axis=1).mean() for page in sketches])
        hits += int(exact.argmax()) in np.argsort(-rough)[:30]
    assert hits == 40
