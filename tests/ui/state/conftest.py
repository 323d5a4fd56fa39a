"""The stores that the tests of the state run on: SQLite, and Debian's PostgreSQL where it is installed."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from tests.support import postgres
from tests.support.tools import missing
from ui.state import StateStore, open_state

_NUMBERS = itertools.count(1)


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """The address of a running server; without PostgreSQL the test is skipped, in CI it fails."""
    programs = postgres.programs()
    if programs is None:
        missing("PostgreSQL is not installed (make postgres)")
    with postgres.running(programs) as address:
        yield address


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of an empty database."""
    if request.param == "sqlite":
        return str(tmp_path / "state.sqlite")
    server = request.getfixturevalue("postgres_server")
    name = f"vouch{next(_NUMBERS)}"
    with psycopg.connect(f"{server}postgres", autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}".encode())
    return f"{server}{name}"


@pytest.fixture
def state(address: str, tmp_path: Path) -> Iterator[StateStore]:
    """An open store without people."""
    with open_state(tmp_path, address) as store:
        yield store
