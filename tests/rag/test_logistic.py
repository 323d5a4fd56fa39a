"""The logistic model: what odds mean, and that none is too long."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.logistic import probability


def test_odds_worked_out_by_hand() -> None:
    assert probability((1.0, 2.0), (0.0, 0.0)) == 0.5
    assert probability((1.0, 2.0), (math.log(3), 0.0)) == pytest.approx(0.75)
    assert probability((1.0, 2.0), (math.log(3), -math.log(3))) == pytest.approx(0.25)


@given(st.floats(-1e6, 1e6))
def test_however_long_the_odds_it_is_no_certainty(odds: float) -> None:
    assert 0.0 < probability((odds,), (1.0,)) < 1.0
