"""Which elements have to be looked at."""

from __future__ import annotations

import pytest

from tests.support import fakes


@pytest.mark.parametrize(
    ("kind", "text", "drawn"),
    [("picture", "Income", True), ("group", "Income", True), ("text", "Income", False), ("text", " \n", True)],
)
def test_pictures_groups_and_what_has_no_text_are_looked_at(kind: str, text: str, drawn: bool) -> None:
    assert fakes.element(text, kind=kind).pictured is drawn  # type: ignore[arg-type]
