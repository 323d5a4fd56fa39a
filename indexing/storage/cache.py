"""LocalCache: copies of objects on this machine, bounded in bytes, that any number of processes use at once.

A copy's name says its address and content, so it is never out of date. Who reads several as one folder has a view:
a folder of hard links, which goes with its process. A copy that stands in a view has more than one link, and is not
given up. So the kernel counts who needs what, and a process that dies leaves nothing that the next one cannot clear.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from filelock import FileLock, Timeout

DEFAULT_BYTES = 4 << 30
IN_HAND = 60.0
"""The seconds for which a copy that was asked for is kept, whatever the bound: somebody is about to read it."""
_AT_ONCE = 8
_PRIVATE = 0o700


@dataclass(frozen=True, slots=True)
class CachedFile:
    """A copy by its name in the cache, its bytes, and how it is fetched into a new file."""

    name: str
    size: int
    fetch: Callable[[Path], None]


def cache_folder() -> Path:
    """Return the folder of the cache: $VOUCH_CACHE, else vouch in $XDG_CACHE_HOME or ~/.cache."""
    named = os.environ.get("VOUCH_CACHE")
    if named:
        return Path(named)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "vouch"


class CacheView:
    """A folder of hard links to copies; they stay until it is closed, or its process ends."""

    def __init__(self, folder: Path, lock: FileLock) -> None:
        """Keep the folder, and the lock that says that its process lives."""
        self.folder = folder
        self._lock = lock

    def close(self) -> None:
        """Delete the folder."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self._lock.release()
        Path(self._lock.lock_file).unlink(missing_ok=True)


class LocalCache:
    """The copies in `folder`, of at most `limit` bytes together."""

    def __init__(self, folder: Path, limit: int | None = None) -> None:
        """Keep folder and bound; the folder is made with the first copy."""
        self.folder = folder
        self.limit = DEFAULT_BYTES if limit is None else limit
        self._files = folder / "files"
        self._views = folder / "views"

    def file(self, wanted: CachedFile) -> Path:
        """Return the path of a copy, fetched where it is missing."""
        path = self._files / wanted.name
        with contextlib.suppress(FileNotFoundError):
            if time.time() - path.stat().st_mtime > IN_HAND / 2:
                os.utime(path)
            return path
        self._files.mkdir(mode=_PRIVATE, parents=True, exist_ok=True)
        part = self._files / f"{uuid4().hex}.part"
        try:
            wanted.fetch(part)
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)
        self.trim()
        return path

    def view(self, wanted: Mapping[str, CachedFile]) -> CacheView | None:
        """Return a folder with copies under the paths that are the keys; None where they go beyond the bound.

        That is so, too, where the disk has no room for them.
        """
        self._clear_views()
        needed = {file.name: file.size for file in wanted.values()}
        if sum(needed.values()) + self._held(needed) > self.limit:
            return None
        lock = self._new_lock()
        view = CacheView(Path(lock.lock_file).with_suffix(""), lock)
        try:
            with ThreadPoolExecutor(_AT_ONCE) as pool:
                list(pool.map(lambda pair: self._link(view.folder / pair[0], pair[1]), wanted.items()))
        except BaseException as error:
            view.close()
            if isinstance(error, OSError) and error.errno == 28:
                return None
            raise
        return view

    def _new_lock(self) -> FileLock:
        """Return the lock of a new view, held; one that another process took for that of a dead one is left to it."""
        self._views.mkdir(mode=_PRIVATE, parents=True, exist_ok=True)
        while True:
            lock = FileLock(self._views / f"{uuid4().hex}.lock", timeout=0)
            with contextlib.suppress(Timeout):
                lock.acquire()
                if Path(lock.lock_file).exists():
                    return lock
                lock.release()

    def _link(self, path: Path, wanted: CachedFile) -> None:
        path.parent.mkdir(mode=_PRIVATE, parents=True, exist_ok=True)
        for _ in range(3):  # another process may give the copy up in between
            with contextlib.suppress(FileNotFoundError):
                os.link(self.file(wanted), path)
                return
        os.link(self.file(wanted), path)

    def trim(self) -> None:
        """Give up copies that no view needs, the longest unused first, until the rest keep to the bound."""
        found = sorted(self._stats(), key=lambda pair: pair[1].st_mtime)
        held = sum(stat.st_size for _, stat in found)
        for path, stat in found:
            if held <= self.limit:
                return
            if stat.st_nlink == 1 and time.time() - stat.st_mtime > IN_HAND:
                path.unlink(missing_ok=True)
                held -= stat.st_size

    def _held(self, but: Mapping[str, int]) -> int:
        """Return the bytes of copies that stand in views, but for those named."""
        return sum(stat.st_size for path, stat in self._stats() if stat.st_nlink > 1 and path.name not in but)

    def _stats(self) -> Iterator[tuple[Path, os.stat_result]]:
        if self._files.is_dir():
            for path in self._files.iterdir():
                with contextlib.suppress(FileNotFoundError):
                    yield path, path.stat()

    def _clear_views(self) -> None:
        """Delete the views of processes that are gone."""
        for path in self._views.glob("*.lock"):
            lock = FileLock(path, timeout=0)
            with contextlib.suppress(Timeout, OSError):
                lock.acquire()
                CacheView(path.with_suffix(""), lock).close()
        for part in self._files.glob("*.part"):
            with contextlib.suppress(OSError):
                if time.time() - part.stat().st_mtime > 60 * IN_HAND:
                    part.unlink()
