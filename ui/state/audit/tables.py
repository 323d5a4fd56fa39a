"""The table of the audit log, a row for each action, without foreign keys: an entry outlives the user it names."""

from __future__ import annotations

from sqlalchemy import Column, Index, Integer, String, Table, Text

from ui.state.tables import METADATA

NAME_CHARS, THING_CHARS = 64, 256
"""The most characters of a name, and of what was done it to (a document and its page, a person), that are kept."""
AUDIT = Table(
    "audit_entries",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("at", String(32), nullable=False),
    Column("who", String(NAME_CHARS), nullable=False),
    Column("kind", String(16), nullable=False),
    Column("token", Integer, nullable=False),
    Column("address", String(NAME_CHARS), nullable=False),
    Column("channel", String(16), nullable=False),
    Column("deed", String(24), nullable=False),
    Column("collection", String(NAME_CHARS), nullable=False),
    Column("thing", String(THING_CHARS), nullable=False),
    Column("outcome", String(8), nullable=False),
    Column("question", Text, nullable=False),
    Index("audit_by_time", "at"),
    Index("audit_by_who", "who", "at"),
    Index("audit_by_collection", "collection", "at"),
    sqlite_autoincrement=True,  # the number of an entry that was pruned is no other's
)
