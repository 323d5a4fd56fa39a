"""The state of the server: made, opened again, refused."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from ui.errors import StateUnreadable
from ui.state import METADATA, StateStore, open_state


def test_it_is_made_for_its_owner_alone_and_opens_again(tmp_path: Path) -> None:
    for _ in range(2):
        with open_state(tmp_path) as state, state.transaction() as connection:
            assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
            assert connection.exec_driver_sql("SELECT count(*) FROM alembic_version").scalar() == 1
    assert stat.S_IMODE((tmp_path / "state.sqlite").stat().st_mode) == 0o600


def test_one_of_a_newer_vouch_is_refused(tmp_path: Path) -> None:
    with open_state(tmp_path) as state, state.transaction() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(StateUnreadable, match="newer version"):
        open_state(tmp_path)


@pytest.mark.parametrize(
    "address", ["nosuch://x", "://", "mysql://a:secret@127.0.0.1/x", "postgresql://a:secret@127.0.0.1:1/x"]
)
def test_addresses_that_do_not_serve_are_named_without_their_password(tmp_path: Path, address: str) -> None:
    with pytest.raises(StateUnreadable) as raised:
        open_state(tmp_path, address)
    assert "secret" not in str(raised.value)


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / "state.sqlite").write_text("words, and many of them, in a place for tables")
    with pytest.raises(StateUnreadable):
        open_state(tmp_path)


@pytest.mark.gate
def test_the_versions_make_the_tables_as_they_are_described(state: StateStore) -> None:
    with state.transaction() as connection:
        assert compare_metadata(MigrationContext.configure(connection), METADATA) == []
