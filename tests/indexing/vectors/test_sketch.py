"""Sketches of pages, by which the first stage of search knows pages of embedders without a codebook."""

from __future__ import annotations

import numpy as np

from indexing.vectors.sketch import rows_for, sketch


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
