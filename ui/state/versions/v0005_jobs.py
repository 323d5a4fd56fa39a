"""Version 5: the jobs that programs began."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "jobs",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("id", sa.String(32), nullable=False, unique=True),
        sa.Column("owner", sa.Text, nullable=False),
        sa.Column("collection", sa.Text, nullable=False),
        sa.Column("created", sa.String(32), nullable=False),
        sa.Column("files", sa.Text, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("jobs_by_owner", "jobs", ["owner", "number"])
    op.create_index("jobs_by_age", "jobs", ["created"])
