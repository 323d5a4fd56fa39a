"""Accounts: the names and passwords that let visitors in, and the wrong passwords that keep some of them out."""

from __future__ import annotations

import hmac
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Hashable, Mapping
from pathlib import Path
from typing import Any, Protocol, TypeVar

import anyio
import anyio.to_thread

from ui.errors import AddressError
from ui.web.server.guard import CALLER

LEAST_PASSWORD = 8
"""The least characters of a password."""
LOCKED_SECONDS = 600.0
"""The seconds for which a wrong password is remembered."""
MOST_FAILURES = 10
"""The wrong passwords of one account from one address, after which that account is not let in from there."""
MOST_OF_ONE = 100
"""The wrong passwords of one account from everywhere, or from one address for all accounts. After so many only
those are let in, from there or by that name, who were before.
"""
_MOST_REMEMBERED = 10_000
_AT_ONCE = 2
"""The number of passwords that are compared at a time."""


T = TypeVar("T")


class PasswordBook(Protocol):
    """The place where names and passwords are kept."""

    def kept_name(self, name: str) -> str:
        """Return a name as it is kept, however it was typed."""
        ...

    def is_known(self, name: str) -> bool:
        """Return True for a name that is there."""
        ...

    def admits(self, name: str, password: str) -> bool:
        """Return True for a name with its password."""
        ...


class Accounts:
    """The names and passwords. Wrong ones are counted by account and address, so that nobody shuts others out.

    Safe to use from several threads.
    """

    def __init__(
        self, passwords: Mapping[str, str] | PasswordBook, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Keep `passwords` by name, or the book where they stand; `clock` gives seconds."""
        self._book = _PlainBook(passwords) if isinstance(passwords, Mapping) else passwords
        self.with_tokens = not isinstance(passwords, Mapping)
        """True for a book of people, whose programs come by tokens."""
        self._at_once: anyio.CapacityLimiter | None = None
        self._failures = _Failures(clock)
        self._known: OrderedDict[tuple[str, str], None] = OrderedDict()  # who was let in from where, the latest last
        self._lock = threading.Lock()
        self.failed: Callable[[str], None] = lambda _: None
        """Is told of each wrong password: the name, "" for one that nobody has, and which may be a password."""

    def admits(self, name: str, password: str) -> bool:
        """Return True for a name with its password, asked from CALLER; not while too many wrong ones were tried."""
        address = CALLER.get()
        name = self._book.kept_name(name)
        pair = (name, address)
        with self._lock:
            if self._is_locked(pair):
                return False
        right = self._book.admits(name, password)  # which takes its time: others need not wait for it
        with self._lock:
            if self._is_locked(pair):
                return False
            if right:
                self._known[pair] = None
                self._known.move_to_end(pair)
                _shorten(self._known)
                return True
            self._failures.add(address)
            is_known = self._book.is_known(name)
            if is_known:  # the number of names that nobody has is without end
                self._failures.add(name, pair)
        self.failed(name if is_known else "")
        return False

    async def admits_soon(self, name: str, password: str) -> bool:
        """Return as `admits` does, from a thread, when it is its turn."""
        return await self.in_turn(self.admits, name, password)

    async def in_turn(self, work: Callable[..., T], *arguments: Any) -> T:
        """Do work that hashes passwords in a thread: few at a time, as each hash takes 64 MB and a core."""
        if self._at_once is None:  # it belongs to the running event loop
            self._at_once = anyio.CapacityLimiter(_AT_ONCE)
        return await anyio.to_thread.run_sync(work, *arguments, limiter=self._at_once)

    def may_join(self) -> bool:
        """Return True unless too many wrong passwords or invitations came from CALLER."""
        with self._lock:
            return self._failures.of(CALLER.get()) < MOST_OF_ONE

    def count_failure(self) -> None:
        """Count a wrong invitation from CALLER, as wrong passwords are."""
        with self._lock:
            self._failures.add(CALLER.get())

    def _is_locked(self, pair: tuple[str, str]) -> bool:
        name, address = pair
        if self._failures.of(pair) >= MOST_FAILURES:
            return True
        crowd = max(self._failures.of(address), self._failures.of(name))
        return crowd >= MOST_OF_ONE and pair not in self._known


class _PlainBook:
    """The names and passwords of a file."""

    def __init__(self, passwords: Mapping[str, str]) -> None:
        self._passwords = dict(passwords)

    def kept_name(self, name: str) -> str:
        return name

    def is_known(self, name: str) -> bool:
        return name in self._passwords

    def admits(self, name: str, password: str) -> bool:
        known = self._passwords.get(name)
        return hmac.compare_digest((known or "").encode(), password.encode()) and known is not None


class _Failures:
    """The times of wrong passwords, by whatever they are counted by."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._times: OrderedDict[Hashable, deque[float]] = OrderedDict()

    def add(self, *keys: Hashable) -> None:
        for key in keys:
            self._times.setdefault(key, deque(maxlen=MOST_OF_ONE)).append(self._clock())
            self._times.move_to_end(key)
        _shorten(self._times)

    def of(self, key: Hashable) -> int:
        """Count those that are remembered."""
        times = self._times.get(key, ())
        return sum(self._clock() - time < LOCKED_SECONDS for time in times)


def _shorten(remembered: OrderedDict[Any, Any]) -> None:
    while len(remembered) > _MOST_REMEMBERED:
        remembered.popitem(last=False)


def read_accounts(path: str | Path) -> Accounts:
    """Read accounts from a text file, `name:password` a line; empty lines and those that begin with # are passed over.

    Raises AddressError for a file that cannot be read, that others on this machine may read, or of another form.
    """
    file = Path(path)
    try:
        text = file.read_text(encoding="utf-8")
        mode = file.stat().st_mode
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "not UTF-8"
        raise AddressError(f"{path}: cannot be read ({why}): it needs name:password on each line") from None
    if mode & 0o077:
        raise AddressError(f"{path}: other users of this machine can read these passwords: chmod 600 {path}")
    accounts: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        name, colon, password = line.partition(":")
        name = name.strip()
        if not (colon and name and name not in accounts):
            raise AddressError(f"{path}, line {number}: write name:password, each name once")
        if len(password) < LEAST_PASSWORD:
            raise AddressError(f"{path}, line {number}: a password needs at least {LEAST_PASSWORD} characters")
        accounts[name] = password
    if not accounts:
        raise AddressError(f"{path}: has no accounts: write name:password, one per line")
    return Accounts(accounts)
