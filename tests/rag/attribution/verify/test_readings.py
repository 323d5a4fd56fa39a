"""What was found of a sentence is found again: verdict, score, reason, proof, and the reading behind them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rag.attribution.verify import readings


@pytest.mark.parametrize("piece", readings.written(), ids=lambda piece: piece["text"][:20])
def test_what_was_found_is_found_again(piece: dict[str, Any]) -> None:
    element = readings.element_of(piece)
    assert [readings.found(told["sentence"], element) for told in piece["said"]] == piece["said"]
