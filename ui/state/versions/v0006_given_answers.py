"""Version 6: the answers that programs were given."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "given_answers",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("id", sa.String(32), nullable=False, unique=True),
        sa.Column("owner", sa.Text, nullable=False),
        sa.Column("collection", sa.Text, nullable=False),
        sa.Column("created", sa.String(32), nullable=False),
        sa.Column("record", sa.Text, nullable=False),
        sa.Column("form", sa.Text, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("given_answers_by_owner", "given_answers", ["owner", "number"])
    op.create_index("given_answers_by_age", "given_answers", ["created"])
