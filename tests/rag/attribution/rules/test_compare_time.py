"""Comparing takes time linear in the text, whatever numbers are repeated in it."""

from __future__ import annotations

from functools import partial
from itertools import count

import pytest

from rag.attribution.rules import compare
from tests.support import fakes
from tests.support.hostile_strings import seconds

MOST = 3.0
"""The most times as long that twice as much may take."""
_NEW = count()


def work(text: str) -> None:
    """Compare a sentence with a text that no cache knows."""
    compare("The port had 400 ships", [fakes.element(f"{text} {next(_NEW)}")])


@pytest.mark.parametrize("piece", ["400 ships ", "400 ships, "])
def test_a_text_of_numbers_takes_linear_time(piece: str) -> None:
    """A busy machine is asked again."""
    ratios = (seconds(partial(work, piece * 1600), 2) / seconds(partial(work, piece * 800), 2) for _ in range(4))
    assert any(ratio <= MOST for ratio in ratios)
