"""Where the page of `vouch serve` is reached, by which names, and who may come in. Knows nothing of Gradio."""

from __future__ import annotations

import hmac
import re
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit

LOOPBACK = ("127.0.0.1", "localhost", "::1")
LEAST_PASSWORD = 8
MOST_FAILURES = 20
"""Wrong passwords within a minute, whoever sends them, after which nobody is let in until the minute is over."""
_MINUTE = 60.0


class DoorError(OSError):
    """The page cannot be opened like this; the message says why and what to do."""


class Accounts:
    """Names and passwords. Safe to use from several threads."""

    def __init__(self, passwords: Mapping[str, str], clock: Callable[[], float] = time.monotonic) -> None:
        """`passwords` by name; `clock` gives seconds."""
        self._passwords = dict(passwords)
        self._clock = clock
        self._failures: deque[float] = deque(maxlen=MOST_FAILURES)
        self._lock = threading.Lock()

    def admits(self, name: str, password: str) -> bool:
        """True for a name with its password; for nobody while too many wrong ones were just tried."""
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
    """Accounts from a text file, `name:password` a line; empty lines and those that begin with # are passed over.

    Raises DoorError for a file that cannot be read, that others on this machine may read, or that is not of this form.
    """
    file = Path(path)
    try:
        text = file.read_text(encoding="utf-8")
        mode = file.stat().st_mode
    except (OSError, UnicodeDecodeError) as error:
        raise DoorError(f"{path}: cannot be read ({getattr(error, 'strerror', None) or 'not UTF-8'})") from None
    if mode & 0o077:
        raise DoorError(f"{path}: others on this machine may read these passwords: chmod 600 {path}")
    found: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        name, colon, password = line.partition(":")
        if not (colon and name.strip() and name not in found):
            raise DoorError(f"{path}, line {number}: write name:password, each name once")
        if len(password) < LEAST_PASSWORD:
            raise DoorError(f"{path}, line {number}: a password has at least {LEAST_PASSWORD} characters")
        found[name.strip()] = password
    if not found:
        raise DoorError(f"{path}: holds no account: write name:password, one a line")
    return Accounts(found)


@dataclass(frozen=True, slots=True)
class Door:
    """Where to listen, and what for.

    `root_path` is the path, or the whole address, at which a proxy in front of the page serves it; `share` asks
    Gradio's servers for a public address; `mcp` offers the tools to language models, who cannot log in.
    """

    host: str = LOOPBACK[0]
    port: int = 7860
    accounts: Accounts | None = None
    root_path: str = ""
    share: bool = False
    mcp: bool = False

    def __post_init__(self) -> None:
        """Refuse what cannot work, or should not be done, with a DoorError."""
        if self.root_path and not re.fullmatch(r"(?:https?://[\w.:\[\]-]+)?(?:/[\w.~-]+)*/?", self.root_path):
            raise DoorError(f"--root-path {self.root_path!r}: give a path such as /vouch, or an address with one")
        if self.share and self.accounts is None:
            raise DoorError("--share puts the page on the internet: name who may use it with --auth-file")
        if self.mcp and self.accounts is not None:
            raise DoorError(
                "--mcp cannot ask for a password, so that it cannot be had with --auth-file (or --share, which needs "
                "that): serve the tools on this machine, in a process of their own: vouch serve --mcp --port 7861"
            )
        if self.mcp and find_spec("mcp") is None:
            raise DoorError("--mcp needs a package that is not installed: pip install 'vouch[mcp]'")

    @property
    def local(self) -> bool:
        """True when only this machine can reach it."""
        return self.host in LOOPBACK and not self.share

    @property
    def hosts(self) -> tuple[str, ...]:
        """The names by which it may be called; none when it may be called by any."""
        if not self.local:
            return ()
        outside = urlsplit(self.root_path).hostname
        return (*LOOPBACK, outside) if outside else LOOPBACK

    @property
    def warning(self) -> str:
        """What the person who starts it should know; empty when all is well."""
        if self.host in LOOPBACK or self.accounts is not None:
            return ""
        return (
            f"vouch: anybody who reaches {self.host} can read and change these collections: "
            "add --auth-file, or leave --host out"
        )
