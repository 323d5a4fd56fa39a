"""Four bits a component: what goes in comes out to the nearest level."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from indexing.packing import MOST, STEP, pack, unpack


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


def test_neighbouring_components_do_not_mix() -> None:
    """Each component of a row keeps its place and sign."""
    row = np.array([[0, 5, -5, 35, -35, 10, 127, -127]], np.int8)
    assert unpack(pack(row), 8).tolist() == [[0, 5, -5, 35, -35, 10, 35, -35]]
