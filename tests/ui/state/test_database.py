"""The state of the server: made, opened again, refused."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from sqlalchemy import create_engine, inspect

from plugins.team import tables as team_tables
from ui.errors import StateUnreadable
from ui.state import StateStore, open_state
from ui.state.tables import METADATA


def test_it_is_made_for_its_owner_alone_and_opens_again(tmp_path: Path) -> None:
    for _ in range(2):
        with open_state(tmp_path) as state, state.transaction() as connection:
            assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
            assert connection.exec_driver_sql("SELECT version FROM state_version").scalars().all() == [1]
            connection.exec_driver_sql("DROP TABLE jobs")  # as in a state that an earlier Vouch made
    assert stat.S_IMODE((tmp_path / "state.sqlite").stat().st_mode) == 0o600


@pytest.mark.gate
def test_both_databases_get_all_tables(state: StateStore) -> None:
    assert set(inspect(state.engine).get_table_names()) == {*METADATA.tables, *team_tables.METADATA.tables}


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("nosuch://x", "cannot be used"),
        ("://", "neither a path nor an address"),
        ("mysql://a:secret@127.0.0.1/x", "cannot be used"),
        ("postgresql://a:secret@127.0.0.1:1/x", "no connection"),
        ("text.sqlite", "DatabaseError"),
        ("newer.sqlite", "newer version"),
    ],
)
def test_what_cannot_be_opened_is_refused_without_its_password(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, address: str, reason: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("text.sqlite").write_text("words, and many of them, in a place for tables")
    with open_state(tmp_path, "newer.sqlite") as state, state.transaction() as connection:
        connection.exec_driver_sql("UPDATE state_version SET version = 9999")
        connection.exec_driver_sql("DROP TABLE jobs")  # a newer version may have no such table: it gets none
    with pytest.raises(StateUnreadable, match=reason) as raised:
        open_state(tmp_path, address)
    assert "secret" not in str(raised.value)
    assert not inspect(create_engine("sqlite:///newer.sqlite")).has_table("jobs")
