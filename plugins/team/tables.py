"""The tables of people and of the audit log, which `open_state` creates in the state where they are missing.

They contain no secrets: passwords, invitations, sessions and tokens are stored as hashes. Times are text in UTC.
"""

from __future__ import annotations

from sqlalchemy import Boolean, Column, ForeignKey, Index, Integer, MetaData, String, Table, Text

METADATA = MetaData()
"""The tables of this plugin."""
NAME, COLLECTION, ROLE, DIGEST, TIME = String(64), String(64), String(16), String(64), String(32)


def _fk_to(column: str, table: str, *, key: bool = False, optional: bool = False) -> Column[int]:
    """Return a foreign key column; its row is deleted together with the row that it refers to."""
    return Column(column, Integer, ForeignKey(f"{table}.id", ondelete="CASCADE"), primary_key=key, nullable=optional)


USERS = Table(
    "users",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("name", NAME, nullable=False, unique=True),
    Column("password", String(256)),  # a hash of argon2; null for people who log in by single sign-on or a proxy alone
    Column("admin", Boolean, nullable=False),
    Column("subject", String(512), unique=True),  # the person at the provider of single sign-on: issuer, a space, id
    Column("made_at", TIME, nullable=False),
    sqlite_autoincrement=True,  # the id of a removed user is not used again
)
GROUPS = Table(
    "groups", METADATA, Column("id", Integer, primary_key=True), Column("name", NAME, nullable=False, unique=True)
)
MEMBERS = Table("group_members", METADATA, _fk_to("group_id", "groups", key=True), _fk_to("user_id", "users", key=True))
USER_ROLES, GROUP_ROLES = (
    Table(
        f"{owner}_roles",
        METADATA,
        _fk_to(f"{owner}_id", f"{owner}s", key=True),
        Column("collection", COLLECTION, primary_key=True),
        Column("role", ROLE, nullable=False),
    )
    for owner in ("user", "group")
)
INVITATIONS = Table(
    "invitations",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("digest", DIGEST, nullable=False, unique=True),
    Column("collection", COLLECTION),
    Column("role", ROLE),
    _fk_to("group_id", "groups", optional=True),
    Column("made_at", TIME, nullable=False),
    Column("expires_at", TIME, nullable=False),
)
USER_QUOTAS, GROUP_QUOTAS = (
    Table(
        f"{owner}_quotas",
        METADATA,
        _fk_to(f"{owner}_id", f"{owner}s", key=True),
        Column("kind", ROLE, primary_key=True),
        Column("most", Integer),  # none: no limit
    )
    for owner in ("user", "group")
)
SESSIONS = Table(
    "sessions",
    METADATA,
    Column("digest", DIGEST, primary_key=True),
    _fk_to("user_id", "users"),
    Column("made_at", TIME, nullable=False),
    Column("used_at", TIME, nullable=False),
)
TOKENS = Table(
    "tokens",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("digest", DIGEST, nullable=False, unique=True),
    _fk_to("user_id", "users"),
    Column("label", NAME, nullable=False),
    Column("role", ROLE, nullable=False),
    Column("made_at", TIME, nullable=False),
    Column("expires_at", TIME),
    Column("used_at", TIME),
)
TOKEN_COLLECTIONS = Table(
    "token_collections",
    METADATA,
    _fk_to("token_id", "tokens", key=True),
    Column("collection", COLLECTION, primary_key=True),
)
NAME_CHARS, THING_CHARS = 64, 256
"""The most characters that are stored of a name, and of an action's object (a document with its page, a person)."""
AUDIT = Table(
    "audit_entries",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("at", String(32), nullable=False),
    Column("who", String(NAME_CHARS), nullable=False),  # no foreign key: an entry outlives the user it names
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
    sqlite_autoincrement=True,  # the id of a deleted entry is not used again
)
