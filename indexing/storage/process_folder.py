"""ProcessFolder: a folder for the work of one process, which outlives it by no more than the next one."""

from __future__ import annotations

import contextlib
import shutil
from pathlib import Path
from uuid import uuid4

from filelock import FileLock, Timeout

_PRIVATE = 0o700


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
