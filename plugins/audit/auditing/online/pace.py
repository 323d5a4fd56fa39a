"""The pace of requests: one at a time to a service, and a pause between two, for all audits of this process."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from plugins.audit.errors import SourceUnreachable


class Clock:
    """The time, and waiting, which `stop` ends. Tests have one of their own that waits for nothing."""

    def __init__(self) -> None:
        """Begin to run."""
        self._stopped = threading.Event()

    def now(self) -> float:
        """Return the seconds that have passed since some moment."""
        return time.monotonic()

    def wait(self, seconds: float) -> None:
        """Wait. Raises SourceUnreachable where it was stopped."""
        if self._stopped.wait(max(0.0, seconds)):
            raise SourceUnreachable("the audit was stopped")

    def stop(self) -> None:
        """End all waiting, now and later."""
        self._stopped.set()


class Pace:
    """The turns of one service."""

    def __init__(self) -> None:
        """Begin free."""
        self._lock = threading.Lock()
        self._next = float("-inf")

    @contextmanager
    def turn(self, clock: Clock, pause: float) -> Iterator[None]:
        """Wait for the turn, and keep the next one `pause` seconds away from its beginning."""
        with self._lock:
            left = self._next - clock.now()
            clock.wait(left)
            self._next = clock.now() + pause
            yield

    def delay(self, clock: Clock, seconds: float) -> None:
        """Let the next turn, whoever has it, begin no earlier than in so many seconds."""
        with self._lock:
            self._next = max(self._next, clock.now() + seconds)


_PACES: dict[str, Pace] = {}
_PACES_LOCK = threading.Lock()


def pace_of(service: str) -> Pace:
    """Return the pace that all audits of this process share for a service."""
    with _PACES_LOCK:
        return _PACES.setdefault(service, Pace())
