"""Accounts: the names and passwords that let visitors in; too many wrong passwords stop all logins for a minute."""

from __future__ import annotations

import hmac
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from pathlib import Path

from ui.errors import AddressError

_MINUTE = 60.0
LEAST_PASSWORD = 8
"""The least characters of a password."""
MOST_FAILURES = 20
"""The wrong passwords within a minute, from anybody, after which nobody is let in until the minute is over."""


class Accounts:
    """The names and passwords. Safe to use from several threads."""

    def __init__(self, passwords: Mapping[str, str], clock: Callable[[], float] = time.monotonic) -> None:
        """Keep `passwords` by name; `clock` gives seconds."""
        self._passwords = dict(passwords)
        self._clock = clock
        self._failures: deque[float] = deque(maxlen=MOST_FAILURES)
        self._lock = threading.Lock()

    def admits(self, name: str, password: str) -> bool:
        """Return True for a name with its password; for nobody while too many wrong ones were just tried."""
        known = self._passwords.get(name)
        right = hmac.compare_digest((known or "").encode(), password.encode()) and known is not None
        with self._lock:
            now = self._clock()
            while self._failures and now - self._failures[0] > _MINUTE:
                self._failures.popleft()
            if len(self._failures) == MOST_FAILURES:
                return False
            if not right:
                self._failures.append(now)
        return right


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
        raise AddressError(f"{path}: cannot be read ({why}): make it, with name:password a line") from None
    if mode & 0o077:
        raise AddressError(f"{path}: others on this machine may read these passwords: chmod 600 {path}")
    found: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        name, colon, password = line.partition(":")
        if not (colon and name.strip() and name not in found):
            raise AddressError(f"{path}, line {number}: write name:password, each name once")
        if len(password) < LEAST_PASSWORD:
            raise AddressError(f"{path}, line {number}: a password has at least {LEAST_PASSWORD} characters")
        found[name.strip()] = password
    if not found:
        raise AddressError(f"{path}: holds no account: write name:password, one a line")
    return Accounts(found)
