"""Version 3: conversations, their answers, the links to these, and judgements of their sentences."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Make the four tables."""
    op.create_table(
        "conversations",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("visitor", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("words", sa.Text, nullable=False),
        sa.Column("created", sa.String(32), nullable=False),
        sa.Column("touched", sa.String(32), nullable=False),
    )
    op.create_index("conversations_by_visitor", "conversations", ["visitor", "touched"])
    op.create_index("conversations_by_age", "conversations", ["touched"])
    op.create_table(
        "answers",
        sa.Column("id", sa.String(16), primary_key=True),
        sa.Column("conversation", sa.String(32), sa.ForeignKey("conversations.id", ondelete="CASCADE"), nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("collection", sa.Text, nullable=False),
        sa.Column("form", sa.Text, nullable=False),
        sa.Column("words", sa.Text, nullable=False),
        sa.Column("created", sa.String(32), nullable=False),
    )
    op.create_index("answers_by_conversation", "answers", ["conversation", "number"], unique=True)
    op.create_table(
        "answer_links",
        sa.Column("answer", sa.String(16), sa.ForeignKey("answers.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("token", sa.String(64), nullable=False, unique=True),
        sa.Column("created", sa.String(32), nullable=False),
    )
    op.create_table(
        "feedback",
        sa.Column("answer", sa.String(16), sa.ForeignKey("answers.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("sentence", sa.Integer, primary_key=True),
        sa.Column("judgement", sa.String(16), nullable=False),
        sa.Column("note", sa.Text, nullable=False),
        sa.Column("created", sa.String(32), nullable=False),
    )
