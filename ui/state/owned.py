"""Tables that store the latest rows of each caller for a month: jobs, and answers to API requests."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Column, Connection, Index, Integer, String, Table, Text, delete, insert, select

from ui.state.tables import METADATA

KEPT_DAYS = 30.0


def owned_table(name: str, *columns: Column[Any]) -> Table:
    """Return a table of rows of callers, with these columns besides; a later row has a larger `number`."""
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


def keep_row(connection: Connection, table: Table, row: dict[str, str], created: datetime, most: int) -> int:
    """Add a row and return its number; all but the `most` latest of its owner go, and all of a month ago."""
    number: int = connection.execute(
        insert(table).values(**row, created=_timestamp(created)).returning(table.c.number)
    ).scalar_one()
    own = table.c.owner == row["owner"]
    newest = select(table.c.number).where(own).order_by(table.c.number.desc())
    oldest = connection.scalar(newest.offset(most - 1).limit(1))
    if oldest is not None:
        connection.execute(delete(table).where(own, table.c.number < oldest))
    connection.execute(delete(table).where(table.c.created < _timestamp(created - timedelta(days=KEPT_DAYS))))
    return number


def _timestamp(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="seconds")
