"""The folder of queued files. After a restart, the server reports and deletes the files that were not read before."""

from __future__ import annotations

import logging
import shutil
import tempfile
from pathlib import Path

from filelock import FileLock, Timeout

_FILES, _LOCK = "files", "lock"
_PRIVATE = 0o700
_LOG = logging.getLogger(__name__)


class WaitingFolder:
    """The folder `files` of a queue; `left` are the names of files that an earlier server had not read.

    `keeps` is True if the files stay when it is closed. If another server uses the folder, or none is given, it is a
    temporary one, which is deleted then.
    """

    def __init__(self, folder: Path | None = None) -> None:
        """Lock `folder`, which is created if absent, and delete the files left in it."""
        self._temporary: tempfile.TemporaryDirectory[str] | None = None
        self._lock = _acquire_lock(folder) if folder is not None else None
        if folder is None or self._lock is None:
            self._temporary = tempfile.TemporaryDirectory(prefix="vouch-reading-")
            folder = Path(self._temporary.name)
        self.files = folder.resolve() / _FILES
        self.left = tuple(sorted(path.name for path in self.files.rglob("*") if path.is_file()))
        for entry in folder.resolve().iterdir():
            if entry.is_dir() and not entry.is_symlink():
                shutil.rmtree(entry, ignore_errors=True)
        self.files.mkdir(mode=_PRIVATE, exist_ok=True)

    @property
    def keeps(self) -> bool:
        """True if files stay when this server ends."""
        return self._lock is not None

    def close(self) -> None:
        """Delete a temporary folder; unlock the given one."""
        if self._temporary is not None:
            self._temporary.cleanup()
        if self._lock is not None:
            self._lock.release()


def _acquire_lock(folder: Path) -> FileLock | None:
    """Acquire the lock of a folder; None if another server holds it, or the folder is not writable."""
    try:
        folder.mkdir(mode=_PRIVATE, parents=True, exist_ok=True)
        lock = FileLock(folder / _LOCK, timeout=0, mode=0o600)
        lock.acquire()
    except Timeout:
        return None
    except OSError as error:
        _LOG.warning("files that wait end with this server: %s", error.strerror)
        return None
    return lock
