"""Credentials: the sessions of people who logged in, and the tokens with which programs act as a person.

Both are secrets of which only hashes are kept, and survive a restart of the server. Safe to use from several threads.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import delete, insert, select, update

from plugins.team.people import digest, identity_of, normal_name, number_of, timestamp
from plugins.team.tables import SESSIONS, TOKEN_COLLECTIONS, TOKENS, USERS
from ui import BadPerson
from ui.access import ROLES, Identity, Role
from ui.state import StateStore

TOKEN_START = "vch_"  # noqa: S105 - the beginning alone
"""The beginning of every token, by which one can be recognized in a leaked file."""


class LoginSessions:
    """The login sessions of a state store; each ends some hours after its last use, or some days after its start."""

    def __init__(
        self, state: StateStore, idle_hours: float, most_days: float, clock: Callable[[], datetime] | None = None
    ) -> None:
        """Keep the store; `clock` returns the time, by default that of the system."""
        self._state = state
        self._idle = timedelta(hours=idle_hours)
        self._most = timedelta(days=most_days)
        self._clock = clock or (lambda: datetime.now(UTC))

    def begin(self, token: str, name: str) -> None:
        """Start the session of a user with a secret token; do nothing for an unknown name."""
        now = self._before(timedelta())
        with self._state.transaction() as connection:
            connection.execute(delete(SESSIONS).where(~self._valid()))
            user = connection.execute(select(USERS.c.id).where(USERS.c.name == normal_name(name))).scalar()
            if user is not None:
                values = {"digest": digest(token), "user_id": user, "made_at": now, "used_at": now}
                connection.execute(insert(SESSIONS).values(**values))

    def find(self, token: str) -> Identity | None:
        """Return the identity of a session, and record its use; None if it is unknown or expired."""
        same = SESSIONS.c.digest == digest(token)
        with self._state.transaction() as connection:
            query = select(USERS, SESSIONS.c.used_at).join(SESSIONS, SESSIONS.c.user_id == USERS.c.id)
            row = connection.execute(query.where(same & self._valid())).first()
            if row is None:
                return None
            if row.used_at < self._before(timedelta(minutes=1)):  # not every request writes
                connection.execute(update(SESSIONS).where(same).values(used_at=self._before(timedelta())))
            return identity_of(connection, row)

    def end(self, token: str) -> None:
        """End a session, if there is one."""
        with self._state.transaction() as connection:
            connection.execute(delete(SESSIONS).where(SESSIONS.c.digest == digest(token)))

    def _valid(self) -> Any:
        """Return the condition on sessions that have not expired."""
        return (SESSIONS.c.used_at >= self._before(self._idle)) & (SESSIONS.c.made_at >= self._before(self._most))

    def _before(self, time: timedelta) -> str:
        return (self._clock() - time).isoformat(timespec="seconds")


def end_sessions(state: StateStore, name: str | None) -> int:
    """End all sessions of a user, or of all users for None; return their number. Raises BadPerson."""
    with state.transaction() as connection:
        query = delete(SESSIONS)
        if name is not None:
            query = query.where(SESSIONS.c.user_id == number_of(connection, USERS, name))
        return connection.execute(query).rowcount


class Tokens:
    """The tokens of one state store, each limited to a role and to collections."""

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
        expires_at = None if days is None else timestamp(days)
        values = {"digest": digest(secret), "label": label.strip(), "role": role, "expires_at": expires_at}
        with self._state.transaction() as connection:
            owner = number_of(connection, USERS, user)
            row = insert(TOKENS).values(**values, user_id=owner, made_at=timestamp()).returning(TOKENS.c.id)
            number = connection.execute(row).scalar_one()
            for name in dict.fromkeys(collections):
                connection.execute(insert(TOKEN_COLLECTIONS).values(token_id=number, collection=name))
        return secret

    def find(self, secret: str) -> Identity | None:
        """Return the identity of a token, and record its use; None if it is unknown or expired."""
        if not secret.startswith(TOKEN_START):
            return None
        now = timestamp()
        columns = (TOKENS.c.id.label("token_id"), TOKENS.c.role, TOKENS.c.expires_at, TOKENS.c.used_at)
        query = select(USERS, *columns).join(TOKENS, TOKENS.c.user_id == USERS.c.id)
        with self._state.transaction() as connection:
            row = connection.execute(query.where(TOKENS.c.digest == digest(secret))).first()
            if row is None or (row.expires_at is not None and row.expires_at <= now):
                return None
            if (row.used_at or "")[:16] != now[:16]:  # not every request writes: to the minute
                connection.execute(update(TOKENS).where(TOKENS.c.id == row.token_id).values(used_at=now))
            own = select(TOKEN_COLLECTIONS.c.collection).where(TOKEN_COLLECTIONS.c.token_id == row.token_id)
            only = frozenset(connection.execute(own).scalars())
            return identity_of(connection, row, {"most": row.role, "only": only or None, "token": row.token_id})

    def list_tokens(self, user: str = "") -> list[dict[str, Any]]:
        """Return the tokens of a user, or of all users, without their secrets and including expired ones.

        `collections` are empty for all that the user has. Raises BadPerson.
        """
        query = select(TOKENS, USERS.c.name).join(USERS, USERS.c.id == TOKENS.c.user_id).order_by(TOKENS.c.id)
        with self._state.transaction() as connection:
            if user:
                query = query.where(USERS.c.id == number_of(connection, USERS, user))
            limits = connection.execute(select(TOKEN_COLLECTIONS).order_by(TOKEN_COLLECTIONS.c.collection)).all()
            return [
                {
                    "number": token.id,
                    "user": token.name,
                    "label": token.label,
                    "role": token.role,
                    "collections": [limit.collection for limit in limits if limit.token_id == token.id],
                    "made_at": token.made_at,
                    "expires_at": token.expires_at,
                    "used_at": token.used_at,
                }
                for token in connection.execute(query)
            ]

    def revoke(self, number: int) -> None:
        """End a token by its number. Raises BadPerson where there is none."""
        with self._state.transaction() as connection:
            if not connection.execute(delete(TOKENS).where(TOKENS.c.id == number)).rowcount:
                raise BadPerson(f"there is no token number {number}: see vouch admin token list")
