"""Version 1: the beginning, without a table."""

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make nothing: the table that keeps the version is Alembic's own."""
