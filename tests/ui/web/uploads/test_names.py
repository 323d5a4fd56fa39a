"""The names of collections that people type: one that can be had, or a refusal, before anything is uploaded."""

from __future__ import annotations

from pathlib import Path

import pytest

from indexing.store.home import place_of
from ui.web.uploads import collection_name


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("papers", "papers"),
        ("Annual reports 2024", "Annual-reports-2024"),
        ("  B\u00fccher & Stra\u00dfen ", "Bucher-Strassen"),
        ("a_b.c-d", "a_b.c-d"),
        ("../up", "up"),
        ("x" * 99, "x" * 64),
        ("", "default"),
        ("   ", "default"),
    ],
)
def test_a_name_is_one_that_a_collection_can_have(typed: str, name: str, tmp_path: Path) -> None:
    assert collection_name(typed) == name
    assert place_of(name, tmp_path).folder.parent == tmp_path
