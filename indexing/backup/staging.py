"""A temporary folder on the disk of the home, in which a backup is assembled or unpacked.

Each folder has a lock that its process holds; the next process deletes the folders of killed ones.
"""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

from filelock import FileLock, Timeout

from indexing.storage import StorageRoot, write_error

_BACKUPS = ".backups"


@contextlib.contextmanager
def staging_folder(root: StorageRoot) -> Iterator[Path]:
    """Yield a new folder on this machine for the home at `root`. Raises DiskFull, CollectionDamaged."""
    above = root.machine / _BACKUPS
    lock = FileLock(above / f"{uuid4().hex}.lock", timeout=0, mode=0o600)
    folder = Path(lock.lock_file).with_suffix("")
    try:
        above.mkdir(mode=0o700, parents=True, exist_ok=True)
        _clear(above)
        lock.acquire()
        folder.mkdir(mode=0o700)
    except OSError as error:
        raise write_error(above, error) from error
    try:
        yield folder
    finally:
        _drop(folder, lock)
        with contextlib.suppress(OSError):  # another process has its folder there
            above.rmdir()


def _clear(above: Path) -> None:
    """Delete the folders of processes that are gone."""
    for path in above.glob("*.lock"):
        lock = FileLock(path, timeout=0)
        with contextlib.suppress(Timeout, OSError):
            lock.acquire()
            _drop(path.with_suffix(""), lock)


def _drop(folder: Path, lock: FileLock) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    Path(lock.lock_file).unlink(missing_ok=True)
    lock.release()
