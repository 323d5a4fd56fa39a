"""Places in a source: several are joined to one. Those of cells are tested with tables, in the plugin `formats`."""

from __future__ import annotations

import pytest

from indexing.conversion import joined_place


@pytest.mark.parametrize(
    ("places", "joined"),
    [
        ([], ""),
        (["", "line 3", ""], "line 3"),
        (["line 3", "lines 4-9"], "lines 3-9"),
        (["lines 3-4", "cell 2, lines 1-2"], "lines 3-4 to cell 2, lines 1-2"),
        (["cell 2, line 1", "cell 2, lines 4-5"], "cell 2, lines 1-5"),
        (["Sheet 1, A1:B2", "Sheet 1, A5:B9"], "Sheet 1, A1:B2 to Sheet 1, A5:B9"),
        (["line 9", "line 3"], "line 9 to line 3"),
    ],
)
def test_several_places_are_one(places: list[str], joined: str) -> None:
    assert joined_place(places) == joined
