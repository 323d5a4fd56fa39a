"""The tables of conversations: answers in their order, links that lead to one, judgements of its sentences.

A conversation belongs to the name of a visitor (`ui.web.server.visitors`), which no other table knows.
"""

from __future__ import annotations

from sqlalchemy import Column, ForeignKey, Index, Integer, String, Table, Text

from ui.state.tables import METADATA

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
