"""StateStore: the database of the server's state, opened by its address and migrated to the newest version.

SQLite stores it in one file with a write-ahead log, so that readers never wait for a writer. PostgreSQL is for several
servers with a shared state.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from alembic.util import CommandError
from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, OperationalError, SQLAlchemyError

from ui.errors import StateUnreadable

VARIABLE = "VOUCH_STATE"
"""The environment variable that names the database: `postgresql://...`, or the path of a file."""
FILE = "state.sqlite"
_BUSY_SECONDS = 30
_MIGRATION_LOCK = 0x566F7563
"""The number of PostgreSQL's advisory lock under which one server at a time migrates."""


class StateStore:
    """The open database. Safe to use from several threads; close it when the server ends."""

    def __init__(self, engine: Engine) -> None:
        """Keep an engine whose tables are of the newest version: callers use `open_state`."""
        self.engine = engine

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """Yield a connection in a transaction, which is committed when the block ends, or rolled back if it raises."""
        with self.engine.begin() as connection:
            yield connection

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()

    def __enter__(self) -> StateStore:
        """Return the store itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()


def is_kept(folder: Path) -> bool:
    """Return True if VOUCH_STATE names a state, or there is one in `folder`."""
    return bool(os.environ.get(VARIABLE)) or (folder / FILE).exists()


def open_state(folder: Path, address: str | None = None) -> StateStore:
    """Open or create the state at `address`, else at VOUCH_STATE, else in a file in `folder`.

    An older version is migrated in one transaction. Raises StateUnreadable for an invalid address, a database that does
    not respond, and one that was written by a newer version of Vouch.
    """
    place = address or os.environ.get(VARIABLE, "") or str(folder / FILE)
    engine = _engine(place)
    try:
        with engine.begin() as connection:
            if engine.dialect.name == "postgresql":
                connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_MIGRATION_LOCK})")
            command.upgrade(_migrations(connection), "head")
    except (SQLAlchemyError, OSError, CommandError) as error:
        engine.dispose()
        why = "it was written by a newer version of Vouch" if isinstance(error, CommandError) else _why(error)
        raise StateUnreadable(
            f"the server's database cannot be opened ({why}): see {VARIABLE} in docs/team.md"
        ) from None
    return StateStore(engine)


def _engine(place: str) -> Engine:
    """Return an engine for an address or for the path of a file, which is created with mode 600."""
    if "://" not in place:
        path = Path(place).expanduser()
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(mode=0o600)
        place = f"sqlite:///{path}"
    try:
        url = make_url(place)
    except ArgumentError:
        raise StateUnreadable(
            f"{VARIABLE} is neither a path nor an address such as postgresql://NAME@HOST/vouch"
        ) from None
    if url.drivername in ("postgres", "postgresql"):
        url = url.set(drivername="postgresql+psycopg")
    try:
        engine = create_engine(url, pool_pre_ping=True, connect_args=_arguments(url.get_backend_name()))
    except (ImportError, SQLAlchemyError) as error:
        advice = "pip install 'vouch[postgres]'" if isinstance(error, ImportError) else "use SQLite or PostgreSQL"
        raise StateUnreadable(f"the database in {VARIABLE} cannot be used: {advice}") from None
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", _prepare)
    return engine


def _arguments(backend: str) -> dict[str, Any]:
    return {"timeout": _BUSY_SECONDS} if backend == "sqlite" else {"connect_timeout": 10}


def _prepare(connection: Any, _: object) -> None:
    """Set a new connection of SQLite to a log beside the file, to keys that hold, and to waiting for a writer."""
    cursor = connection.cursor()
    for line in ("journal_mode=WAL", "synchronous=NORMAL", "foreign_keys=ON", f"busy_timeout={_BUSY_SECONDS * 1000}"):
        cursor.execute(f"PRAGMA {line}")
    cursor.close()


def _migrations(connection: Connection) -> Config:
    """Return where Alembic finds the versions, and the connection that it shall use."""
    config = Config()
    here = Path(__file__).parent
    config.set_main_option("script_location", str(here).replace("%", "%%"))
    config.set_main_option("version_locations", str(here / "versions").replace("%", "%%"))
    config.set_main_option("path_separator", "newline")
    config.attributes["connection"] = connection
    return config


def _why(error: Exception) -> str:
    """Name what went wrong without the address, which may hold a password."""
    return "no connection" if isinstance(error, OperationalError) else type(error).__name__
