"""Packed vectors come out to the nearest level, and a few centroids stand for a page."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from indexing.vectors.codes import sketch
from indexing.vectors.packing import MOST, STEP, pack, unpack


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


def unit(rows: np.ndarray) -> np.ndarray:
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


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
