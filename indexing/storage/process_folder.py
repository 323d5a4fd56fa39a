"""ProcessFolder: a folder for the files of one process, deleted at its end or by the next process."""

from __future__ import annotations

import contextlib
import shutil
from pathlib import Path
from uuid import uuid4

from filelock import FileLock, Timeout

_PRIVATE = 0o700


class ProcessFolder:
    """A folder that is deleted when it is closed or, if its process was killed, by the next process that makes one.

    Its lock shows that its process is alive.
    """

    def __init__(self, above: Path) -> None:
        """Delete the folders of dead processes below `above`, and make a new one. Raises OSError."""
        above.mkdir(mode=_PRIVATE, parents=True, exist_ok=True)
        for path in above.glob("*.lock"):
            with contextlib.suppress(Timeout, OSError):
                self._acquire(FileLock(path, timeout=0))
                self.close()
        is_acquired = False
        while not is_acquired:  # another process can take the new lock for that of a dead one
            with contextlib.suppress(Timeout):
                is_acquired = self._acquire(FileLock(above / f"{uuid4().hex}.lock", timeout=0, mode=0o600))
        self.folder.mkdir(mode=_PRIVATE)

    def _acquire(self, lock: FileLock) -> bool:
        """Acquire a lock, and with it its folder; return False if its file was deleted meanwhile."""
        lock.acquire()
        self._lock, self.folder = lock, Path(lock.lock_file).with_suffix("")
        exists = Path(lock.lock_file).exists()
        if not exists:
            lock.release()
        return exists

    def close(self) -> None:
        """Delete the folder, then its lock, which is held until then so that no other process takes the folder."""
        shutil.rmtree(self.folder, ignore_errors=True)
        Path(self._lock.lock_file).unlink(missing_ok=True)
        self._lock.release()
