"""Visits: login sessions in the state store, which survive a restart and can be ended by an admin.

A session expires some hours after its last use, and at the latest some days after its start.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from sqlalchemy import delete, insert, select, update

from ui.state.database import StateStore
from ui.state.people.identity import Identity
from ui.state.people.passwords import digest
from ui.state.people.people import identity_of, kept_name
from ui.state.people.tables import SESSIONS, USERS

_NOTED = timedelta(minutes=1)
"""The time after which a use is recorded again, so that not every request writes."""


class Visits:
    """The sessions of one state store. Safe to use from several threads."""

    def __init__(
        self, state: StateStore, idle_hours: float, most_days: float, clock: Callable[[], datetime] | None = None
    ) -> None:
        """Keep the store; `clock` gives the time, that of the system where it is left out."""
        self._state = state
        self._idle = timedelta(hours=idle_hours)
        self._most = timedelta(days=most_days)
        self._clock = clock or (lambda: datetime.now(UTC))

    def begin(self, token: str, name: str) -> None:
        """Start the session of a user with a secret token; do nothing for an unknown name."""
        now = self._clock()
        with self._state.transaction() as connection:
            connection.execute(delete(SESSIONS).where(SESSIONS.c.used_at < _timestamp(now - self._idle)))
            connection.execute(delete(SESSIONS).where(SESSIONS.c.made_at < _timestamp(now - self._most)))
            user = connection.execute(select(USERS.c.id).where(USERS.c.name == kept_name(name))).scalar()
            if user is not None:
                values = {
                    "digest": digest(token),
                    "user_id": user,
                    "made_at": _timestamp(now),
                    "used_at": _timestamp(now),
                }
                connection.execute(insert(SESSIONS).values(**values))

    def find(self, token: str) -> Identity | None:
        """Return the identity of a session, and record its use; None if it is unknown or expired."""
        now, key = self._clock(), digest(token)
        with self._state.transaction() as connection:
            query = select(USERS, SESSIONS.c.used_at).join(SESSIONS, SESSIONS.c.user_id == USERS.c.id)
            still = (SESSIONS.c.used_at >= _timestamp(now - self._idle)) & (
                SESSIONS.c.made_at >= _timestamp(now - self._most)
            )
            row = connection.execute(query.where((SESSIONS.c.digest == key) & still)).first()
            if row is None:
                return None
            if row.used_at < _timestamp(now - _NOTED):
                connection.execute(update(SESSIONS).where(SESSIONS.c.digest == key).values(used_at=_timestamp(now)))
            return identity_of(connection, row)

    def end(self, token: str) -> None:
        """End a session, if there is one."""
        with self._state.transaction() as connection:
            connection.execute(delete(SESSIONS).where(SESSIONS.c.digest == digest(token)))

    def revoke(self, name: str = "") -> int:
        """End all sessions of a user, of everybody where no name is given; return how many there were."""
        which = delete(SESSIONS)
        if name:
            which = which.where(SESSIONS.c.user_id.in_(select(USERS.c.id).where(USERS.c.name == kept_name(name))))
        with self._state.transaction() as connection:
            return connection.execute(which).rowcount


def _timestamp(when: datetime) -> str:
    return when.isoformat(timespec="seconds")
