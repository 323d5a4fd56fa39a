"""Credentials: passwords with locks after too many wrong ones, sessions of people, and the tokens of programs.

Both are secrets of which only hashes are kept, and survive a restart of the server. Safe to use from several threads.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Hashable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

import anyio
import anyio.to_thread
from sqlalchemy import delete, insert, select, update

from plugins.team.people import People, digest, identity_of, normal_name, number_of, timestamp
from plugins.team.tables import SESSIONS, TOKEN_COLLECTIONS, TOKENS, USERS
from ui import BadPerson
from ui.access import ROLES, SCENE, Identity, Role
from ui.state import StateStore

LOCKED_SECONDS = 600.0
"""The seconds for which a wrong password is remembered."""
MOST_FAILURES = 10
"""The wrong passwords of one account from one address, after which that account is not let in from there."""
MOST_OF_ONE = 100
"""The wrong passwords of one account from everywhere, or from one address for all accounts. After so many,
only accounts that were let in from the same address before are let in.
"""
_MOST_REMEMBERED = 10_000
_AT_ONCE = 2
"""The number of passwords that are compared at a time."""

T = TypeVar("T")


class LoginGate:
    """Checks passwords and counts wrong ones, by account and address so that nobody locks others out. Thread-safe."""

    def __init__(
        self, people: People, on_failure: Callable[[str], None], clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Keep the people; `on_failure` is called with the name of a wrong password; `clock` gives seconds.

        For an unknown name, which may be a mistyped password, it gets "".
        """
        self._people = people
        self._on_failure = on_failure
        self._clock = clock
        self._at_once: anyio.CapacityLimiter | None = None
        self._failures: OrderedDict[Hashable, deque[float]] = OrderedDict()
        self._known: OrderedDict[tuple[str, str], None] = OrderedDict()  # who was let in from where, the latest last
        self._lock = threading.Lock()

    def admits(self, name: str, password: str) -> bool:
        """Return True for a name with its password; False for any while too many wrong ones were tried."""
        address, name = SCENE.get().address, normal_name(name)
        pair = (name, address)
        with self._lock:
            if self._is_locked(pair):
                return False
        right = self._people.admits(name, password)  # slow, so not under the lock
        is_known = right or self._people.is_known(name)
        with self._lock:
            if self._is_locked(pair):
                return False
            if right:
                self._known[pair] = None
                self._known.move_to_end(pair)
                _drop_oldest(self._known)
                return True
            self._add_failure(address)
            if is_known:  # unknown names are not stored: there is no limit to them
                self._add_failure(name)
                self._add_failure(pair)
        self._on_failure(name if is_known else "")
        return False

    async def admits_soon(self, name: str, password: str) -> bool:
        """Return the result of `admits`, from a thread, few of which run at a time."""
        return await self.in_turn(self.admits, name, password)

    async def in_turn(self, work: Callable[..., T], *arguments: Any) -> T:
        """Do work that hashes passwords in a thread: few at a time, as each hash takes 64 MB and a core."""
        if self._at_once is None:  # it belongs to the running event loop
            self._at_once = anyio.CapacityLimiter(_AT_ONCE)
        return await anyio.to_thread.run_sync(work, *arguments, limiter=self._at_once)

    def may_join(self) -> bool:
        """Return True unless too many wrong passwords or invitations came from the address of the request."""
        with self._lock:
            return self._failures_of(SCENE.get().address) < MOST_OF_ONE

    def count_failure(self) -> None:
        """Count a wrong invitation, as wrong passwords are."""
        with self._lock:
            self._add_failure(SCENE.get().address)

    def _is_locked(self, pair: tuple[str, str]) -> bool:
        """Return True after too many failures of the pair; or of its name or address, unless it was let in before."""
        name, address = pair
        if self._failures_of(pair) >= MOST_FAILURES:
            return True
        failures = max(self._failures_of(address), self._failures_of(name))
        return failures >= MOST_OF_ONE and pair not in self._known

    def _add_failure(self, key: Hashable) -> None:
        self._failures.setdefault(key, deque(maxlen=MOST_OF_ONE)).append(self._clock())
        self._failures.move_to_end(key)
        _drop_oldest(self._failures)

    def _failures_of(self, key: Hashable) -> int:
        return sum(self._clock() - time < LOCKED_SECONDS for time in self._failures.get(key, ()))


def _drop_oldest(entries: OrderedDict[Any, Any]) -> None:
    while len(entries) > _MOST_REMEMBERED:
        entries.popitem(last=False)


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
