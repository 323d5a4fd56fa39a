"""Tokens: secrets with which programs act as a user, shown once, and limited to a role and to collections."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from sqlalchemy import delete, insert, select, update

from ui.errors import BadPerson
from ui.state.database import StateStore
from ui.state.people.identity import ROLES, Identity, Role
from ui.state.people.passwords import digest
from ui.state.people.people import identity_of, now, number_of, user_number
from ui.state.people.tables import TOKEN_COLLECTIONS, TOKENS, USERS

TOKEN_START = "vch_"
"""The beginning of every token, by which it is known in a file where it should not be."""


@dataclass(frozen=True, slots=True)
class TokenListed:
    """A token as it is listed, without its secret; `collections` are empty for all that its user has."""

    number: int
    user: str
    label: str
    role: Role
    collections: tuple[str, ...]
    made_at: str
    expires_at: str | None
    used_at: str | None


class Tokens:
    """The tokens of one state store. Safe to use from several threads."""

    def __init__(self, state: StateStore) -> None:
        """Keep the store, which is open."""
        self._state = state

    def add(
        self, user: str, label: str, role: Role = "reader", collections: Sequence[str] = (), days: float | None = 90
    ) -> str:
        """Create a token of a user and return it; it cannot be shown again. It expires after `days`, with None never.

        It grants at most `role`, and at most the current role of its user. Raises BadPerson.
        """
        if role not in ROLES:
            raise BadPerson(f"{role!r} is not a role: give one of {', '.join(ROLES)}")
        if not label.strip() or len(label) > 64:
            raise BadPerson("a token needs a label of 1 to 64 characters that says what it is for")
        secret = TOKEN_START + secrets.token_urlsafe(32)
        ends = None if days is None else (datetime.now(UTC) + timedelta(days=days)).isoformat(timespec="seconds")
        with self._state.transaction() as connection:
            owner = user_number(connection, user)
            values = {"label": label.strip(), "role": role, "made_at": now(), "expires_at": ends}
            result = connection.execute(insert(TOKENS).values(digest=digest(secret), user_id=owner, **values))
            number = number_of(result)
            for name in dict.fromkeys(collections):
                connection.execute(insert(TOKEN_COLLECTIONS).values(token_id=number, collection=name))
        return secret

    def find(self, secret: str) -> Identity | None:
        """Return the identity of a token, and record its use; None if it is unknown or expired."""
        if not secret.startswith(TOKEN_START):
            return None
        moment = now()
        with self._state.transaction() as connection:
            query = select(
                USERS, TOKENS.c.id.label("token_id"), TOKENS.c.role, TOKENS.c.expires_at, TOKENS.c.used_at
            ).join(TOKENS, TOKENS.c.user_id == USERS.c.id)
            row = connection.execute(query.where(TOKENS.c.digest == digest(secret))).first()
            if row is None or (row.expires_at is not None and row.expires_at <= moment):
                return None
            if (row.used_at or "")[:16] != moment[:16]:  # not every request writes: to the minute
                connection.execute(update(TOKENS).where(TOKENS.c.id == row.token_id).values(used_at=moment))
            allowed_collections = select(TOKEN_COLLECTIONS.c.collection).where(
                TOKEN_COLLECTIONS.c.token_id == row.token_id
            )
            only = frozenset(connection.execute(allowed_collections).scalars())
            return identity_of(connection, row, row.role, only or None, row.token_id)

    def list_tokens(self, user: str = "") -> tuple[TokenListed, ...]:
        """Return the tokens of a user, or of all users, including expired ones."""
        query = select(TOKENS, USERS.c.name).join(USERS, USERS.c.id == TOKENS.c.user_id).order_by(TOKENS.c.id)
        with self._state.transaction() as connection:
            if user:
                query = query.where(USERS.c.id == user_number(connection, user))
            restrictions = connection.execute(select(TOKEN_COLLECTIONS).order_by(TOKEN_COLLECTIONS.c.collection)).all()
            return tuple(
                TokenListed(
                    t.id,
                    t.name,
                    t.label,
                    t.role,
                    tuple(one.collection for one in restrictions if one.token_id == t.id),
                    t.made_at,
                    t.expires_at,
                    t.used_at,
                )
                for t in connection.execute(query)
            )

    def revoke(self, number: int) -> None:
        """End a token by its number. Raises BadPerson where there is none."""
        with self._state.transaction() as connection:
            if not connection.execute(delete(TOKENS).where(TOKENS.c.id == number)).rowcount:
                raise BadPerson(f"there is no token number {number}: see vouch admin token list")
