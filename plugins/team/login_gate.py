"""LoginGate checks passwords, and locks accounts and addresses after too many wrong ones."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

import anyio
import anyio.to_thread

from plugins.team.people import People, normal_name
from ui.access import SCENE

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
