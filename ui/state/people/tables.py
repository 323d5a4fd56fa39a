"""The tables of people: users, groups, roles in collections, quotas, invitations, sessions and tokens.

They contain no secrets: passwords, invitations, sessions and tokens are stored as hashes. Times are text in UTC.
"""

from __future__ import annotations

from sqlalchemy import Boolean, Column, ForeignKey, Integer, String, Table

from ui.state.tables import METADATA

NAME, COLLECTION, ROLE, DIGEST, TIME = String(64), String(64), String(16), String(64), String(32)


def _of(column: str, table: str, *, key: bool = False, optional: bool = False) -> Column[int]:
    """Return a column that points at a row, and goes with it."""
    return Column(column, Integer, ForeignKey(f"{table}.id", ondelete="CASCADE"), primary_key=key, nullable=optional)


USERS = Table(
    "users",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("name", NAME, nullable=False, unique=True),
    Column("password", String(256)),  # a hash of argon2; none for who comes by single sign-on or a proxy alone
    Column("admin", Boolean, nullable=False),
    Column("subject", String(512), unique=True),  # the person at the provider of single sign-on: issuer, a space, id
    Column("made_at", TIME, nullable=False),
    sqlite_autoincrement=True,  # the number of a user who was removed is nobody else's
)
GROUPS = Table(
    "groups", METADATA, Column("id", Integer, primary_key=True), Column("name", NAME, nullable=False, unique=True)
)
MEMBERS = Table("group_members", METADATA, _of("group_id", "groups", key=True), _of("user_id", "users", key=True))
USER_ROLES = Table(
    "user_roles",
    METADATA,
    _of("user_id", "users", key=True),
    Column("collection", COLLECTION, primary_key=True),
    Column("role", ROLE, nullable=False),
)
GROUP_ROLES = Table(
    "group_roles",
    METADATA,
    _of("group_id", "groups", key=True),
    Column("collection", COLLECTION, primary_key=True),
    Column("role", ROLE, nullable=False),
)
INVITATIONS = Table(
    "invitations",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("digest", DIGEST, nullable=False, unique=True),
    Column("collection", COLLECTION),
    Column("role", ROLE),
    _of("group_id", "groups", optional=True),
    Column("made_at", TIME, nullable=False),
    Column("expires_at", TIME, nullable=False),
)
USER_QUOTAS = Table(
    "user_quotas",
    METADATA,
    _of("user_id", "users", key=True),
    Column("kind", ROLE, primary_key=True),
    Column("most", Integer),  # none: no limit
)
GROUP_QUOTAS = Table(
    "group_quotas",
    METADATA,
    _of("group_id", "groups", key=True),
    Column("kind", ROLE, primary_key=True),
    Column("most", Integer),
)
SESSIONS = Table(
    "sessions",
    METADATA,
    Column("digest", DIGEST, primary_key=True),
    _of("user_id", "users"),
    Column("made_at", TIME, nullable=False),
    Column("used_at", TIME, nullable=False),
)
TOKENS = Table(
    "tokens",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("digest", DIGEST, nullable=False, unique=True),
    _of("user_id", "users"),
    Column("label", NAME, nullable=False),
    Column("role", ROLE, nullable=False),
    Column("made_at", TIME, nullable=False),
    Column("expires_at", TIME),
    Column("used_at", TIME),
)
TOKEN_COLLECTIONS = Table(
    "token_collections",
    METADATA,
    _of("token_id", "tokens", key=True),
    Column("collection", COLLECTION, primary_key=True),
)
