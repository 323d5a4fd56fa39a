"""Permissions: each route of the page, asked by each sort of person, answers as permissions.txt says."""

from collections.abc import Callable
from pathlib import Path

import pytest

from indexing.embed.minilm import MiniLM
from tests.plugins.team.permissions import FILE, deeds, table
from tests.ui.real_collection import mill


def test_the_rule_allows_what_the_table_says(tmp_path: Path) -> None:
    kept = FILE.read_text(encoding="utf-8").splitlines()
    lines = list(deeds(tmp_path))
    assert lines == kept[7 : 7 + len(lines)]
    assert kept[7 + len(lines)] == ""


@pytest.mark.gate
@pytest.mark.slow
@pytest.mark.timeout(600)
def test_every_route_answers_each_person_as_the_table_says(tmp_path: Path, embedder: MiniLM) -> None:
    """Where this fails, read what changed, then write it anew: python -m tests.plugins.team.permissions."""
    mill(tmp_path, embedder)
    assert table(tmp_path, tmp_path / "home") == FILE.read_text(encoding="utf-8").splitlines()


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_it_does_so_with_postgresql(tmp_path: Path, embedder: MiniLM, postgres_database: Callable[[], str]) -> None:
    mill(tmp_path, embedder)
    found = table(tmp_path, tmp_path / "home", postgres_database())
    assert found == FILE.read_text(encoding="utf-8").splitlines()
