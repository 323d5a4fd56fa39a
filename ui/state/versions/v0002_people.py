"""Version 2: people, their groups and roles, invitations, sessions and tokens."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

_NAME, _ROLE, _DIGEST, _TIME = sa.String(64), sa.String(16), sa.String(64), sa.String(32)


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "users",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("name", _NAME, nullable=False, unique=True),
        sa.Column("password", sa.String(256)),
        sa.Column("admin", sa.Boolean, nullable=False),
        sa.Column("subject", sa.String(512), unique=True),
        sa.Column("made_at", _TIME, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "groups", sa.Column("id", sa.Integer, primary_key=True), sa.Column("name", _NAME, nullable=False, unique=True)
    )
    op.create_table("group_members", _of("group_id", "groups", key=True), _of("user_id", "users", key=True))
    for table, owner, owners in (("user_roles", "user_id", "users"), ("group_roles", "group_id", "groups")):
        op.create_table(
            table,
            _of(owner, owners, key=True),
            sa.Column("collection", _NAME, primary_key=True),
            sa.Column("role", _ROLE, nullable=False),
        )
    op.create_table(
        "invitations",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("digest", _DIGEST, nullable=False, unique=True),
        sa.Column("collection", _NAME),
        sa.Column("role", _ROLE),
        _of("group_id", "groups", optional=True),
        sa.Column("made_at", _TIME, nullable=False),
        sa.Column("expires_at", _TIME, nullable=False),
    )
    op.create_table(
        "sessions",
        sa.Column("digest", _DIGEST, primary_key=True),
        _of("user_id", "users"),
        sa.Column("made_at", _TIME, nullable=False),
        sa.Column("used_at", _TIME, nullable=False),
    )
    op.create_table(
        "tokens",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("digest", _DIGEST, nullable=False, unique=True),
        _of("user_id", "users"),
        sa.Column("label", _NAME, nullable=False),
        sa.Column("role", _ROLE, nullable=False),
        sa.Column("made_at", _TIME, nullable=False),
        sa.Column("expires_at", _TIME),
        sa.Column("used_at", _TIME),
    )
    op.create_table(
        "token_collections", _of("token_id", "tokens", key=True), sa.Column("collection", _NAME, primary_key=True)
    )


def _of(column: str, table: str, *, key: bool = False, optional: bool = False) -> sa.Column[int]:
    """Return a column that points at a row, and goes with it."""
    return sa.Column(
        column, sa.Integer, sa.ForeignKey(f"{table}.id", ondelete="CASCADE"), primary_key=key, nullable=optional
    )
