"""AuditLog writes down what people do, each entry before its answer is given.

No entry is lost silently: if the database does not accept it, the read is refused, or an error follows the change.
Every name is stored as a single line without control characters.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any, Literal, get_args

from sqlalchemy import Row, delete, insert, select
from sqlalchemy.exc import SQLAlchemyError

from plugins.team.tables import AUDIT, NAME_CHARS, THING_CHARS
from ui import AuditUnwritable
from ui.access import CHANGES, READS, SCENE, Actor, Deed, Outcome, noting_outcome, present_actor
from ui.state import StateStore

TeamDeed = Literal[
    "log-in",
    "log-out",
    "join",
    "add-user",
    "remove-user",
    "set-password",
    "set-admin",
    "add-group",
    "remove-group",
    "join-group",
    "leave-group",
    "give-role",
    "take-role",
    "make-token",
    "revoke-token",
    "invite",
    "end-sessions",
    "set-quota",
]
"""The deeds of people and of their admins; docs/team.md explains each."""
DEEDS: tuple[Deed | TeamDeed, ...] = (*READS, *CHANGES, *get_args(TeamDeed))
MOST_QUESTION = 1000
"""The most characters of a question in an entry, if questions are logged."""
_OPEN_SECONDS = 600.0
"""The seconds within which a person's action `open` on one collection is logged once."""
_MOST_OPENED = 10_000
_PRUNE_SECONDS = 3600.0


class AuditLog:
    """The audit log of one process. Every method may be called from any thread."""

    def __init__(
        self,
        state: StateStore,
        days: float | None = None,
        questions: bool = False,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """Keep the open store. Questions are stored only if `questions` is True.

        Entries older than `days` are deleted with the first one that is written, and hourly; with None all are kept.
        """
        self._state = state
        self._days = days
        self._questions = questions
        self._clock = clock
        self._open_times: OrderedDict[tuple[object, ...], float] = OrderedDict()
        self._lock = threading.Lock()
        self._next_prune = 0.0

    def note(
        self,
        deed: Deed | TeamDeed,
        collection: str = "",
        thing: str = "",
        outcome: Outcome = "done",
        question: str = "",
        by: Actor | None = None,
    ) -> None:
        """Write an entry `by` the current actor by default; none for the server's own work. Raises AuditUnwritable."""
        actor = by or present_actor()
        if actor is None:
            return
        key = (actor, collection, outcome)
        if deed == "open" and self._is_recent(key):
            return
        row = {
            "at": self._clock().isoformat(timespec="microseconds"),
            "who": _plain(actor.name, NAME_CHARS),
            "kind": actor.kind,
            "token": actor.token,
            "address": _plain(actor.address, NAME_CHARS),
            "channel": actor.channel,
            "deed": deed,
            "collection": _plain(collection, NAME_CHARS),
            "thing": _plain(thing, THING_CHARS),
            "outcome": outcome,
            "question": _plain(question, MOST_QUESTION) if self._questions else "",
        }
        try:
            with self._state.transaction() as connection:
                if self._days is not None and time.monotonic() >= self._next_prune:
                    self._next_prune = time.monotonic() + _PRUNE_SECONDS
                    oldest = (self._clock() - timedelta(days=self._days)).isoformat(timespec="microseconds")
                    connection.execute(delete(AUDIT).where(AUDIT.c.at < oldest))
                connection.execute(insert(AUDIT), row)
        except SQLAlchemyError as error:
            raise AuditUnwritable(
                f"the audit log cannot be written ({type(error).__name__}): tell whoever runs this server"
            ) from error
        if deed in READS:
            self._remember(key)

    @contextmanager
    def record(
        self, deed: Deed | TeamDeed, collection: str = "", thing: str = "", by: Actor | None = None
    ) -> Iterator[None]:
        """Write an entry when the block ends: the action is done, was refused, or failed."""
        with noting_outcome(lambda outcome: self.note(deed, collection, thing, outcome, by=by)):
            yield

    def _is_recent(self, key: tuple[object, ...]) -> bool:
        """Return True if the same actor opened the collection so recently that no new entry is needed."""
        with self._lock:
            last = self._open_times.get(key)
        return last is not None and time.monotonic() - last < _OPEN_SECONDS

    def _remember(self, key: tuple[object, ...]) -> None:
        with self._lock:
            self._open_times[key] = time.monotonic()
            self._open_times.move_to_end(key)
            while len(self._open_times) > _MOST_OPENED:
                self._open_times.popitem(last=False)


def audit_entries(
    state: StateStore, who: str = "", collection: str = "", deed: str = "", since: str = "", most: int = 1000
) -> list[Row[Any]]:
    """Return the newest entries that match all arguments, the newest last; `since` is ISO 8601 in UTC."""
    query = select(*(column for column in AUDIT.c if column.name != "id"))
    for column, value in ((AUDIT.c.who, who), (AUDIT.c.collection, collection), (AUDIT.c.deed, deed)):
        if value:
            query = query.where(column == value)
    if since:
        query = query.where(AUDIT.c.at >= since)
    with state.transaction() as connection:
        rows = connection.execute(query.order_by(AUDIT.c.at.desc(), AUDIT.c.id.desc()).limit(most)).all()
    return list(reversed(rows))


def person(name: str) -> Actor:
    """Return an actor of that name with address and channel of the current request, which is not authenticated yet."""
    scene = SCENE.get()
    return Actor(name, "person" if name else "stranger", 0, scene.address, scene.channel)


def _plain(text: str, most: int) -> str:
    """Return a text as one line of at most `most` characters; unprintable characters become U+FFFD."""
    return "".join(char if char.isprintable() else "\ufffd" for char in text[:most])
