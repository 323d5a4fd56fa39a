"""The tables of the state: its version, conversations, and what programs were given. A plugin has its own.

Times are text in UTC, as `datetime.isoformat` writes them, so that both databases keep the same. A conversation belongs
to the name of a visitor (`ui.web.server.visitors`), which no other table knows.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import Column, Float, ForeignKey, Index, Integer, MetaData, String, Table, Text

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
