"""Rows and columns by the words that name them."""

from __future__ import annotations

import pytest

from rag.attribution.claims import claims_of, grid_of
from rag.attribution.claims.table_grid import UNSAID, named_columns, named_rows
from tests.support import fakes


@pytest.mark.parametrize(
    ("sentence", "share"),
    [("The price of boats is 12.", 1.0), ("The price is 12.", 1 / 2.5), ("Price of rafts: 12.", 1.5 / 2.5)],
)
def test_a_stop_word_of_a_head_counts_half(sentence: str, share: float) -> None:
    grid = grid_of(fakes.element("Item | Price of boats | Fares\nIn all | 12 | 3", kind="table"))
    name = max(named_columns(claims_of(sentence), grid), key=lambda n: n.share)
    assert name.lines == {1}
    assert name.share == pytest.approx(share)
    assert name.score == pytest.approx(2.5 * (share - UNSAID * (1 - share)))


def test_a_group_counts_half_as_much_as_the_row_and_only_where_it_is_named() -> None:
    text = "Item | 2024\nFerries\nFares | 12\nMills\nFares | 3"
    grid = grid_of(fakes.element(text, kind="table"))
    scores = {min(n.lines): n.score for n in named_rows(claims_of("Fares of ferries were 12."), grid)}
    assert (scores[2], scores[4]) == (1.5, 1.0)
