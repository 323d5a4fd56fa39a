"""The cache of answers: what a service said, kept on disk with its date, so that no question is put twice.

Only answers that could be read are kept, and those that have nothing for a day alone: a work may be registered
tomorrow. A cache that fails (a full disk, a damaged file) is one that has nothing.
"""

from __future__ import annotations

import sqlite3
import threading
import time
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

MOST_BYTES = 200_000_000
"""The bytes of all answers that are kept; the oldest go first."""
_DAY = 86_400.0
_EVERY = 50
"""The answers after which the size is looked at."""
_SCHEMA = """
CREATE TABLE IF NOT EXISTS answers (
  asked TEXT PRIMARY KEY, date REAL NOT NULL, until REAL NOT NULL, status INTEGER NOT NULL,
  host TEXT NOT NULL, elsewhere TEXT NOT NULL, body BLOB NOT NULL);
CREATE INDEX IF NOT EXISTS by_date ON answers (date);
"""
_TOO_MANY = """
DELETE FROM answers WHERE asked IN (
  SELECT asked FROM (SELECT asked, sum(length(body)) OVER (ORDER BY date DESC) AS size FROM answers) WHERE size > ?)
"""
"""The deletion of the oldest answers, so that the others have a number of bytes."""


@dataclass(frozen=True, slots=True)
class ServiceResponse:
    """A response: `host` gave it; `elsewhere` is the address of a redirect that was not followed, if it is one.

    `date` is when it came (seconds since 1970, 0 until it is known), `wait` the seconds that the server says to wait
    (Retry-After).
    """

    status: int
    body: bytes
    host: str
    elsewhere: str = ""
    date: float = 0.0
    wait: float | None = None


class ResponseCache:
    """The answers in a file, for any thread and for several processes."""

    def __init__(
        self, path: Path, days: float, *, most_bytes: int = MOST_BYTES, now: Callable[[], float] = time.time
    ) -> None:
        """Open the file, made where there is none; a damaged one is begun anew."""
        self._days, self._most_bytes, self._now = days, most_bytes, now
        self._lock, self._n_kept = threading.Lock(), 0
        self._rows = self._open(path)
        weakref.finalize(self, self._rows.close)

    def find(self, request: str) -> ServiceResponse | None:
        """Return the answer to a question, if there is one that is not too old."""
        try:
            with self._lock:
                query = (
                    "SELECT status, body, host, elsewhere, date FROM answers WHERE asked = ? AND date > ? AND until > ?"
                )
                now = self._now()
                row = self._rows.execute(query, (request, now - self._days * _DAY, now)).fetchone()
        except sqlite3.Error:
            return None
        return ServiceResponse(*row) if row else None

    def keep(self, request: str, answer: ServiceResponse, *, empty: bool = False) -> None:
        """Write an answer in the place of an earlier one, and drop the oldest where there are too many.

        `empty` is one that has nothing.
        """
        until = answer.date + (min(1.0, self._days) if empty else self._days) * _DAY
        row = (request, answer.date, until, answer.status, answer.host, answer.elsewhere, answer.body)
        try:
            with self._lock, self._rows:
                self._rows.execute("INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?, ?, ?)", row)
                self._n_kept += 1
                if self._n_kept % _EVERY == 1:
                    self._shrink()
        except sqlite3.Error:
            return

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._rows.close()

    def _shrink(self) -> None:
        """Delete what is too old, and the oldest until a tenth of the room is free."""
        self._rows.execute("DELETE FROM answers WHERE until <= ?", (self._now(),))
        total = self._rows.execute("SELECT coalesce(sum(length(body)), 0) FROM answers").fetchone()[0]
        if total > self._most_bytes:
            self._rows.execute(_TOO_MANY, (0.9 * self._most_bytes,))

    def _open(self, path: Path) -> sqlite3.Connection:
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            path.touch(mode=0o600)
            return _connect(path)
        except sqlite3.OperationalError:  # locked for long, or the disk is full: this run keeps nothing
            return _connect(":memory:")
        except sqlite3.DatabaseError:  # no database at all
            path.unlink(missing_ok=True)
            return _connect(path)
        except OSError:
            return _connect(":memory:")


def _connect(path: Path | str) -> sqlite3.Connection:
    rows = sqlite3.connect(path, check_same_thread=False, timeout=10)
    try:
        rows.executescript(_SCHEMA)
    except sqlite3.Error:
        rows.close()
        raise
    return rows
