"""The uploads that have arrived and are not queued yet: their owners, the room for more, and their deletion.

The server stores an upload as `<folder>/<64 hex digits>/<name>`.
"""

from __future__ import annotations

import itertools
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path

import anyio.to_thread

from indexing import is_sha256
from ui.errors import TooMuch
from ui.settings import UiSettings
from ui.web.uploads.unzip import MB

_FRESH = 60.0
"""The seconds for which an upload is kept in any case: its sender is about to queue it."""
_MINUTE = 60.0
Coming = Callable[[int], None]
"""A function that takes the number of bytes of a piece of an upload, and raises TooMuch."""
Waiting = Callable[[str | None], tuple[int, int]]
"""A function that returns the number of queued files, and their bytes: of one owner, or of all (None)."""


class Arrivals:
    """The uploads of one running page that are not queued yet. Every method may be called from any thread."""

    def __init__(
        self, folder: Path, settings: UiSettings, waiting: Waiting, clock: Callable[[], float] = time.time
    ) -> None:
        """Keep the folder where the server puts uploads; `waiting` counts queued files; `clock` returns seconds."""
        self._folder = folder
        self._settings = settings
        self._waiting = waiting
        self._clock = clock
        self._owners: dict[Path, str] = {}
        self._coming: Counter[str] = Counter()
        self._lock = threading.Lock()

    async def expect(self, owner: str) -> AbstractContextManager[Coming]:
        """Return the context of an upload; call its function with the size of each piece. Both raise TooMuch.

        If the server is full, or the owner's share, uploads that were not queued within a minute are deleted first.
        """
        files, size = await anyio.to_thread.run_sync(self._all)
        if self._is_full(files, size):
            await anyio.to_thread.run_sync(self.sweep, _FRESH)
            files, size = await anyio.to_thread.run_sync(self._all)
            if self._is_full(files, size):
                raise TooMuch(
                    f"this server holds no more than {self._settings.max_all_files:,} files or "
                    f"{self._settings.max_all_waiting_mb:,} MB for all its visitors (max_all_files, "
                    "max_all_waiting_mb): add it later"
                )
        own_files, own_size = await anyio.to_thread.run_sync(self._of, owner)
        if own_files >= self._settings.max_files or 2 * own_size >= self._settings.max_waiting_mb * MB:
            await anyio.to_thread.run_sync(self.sweep, _FRESH, owner)
        return self._count_arrival(owner, size, await anyio.to_thread.run_sync(self._of, owner))

    @property
    def too_many(self) -> str:
        """The message for more files than `room` returns."""
        return f"more than {self._settings.max_files:,} files are waiting (max_files): send fewer, or add it later"

    def room(self, owner: str) -> int:
        """Return how many files an owner may still send: up to twice max_files, since the queue refuses the surplus."""
        return self._room(self._of(owner)[0])

    def note(self, owner: str, paths: object) -> None:
        """Remember the owner of the files at `paths`, which have arrived."""
        with self._lock:
            for path in paths if isinstance(paths, list) else ():
                self._owners[Path(str(path))] = owner

    def sweep(self, older_than: float | None = None, owner: str | None = None) -> None:
        """Delete uploads that are older than the settings allow, or than so many seconds, and empty folders.

        With `owner`, only this owner's uploads.
        """
        most = self._settings.upload_minutes * _MINUTE if older_than is None else older_than
        now = self._clock()
        with self._lock:
            owners = dict(self._owners)
        for path in self._files():
            with suppress(OSError):  # taken over in this moment
                if owner in (None, owners.get(path)) and now - path.stat().st_mtime > most:
                    path.unlink()
        for folder in self._folders():
            with suppress(OSError):  # it holds a file
                if now - folder.stat().st_mtime > _FRESH:
                    folder.rmdir()
        with self._lock:
            self._owners = {path: owner for path, owner in self._owners.items() if path.exists()}

    @contextmanager
    def _count_arrival(self, owner: str, of_all: int, own: tuple[int, int]) -> Iterator[Coming]:
        """Yield the function of `expect`; `of_all` and `own` (files, bytes) are what all and the owner have already."""
        limits, so_far, (own_files, own_size) = self._settings, 0, own
        if self._room(own_files) <= 0:
            raise TooMuch(self.too_many)

        def coming(size: int) -> None:
            nonlocal so_far
            so_far += size
            with self._lock:
                self._coming[owner] += size
                mine, everybody = self._coming[owner], self._coming.total()
            if own_size + mine > limits.max_waiting_mb * MB:
                raise TooMuch(f"more than {limits.max_waiting_mb:,} MB are waiting (max_waiting_mb): add it later")
            if of_all + everybody > limits.max_all_waiting_mb * MB:
                raise TooMuch(
                    f"more than {limits.max_all_waiting_mb:,} MB of all visitors are waiting (max_all_waiting_mb): "
                    "add it later"
                )

        try:
            yield coming
        finally:
            with self._lock:
                self._coming[owner] -= so_far
                if not self._coming[owner]:
                    del self._coming[owner]

    def _room(self, own_files: int) -> int:
        return 2 * self._settings.max_files - own_files

    def _is_full(self, files: int, size: int) -> bool:
        return files >= self._settings.max_all_files or size >= self._settings.max_all_waiting_mb * MB

    def _all(self) -> tuple[int, int]:
        """Return the number of all files, arrived and queued, and their bytes."""
        return _sum(_sizes(self._files()), self._waiting(None))

    def _of(self, owner: str) -> tuple[int, int]:
        """Return the number of one owner's files, arrived and queued, and their bytes."""
        with self._lock:
            mine = [path for path, its in self._owners.items() if its == owner]
        return _sum(_sizes(mine), self._waiting(owner))

    def _folders(self) -> list[Path]:
        with suppress(OSError):  # nothing was uploaded yet
            return [path for path in self._folder.iterdir() if is_sha256(path.name) and path.is_dir()]
        return []

    def _files(self) -> list[Path]:
        return list(itertools.chain.from_iterable(_entries(folder) for folder in self._folders()))


def _entries(folder: Path) -> list[Path]:
    with suppress(OSError):  # it was removed in this moment
        return list(folder.iterdir())
    return []


def _sizes(files: Sequence[Path]) -> list[int]:
    sizes = []
    for path in files:
        with suppress(OSError):  # taken over in this moment
            sizes.append(path.stat().st_size)
    return sizes


def _sum(sizes: Sequence[int], waiting: tuple[int, int]) -> tuple[int, int]:
    return len(sizes) + waiting[0], sum(sizes) + waiting[1]
