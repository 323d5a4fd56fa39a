"""Version 4: the audit log, and quotas of people and groups."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "audit_entries",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("at", sa.String(32), nullable=False),
        sa.Column("who", sa.String(64), nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("token", sa.Integer, nullable=False),
        sa.Column("address", sa.String(64), nullable=False),
        sa.Column("channel", sa.String(16), nullable=False),
        sa.Column("deed", sa.String(24), nullable=False),
        sa.Column("collection", sa.String(64), nullable=False),
        sa.Column("thing", sa.String(256), nullable=False),
        sa.Column("outcome", sa.String(8), nullable=False),
        sa.Column("question", sa.Text, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("audit_by_time", "audit_entries", ["at"])
    op.create_index("audit_by_who", "audit_entries", ["who", "at"])
    op.create_index("audit_by_collection", "audit_entries", ["collection", "at"])
    for table, owner, owners in (("user_quotas", "user_id", "users"), ("group_quotas", "group_id", "groups")):
        op.create_table(
            table,
            sa.Column(owner, sa.Integer, sa.ForeignKey(f"{owners}.id", ondelete="CASCADE"), primary_key=True),
            sa.Column("kind", sa.String(16), primary_key=True),
            sa.Column("most", sa.Integer),
        )
