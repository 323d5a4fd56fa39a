"""AuditLog writes entries on what people do: changes at once, reads and refusals in batches.

No entry is lost silently: if the database does not accept one, the read or change is refused, or an error follows the
change. If the process is killed, only the batch of the last second is lost. Every name is stored as a single line
without control characters.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import delete, insert, select
from sqlalchemy.exc import SQLAlchemyError

from indexing import CollectionMissing
from ui.errors import AuditUnwritable, NotAllowed, OverQuota
from ui.state.audit.actor import Actor, present_actor
from ui.state.audit.deeds import READS, Deed, Outcome
from ui.state.audit.tables import AUDIT, NAME_CHARS, THING_CHARS
from ui.state.database import StateStore

MOST_QUESTION = 1000
"""The most characters of a question in an entry, if questions are logged."""
FLUSH_SECONDS = 1.0
_BATCH, _MOST_WAITING = 200, 10_000
_OPEN_SECONDS = 600.0
"""The seconds within which a person's action `open` on one collection is logged once."""
_PRUNE_SECONDS = 3600.0
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """An entry as it is listed."""

    at: str
    who: str
    kind: str
    token: int
    address: str
    channel: str
    deed: str
    collection: str
    thing: str
    outcome: str
    question: str


class AuditLog:
    """The audit log of one process. Every method may be called from any thread; `close` writes what waits."""

    def __init__(
        self,
        state: StateStore | None = None,
        days: float = 365,
        questions: bool = False,
        clock: Callable[[], datetime] | None = None,
    ) -> None:
        """Keep the store, which is open; without one nothing is written. `questions` are kept where that is True.

        Entries older than `days` are deleted now and then.
        """
        self._state = state
        self._days = days
        self._questions = questions
        self._clock = clock or (lambda: datetime.now(UTC))
        self._waiting: list[dict[str, Any]] = []
        self._opened: OrderedDict[tuple[object, ...], float] = OrderedDict()
        self._lock = threading.Lock()
        self._writing = threading.Lock()
        self._news = threading.Event()
        self._thread: threading.Thread | None = None
        self._closed = False

    def note(
        self,
        deed: Deed,
        collection: str = "",
        thing: str = "",
        outcome: Outcome = "done",
        question: str = "",
        by: Actor | None = None,
    ) -> None:
        """Write an entry: of a change at once, of a read or a refusal with the next batch. Raises AuditUnwritable.

        `by` is the current actor (`ACTING`) by default. The server's own work is not logged.
        """
        actor = by or present_actor()
        if self._state is None or actor is None:
            return
        key = (actor, collection, outcome)
        if deed == "open" and self._is_recent(key):
            return
        row = {
            "at": self._clock().isoformat(timespec="microseconds"),
            "who": plain(actor.name, NAME_CHARS),
            "kind": actor.kind,
            "token": actor.token,
            "address": plain(actor.address, NAME_CHARS),
            "channel": actor.channel,
            "deed": deed,
            "collection": plain(collection, NAME_CHARS),
            "thing": plain(thing, THING_CHARS),
            "outcome": outcome,
            "question": plain(question, MOST_QUESTION) if self._questions else "",
        }
        if deed in READS or outcome == "refused":
            self._wait(row)
            if (
                deed in READS
            ):  # only once the entry is accepted: a read that was refused without one is logged next time
                self._remember(key)
        else:
            self._write([row])

    @contextmanager
    def record(self, deed: Deed, collection: str = "", thing: str = "", by: Actor | None = None) -> Iterator[None]:
        """Write an entry when the block ends: the action is done, was refused, or failed."""
        outcome: Outcome = "failed"
        try:
            yield
            outcome = "done"
        except (NotAllowed, CollectionMissing, OverQuota):
            outcome = "refused"
            raise
        finally:
            self.note(deed, collection, thing, outcome, by=by)

    def flush(self) -> None:
        """Write what waits. Raises AuditUnwritable, and then it still waits."""
        with self._writing:
            with self._lock:
                batch = list(self._waiting)
            if batch:
                self._write(batch)
                with self._lock:
                    del self._waiting[: len(batch)]

    def prune(self) -> int:
        """Delete the entries that are older than the log keeps them; return how many there were."""
        if self._state is None:
            return 0
        oldest = (self._clock() - timedelta(days=self._days)).isoformat(timespec="microseconds")
        with self._state.transaction() as connection:
            return connection.execute(delete(AUDIT).where(AUDIT.c.at < oldest)).rowcount

    def close(self) -> None:
        """Write what waits; from now on each entry is written at once."""
        with self._lock:
            self._closed = True
            thread = self._thread
        self._news.set()
        if thread is not None:
            thread.join(timeout=30)
        try:
            self.flush()
        except AuditUnwritable:
            _LOG.exception("%s entries of the audit log are lost", len(self._waiting))

    def _is_recent(self, key: tuple[object, ...]) -> bool:
        """Return True if the same actor opened the collection so recently that no new entry is needed."""
        with self._lock:
            last = self._opened.get(key)
        return last is not None and time.monotonic() - last < _OPEN_SECONDS

    def _remember(self, key: tuple[object, ...]) -> None:
        """Remember that the opening of a collection was logged."""
        with self._lock:
            self._opened[key] = time.monotonic()
            self._opened.move_to_end(key)
            while len(self._opened) > _MOST_WAITING:
                self._opened.popitem(last=False)

    def _wait(self, row: dict[str, Any]) -> None:
        """Queue an entry for the next batch; if too many are queued, write them first."""
        with self._lock:
            full = len(self._waiting) >= _MOST_WAITING
        if full:
            self.flush()
        with self._lock:
            self._waiting.append(row)
            is_closed, many = self._closed, len(self._waiting) >= _BATCH
            if self._thread is None and not is_closed:
                self._thread = threading.Thread(target=self._work, name="audit log", daemon=True)
                self._thread.start()
        if is_closed:
            self.flush()
        elif many:
            self._news.set()

    def _work(self) -> None:
        """Write batches, and delete old entries, until the log is closed."""
        last_prune: float | None = None
        failing = False
        while not self._closed:
            self._news.wait(FLUSH_SECONDS)
            self._news.clear()
            try:
                self.flush()
                if last_prune is None or time.monotonic() - last_prune > _PRUNE_SECONDS:
                    last_prune = time.monotonic()
                    self.prune()
                failing = False
            except (AuditUnwritable, SQLAlchemyError):
                if not failing:  # once, not every second
                    _LOG.exception("the audit log cannot be written: its entries wait in memory")
                failing = True

    def _write(self, rows: Sequence[dict[str, Any]]) -> None:
        assert self._state is not None  # noqa: S101 - without a store nothing is noted
        try:
            with self._state.transaction() as connection:
                connection.execute(insert(AUDIT), rows)
        except SQLAlchemyError as error:
            raise AuditUnwritable(
                f"the audit log cannot be written ({type(error).__name__}): tell whoever runs this server"
            ) from error


def audit_entries(
    state: StateStore, who: str = "", collection: str = "", deed: str = "", since: str = "", most: int = 1000
) -> tuple[AuditEntry, ...]:
    """Return the newest entries that match all arguments, the newest last; `since` is a time as it is stored."""
    query = select(*(AUDIT.c[name] for name in AuditEntry.__dataclass_fields__))
    for column, value in ((AUDIT.c.who, who), (AUDIT.c.collection, collection), (AUDIT.c.deed, deed)):
        if value:
            query = query.where(column == value)
    if since:
        query = query.where(AUDIT.c.at >= since)
    with state.transaction() as connection:
        rows = connection.execute(query.order_by(AUDIT.c.at.desc(), AUDIT.c.id.desc()).limit(most)).all()
    return tuple(AuditEntry(*row) for row in reversed(rows))


def plain(text: str, most: int) -> str:
    """Return a text as one line of at most `most` characters; what is no printable character becomes U+FFFD."""
    return "".join(char if char.isprintable() else "\ufffd" for char in text[:most])
