"""Work spread over bare processes."""

from __future__ import annotations

import pytest

from evaluation.benches.processes import dealt, spread

pytestmark = pytest.mark.slow


def test_items_are_dealt_like_cards() -> None:
    assert dealt([1, 2, 3, 4, 5], 2) == [[1, 3, 5], [2, 4]]


def nothing() -> None:
    """No model to load."""


def test_every_item_comes_back_once() -> None:
    found, seconds = spread("test", abs, nothing, [-1, -2, -3], 2)
    assert sorted(found) == [1, 2, 3]
    assert seconds > 0


def broken() -> None:
    raise SystemExit(3)


@pytest.mark.slow
def test_a_process_that_ends_early_is_told() -> None:
    with pytest.raises(SystemExit, match="ended before"):
        spread("test", abs, broken, [-1], 1)
