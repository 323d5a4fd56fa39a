"""StateStore: the database of the server's state and its tables, opened by its address, those of plugins too.

Times are text in UTC, as `datetime.isoformat` writes them, so that both databases keep the same. A conversation belongs
to the name of a visitor (`ui.web.server.visitors`), which no other table knows.

SQLite stores it in one file with a write-ahead log, so that readers never wait for a writer. PostgreSQL is for several
servers with a shared state.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import (
    Column,
    Connection,
    Engine,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    create_engine,
    event,
    insert,
    select,
)
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, OperationalError, SQLAlchemyError

from ui.errors import StateUnreadable
from vouch.hooks import additions, load

METADATA = MetaData()
"""The tables of the core."""
VERSIONS = Table("state_version", METADATA, Column("version", Integer, primary_key=True, autoincrement=False))
CONVERSATIONS = Table(
    "conversations",
    METADATA,
    Column("id", String(32), primary_key=True),
    Column("visitor", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("words", Text, nullable=False),  # the name as searches compare it
    Column("created", String(32), nullable=False),
    Column("touched", String(32), nullable=False),
    Index("conversations_by_visitor", "visitor", "touched"),
    Index("conversations_by_age", "touched"),
)
ANSWERS = Table(
    "answers",
    METADATA,
    Column("id", String(16), primary_key=True),
    Column("conversation", ForeignKey("conversations.id", ondelete="CASCADE"), nullable=False),
    Column("number", Integer, nullable=False),
    Column("collection", Text, nullable=False),
    Column("form", Text, nullable=False),
    Column("words", Text, nullable=False),  # question and sentences as searches compare them
    Column("created", String(32), nullable=False),
    Index("answers_by_conversation", "conversation", "number", unique=True),
)
LINKS = Table(
    "answer_links",
    METADATA,
    Column("answer", ForeignKey("answers.id", ondelete="CASCADE"), primary_key=True),
    Column("token", String(64), nullable=False, unique=True),
    Column("created", String(32), nullable=False),
)
FEEDBACK = Table(
    "feedback",
    METADATA,
    Column("answer", ForeignKey("answers.id", ondelete="CASCADE"), primary_key=True),
    Column("sentence", Integer, primary_key=True),  # from 1
    Column("judgement", String(16), nullable=False),
    Column("note", Text, nullable=False),
    Column("created", String(32), nullable=False),
)
FEEDBACK_BOXES = Table(
    "feedback_boxes",
    METADATA,
    Column("answer", ForeignKey("answers.id", ondelete="CASCADE"), primary_key=True),
    Column("sentence", Integer, primary_key=True),
    Column("doc_id", Text, nullable=False),
    Column("page", Integer, nullable=False),
    *(Column(side, Float, nullable=False) for side in ("x0", "y0", "x1", "y1")),
)
"""The boxes that people drew where that of a sentence is in the wrong place, in fractions of the page."""


def _owned_table(name: str, *columns: Column[Any]) -> Table:
    """Return a table whose rows belong to callers (`owner`), with more columns; a later row has a larger `number`."""
    return Table(
        name,
        METADATA,
        Column("number", Integer, primary_key=True),
        Column("id", String(32), nullable=False, unique=True),
        Column("owner", Text, nullable=False),
        Column("collection", Text, nullable=False),
        Column("created", String(32), nullable=False),
        *columns,
        Index(f"{name}_by_owner", "owner", "number"),
        Index(f"{name}_by_age", "created"),
        sqlite_autoincrement=True,
    )


JOBS = _owned_table("jobs", Column("files", Text, nullable=False))  # as JSON
GIVEN_ANSWERS = _owned_table(
    "given_answers",
    Column("record", Text, nullable=False),  # as JSON: the response to the caller
    Column("form", Text, nullable=False),  # the answer, of which exports are made
)


VARIABLE = "VOUCH_STATE"
"""The environment variable that names the database: `postgresql://...`, or the path of a file."""
FILE = "state.sqlite"
_BUSY_SECONDS = 30
_VERSION = 1
"""The version of the tables; a database with a larger one is refused."""
_CREATION_LOCK = 0x566F7563
"""The number of PostgreSQL's advisory lock under which one server at a time creates tables."""


class StateStore:
    """The open database. Safe to use from several threads; close it when the server ends."""

    def __init__(self, engine: Engine) -> None:
        """Keep an engine whose tables exist: callers use `open_state`."""
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
    """Return True if VOUCH_STATE names a database, or `folder` has the file of one."""
    return bool(os.environ.get(VARIABLE)) or (folder / FILE).exists()


def open_state(folder: Path, address: str | None = None) -> StateStore:
    """Open or create the database at `address`, else at VOUCH_STATE, else in a file in `folder`.

    Raises StateUnreadable for an invalid address, a database that does not respond, and one that was written by a newer
    version of Vouch.
    """
    engine = _engine(address or os.environ.get(VARIABLE, "") or str(folder / FILE))
    try:
        with engine.begin() as connection:
            why = "" if _create_tables(connection) else "it was written by a newer version of Vouch"
    except OperationalError:
        why = "no connection"
    except (SQLAlchemyError, OSError) as error:  # its text may have the address, and that a password
        why = type(error).__name__
    if why:
        engine.dispose()
        raise StateUnreadable(f"the server's database cannot be opened ({why}): see {VARIABLE} in docs/team.md")
    return StateStore(engine)


def _create_tables(connection: Connection) -> bool:
    """Create the tables that are missing, one process at a time; False for a database of a newer version."""
    lock = f"SELECT pg_advisory_xact_lock({_CREATION_LOCK})"
    connection.exec_driver_sql(lock if connection.dialect.name == "postgresql" else "BEGIN IMMEDIATE")
    VERSIONS.create(connection, checkfirst=True)
    version = connection.scalar(select(VERSIONS.c.version))
    if version is not None and version > _VERSION:
        return False
    if version is None:
        connection.execute(insert(VERSIONS).values(version=_VERSION))
    for metadata in (METADATA, *(load(control.tables) for control in additions("access") if control.tables)):
        metadata.create_all(connection)
    return True


def _engine(address: str) -> Engine:
    """Return an engine for an address or for the path of a file, which is created with mode 600."""
    if "://" not in address:
        path = Path(address).expanduser()
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(mode=0o600)
        address = f"sqlite:///{path}"
    try:
        url = make_url(address)
    except ArgumentError:
        raise StateUnreadable(
            f"{VARIABLE} is neither a path nor an address such as postgresql://NAME@HOST/vouch"
        ) from None
    if url.drivername in ("postgres", "postgresql"):
        url = url.set(drivername="postgresql+psycopg")
    try:
        wait = {"timeout": _BUSY_SECONDS} if url.get_backend_name() == "sqlite" else {"connect_timeout": 10}
        engine = create_engine(url, pool_pre_ping=True, connect_args=wait)
    except (ImportError, SQLAlchemyError) as error:
        advice = "pip install 'vouch[postgres]'" if isinstance(error, ImportError) else "use SQLite or PostgreSQL"
        raise StateUnreadable(f"the database in {VARIABLE} cannot be used: {advice}") from None
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", _prepare)
    return engine


def _prepare(connection: Any, _: object) -> None:
    """Set up a new SQLite connection: write-ahead log, enforced foreign keys, and waiting for another writer."""
    cursor = connection.cursor()
    for line in ("journal_mode=WAL", "synchronous=NORMAL", "foreign_keys=ON", f"busy_timeout={_BUSY_SECONDS * 1000}"):
        cursor.execute(f"PRAGMA {line}")
    cursor.close()
