"""Packed vectors come out to the nearest level, and a few centroids stand for a page."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from indexing.vectors.codes import rows_for, sketch
from indexing.vectors.packing import MOST, STEP, Packing, pack, unpack


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


@given(units)
def test_eight_bits_keep_the_direction(rows: np.ndarray) -> None:
    """A row comes back as long as a stored vector is, and less than a degree off, however uneven its components."""
    rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    packing = Packing(64, 8)
    packed = packing.pack(rows * 127)
    assert len(packed) == rows.size == packing.width * len(rows)
    back = packing.rows(packed) / 127
    assert np.linalg.norm(back, axis=1) == pytest.approx(np.ones(len(rows)), abs=1e-5)
    assert ((back * rows).sum(axis=1) > 0.999).all()


@pytest.mark.parametrize("dim", [128, 320, 2048])
def test_four_bits_are_as_fine_at_any_dimension(dim: int) -> None:
    """The levels lie as far apart as components of so many dimensions need them: cosines are off by little."""
    drawn = np.random.default_rng(0).standard_normal((200, dim)).astype(np.float32)
    rows = drawn / np.linalg.norm(drawn, axis=1, keepdims=True)
    back = Packing(dim).rows(Packing(dim).pack(rows * 127)) / 127
    assert np.abs(rows[:20] @ back.T - rows[:20] @ rows.T).std() < 0.15 / dim**0.5


def test_at_128_dimensions_nothing_changed() -> None:
    rows = np.random.default_rng(0).integers(-127, 128, (30, 128)).astype(np.int8)
    assert Packing(128).pack(rows) == pack(rows)
    assert np.array_equal(Packing(128).rows(pack(rows)), unpack(pack(rows), 128))


def unit(rows: np.ndarray) -> np.ndarray:
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def test_a_page_of_few_vectors_is_its_own_sketch() -> None:
    rows = unit(np.random.default_rng(0).standard_normal((5, 16))) * 127
    assert np.array_equal(sketch(rows, 8), rows)
    assert sketch(rows[:0], 8).shape == (0, 16)


def test_groups_are_found_and_rows_keep_their_length() -> None:
    drawn = np.random.default_rng(1)
    middles = unit(drawn.standard_normal((4, 32)))
    rows = unit(np.repeat(middles, 50, axis=0) + 0.05 * drawn.standard_normal((200, 32)).astype(np.float32)) * 127
    found = sketch(rows, 8)
    assert 4 <= len(found) <= 8
    assert np.allclose(np.linalg.norm(found, axis=1), 127, atol=0.01)
    assert ((middles @ found.T / 127).max(axis=1) > 0.97).all()


def test_longer_vectors_make_smaller_sketches() -> None:
    assert [rows_for(dim) for dim in (128, 320, 2048, 4096)] == [64, 25, 4, 4]


def test_pages_alike_in_some_patches_are_found_by_their_sketches() -> None:
    """Of 300 pages of 200 patches, the 30 best by sketches hold the one that holds what is asked for."""
    drawn = np.random.default_rng(3)
    topics = unit(drawn.standard_normal((60, 64)))
    held = [drawn.choice(60, 8, replace=False) for _ in range(300)]
    pages = [unit(topics[drawn.choice(own, 200)] + 0.1 * drawn.standard_normal((200, 64))) * 127 for own in held]
    sketches = [sketch(page, 16) / 127 for page in pages]
    hits = 0
    for asked in range(40):
        query = unit(topics[held[asked][:4]] + 0.05 * drawn.standard_normal((4, 64)))
        exact = np.array([(query @ page.T / 127).max(axis=1).mean() for page in pages])
        rough = np.array([(query @ page.T).max(axis=1).mean() for page in sketches])
        hits += int(exact.argmax()) in np.argsort(-rough)[:30]
    assert hits == 40
