"""LocalCache: copies of objects on this machine, limited in bytes and shared by any number of processes.

The name of a copy depends on its address and content, so it is never out of date. A process that reads several copies
as one folder uses a view: a folder of hard links, which is deleted with the process. A copy in a view has several links
and is not evicted. So the kernel counts the users of a copy, and the next process can clean up after one that died.
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
GRACE_SECONDS = 60.0
"""The seconds after its last use in which a copy is never evicted, as a process can be about to read it."""
_AT_ONCE = 8
_PRIVATE = 0o700


@dataclass(frozen=True, slots=True)
class CachedFile:
    """A file of the cache: its name, its size in bytes, and a function that fetches it into a new file."""

    name: str
    size: int
    fetch: Callable[[Path], None]


def cache_folder() -> Path:
    """Return the folder of the cache: $VOUCH_CACHE, else vouch in $XDG_CACHE_HOME or ~/.cache."""
    folder = os.environ.get("VOUCH_CACHE")
    if folder:
        return Path(folder)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "vouch"


class ProcessFolder:
    """A folder that is deleted when it is closed or, if its process was killed, by the next process that makes one.

    Its lock shows that its process lives.
    """

    def __init__(self, above: Path) -> None:
        """Delete the folders of dead processes below `above`, and make a new one. Raises OSError."""
        above.mkdir(mode=_PRIVATE, parents=True, exist_ok=True)
        for path in above.glob("*.lock"):
            with contextlib.suppress(Timeout, OSError):
                self._take(FileLock(path, timeout=0))
                self.close()
        taken = False
        while not taken:  # another process can take the new lock for that of a dead one
            with contextlib.suppress(Timeout):
                taken = self._take(FileLock(above / f"{uuid4().hex}.lock", timeout=0, mode=0o600))
        self.folder.mkdir(mode=_PRIVATE)

    def _take(self, lock: FileLock) -> bool:
        """Acquire a lock, and with it its folder; return False if its file was deleted meanwhile."""
        lock.acquire()
        self._lock, self.folder = lock, Path(lock.lock_file).with_suffix("")
        exists = Path(lock.lock_file).exists()
        if not exists:
            lock.release()
        return exists

    def close(self) -> None:
        """Delete the folder, then its lock, which is held until then: nobody may take it in between."""
        shutil.rmtree(self.folder, ignore_errors=True)
        Path(self._lock.lock_file).unlink(missing_ok=True)
        self._lock.release()


class LocalCache:
    """The copies in `folder`, of at most `limit` bytes together."""

    def __init__(self, folder: Path, limit: int | None = None) -> None:
        """Keep folder and limit; the folder is created with the first copy."""
        self.folder = folder
        self.limit = DEFAULT_BYTES if limit is None else limit
        self._files = folder / "files"

    def file(self, entry: CachedFile) -> Path:
        """Return the path of a copy, and fetch it if it is missing."""
        path = self._files / entry.name
        with contextlib.suppress(FileNotFoundError):
            if time.time() - path.stat().st_mtime > GRACE_SECONDS / 2:
                os.utime(path)
            return path
        self._files.mkdir(mode=_PRIVATE, parents=True, exist_ok=True)
        part = self._files / f"{uuid4().hex}.part"
        try:
            entry.fetch(part)
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)
        self.trim()
        return path

    def view(self, entries: Mapping[str, CachedFile]) -> ProcessFolder | None:
        """Return a folder of hard links to the copies, under the paths that are the keys.

        Return None if they exceed the limit of the cache, or the space on the disk.
        """
        for part in self._files.glob("*.part"):
            with contextlib.suppress(OSError):
                if time.time() - part.stat().st_mtime > 60 * GRACE_SECONDS:
                    part.unlink()
        sizes = {file.name: file.size for file in entries.values()}
        needed = sum(sizes.values())
        if needed > self.limit:
            return None
        view = ProcessFolder(self.folder / "views")
        others = sum(stat.st_size for path, stat in self._stats() if stat.st_nlink > 1 and path.name not in sizes)
        if needed + others > self.limit:
            view.close()
            return None
        try:
            with ThreadPoolExecutor(_AT_ONCE) as pool:
                list(pool.map(lambda pair: self._link(view.folder / pair[0], pair[1]), entries.items()))
        except BaseException as error:
            view.close()
            if isinstance(error, OSError) and error.errno == 28:
                return None
            raise
        return view

    def _link(self, path: Path, entry: CachedFile) -> None:
        path.parent.mkdir(mode=_PRIVATE, parents=True, exist_ok=True)
        for _ in range(3):  # another process can evict the copy in between
            with contextlib.suppress(FileNotFoundError):
                os.link(self.file(entry), path)
                return
        os.link(self.file(entry), path)

    def trim(self) -> None:
        """Evict copies that no view needs, the longest unused first, until the rest are within the limit."""
        files = sorted(self._stats(), key=lambda pair: pair[1].st_mtime)
        total = sum(stat.st_size for _, stat in files)
        for path, stat in files:
            if total <= self.limit:
                return
            if stat.st_nlink == 1 and time.time() - stat.st_mtime > GRACE_SECONDS:
                path.unlink(missing_ok=True)
                total -= stat.st_size

    def _stats(self) -> Iterator[tuple[Path, os.stat_result]]:
        if self._files.is_dir():
            for path in self._files.iterdir():
                with contextlib.suppress(FileNotFoundError):
                    yield path, path.stat()
