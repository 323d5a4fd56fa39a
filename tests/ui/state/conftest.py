"""The stores that the tests of the state run on: SQLite, and Debian's PostgreSQL where it is installed."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from ui.state import StateStore, open_state


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of an empty database."""
    if request.param == "sqlite":
        return str(tmp_path / "state.sqlite")
    return str(request.getfixturevalue("postgres_database")())


@pytest.fixture
def state(address: str, tmp_path: Path) -> Iterator[StateStore]:
    """An open store without people."""
    with open_state(tmp_path, address) as store:
        yield store
