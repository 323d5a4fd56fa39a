"""The folder in which files wait to be read: its server may end, and the next one goes on with them.

Each file that is to be read has a record, which says whose it is and where it goes. A password is never written down.
"""

from __future__ import annotations

import json
import logging
import tempfile
import threading
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from configs import parsed_json
from ui.access import Actor
from ui.web.uploads.item import QueuedFile

MOST_BREAKS = 2
"""The times that a server may break off while it reads a file; then the file is not read again unasked."""
_BROKEN_OFF = "the server stopped twice while reading this file or another one: try it again on its own"
_RECORDS, _FILES, _LOCK, _RECORD = "records", "files", "lock", ".json"
_RECORDED = ("id", "owner", "collection", "name", "size", "uploaded", "account")
_PRIVATE = 0o700
_LOG = logging.getLogger(__name__)


class WaitingFolder:
    """The files of one queue, and their records. Every method may be called from any thread.

    It `keeps` them for the next server, unless another server has the folder, or none was given: then they lie in a
    temporary one, and end with this server.
    """

    def __init__(self, folder: Path | None = None) -> None:
        """Take `folder`, which is made where there is none."""
        self._temporary: tempfile.TemporaryDirectory[str] | None = None
        self._lock = _acquire_lock(folder) if folder is not None else None
        self.keeps = folder is not None and self._lock is not None
        if folder is None or not self.keeps:
            self._temporary = tempfile.TemporaryDirectory(prefix="vouch-reading-")
            folder = Path(self._temporary.name)
        self._records, self.files = folder.resolve() / _RECORDS, folder.resolve() / _FILES
        for folder_to_make in (self._records, self.files):
            folder_to_make.mkdir(mode=_PRIVATE, exist_ok=True)
        self._broken: dict[str, int] = {}
        self._guard = threading.Lock()

    def keep(self, item: QueuedFile, *, begun: bool = False) -> None:
        """Write down a file that is to be read. If the server breaks off once it has `begun`, that is counted."""
        if not self.keeps or item.path is None:
            return
        with self._guard:
            broken = self._broken.get(item.id, 0) + (1 if begun else 0)
            path = self._record(item)
            try:
                written = path.with_suffix(".part")
                written.write_text(json.dumps(_to_record(item, broken)), encoding="utf-8")
                written.replace(path)
            except OSError as error:  # it is read all the same, unless the server ends before
                _LOG.warning("a file that waits could not be written down: %s", error.strerror)

    def drop(self, item: QueuedFile) -> None:
        """Forget a file: it is not to be read any more."""
        if self.keeps:
            with self._guard, suppress(OSError):
                self._record(item).unlink(missing_ok=True)
                self._broken.pop(item.id, None)

    def recover_files(self) -> tuple[QueuedFile, ...]:
        """Return the files that an earlier server left, in order of arrival, and delete stale records.

        One that servers broke off at is returned as failed.
        """
        if not self.keeps:
            return ()
        files = []
        for path in sorted(self._records.iterdir(), key=lambda path: (len(path.name), path.name)):
            item, broken = _from_record(path) if path.suffix == _RECORD else (None, 0)
            if item is None or item.id != path.stem or item.path is None or not item.path.is_file():
                path.unlink(missing_ok=True)
                continue
            self._broken[item.id] = broken
            files.append(item)
        self._delete_others(files)
        return tuple(files)

    def close(self) -> None:
        """Delete the files, but for those that are kept: let another server have these."""
        if self._temporary is not None:
            self._temporary.cleanup()
        if self._lock is not None:
            self.recover_files()  # which deletes what nobody is to read
            self._lock.release()

    def _record(self, item: QueuedFile) -> Path:
        return self._records / f"{item.id}{_RECORD}"

    def _delete_others(self, found: list[QueuedFile]) -> None:
        """Delete the files that nobody is to read, as a server that broke off leaves them."""
        paths = {item.path for item in found}
        for path in sorted(self.files.rglob("*"), key=lambda path: len(path.parts), reverse=True):
            with suppress(OSError):
                if path.is_dir() and not path.is_symlink():
                    if not any(path.iterdir()):
                        path.rmdir()
                elif path not in paths:
                    path.unlink()


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


def _to_record(item: QueuedFile, broken: int) -> dict[str, Any]:
    facts = {name: getattr(item, name) for name in _RECORDED}
    by = asdict(item.by) if item.by is not None else None
    return facts | {"path": str(item.path), "by": by, "broken": broken}


def _from_record(path: Path) -> tuple[QueuedFile | None, int]:
    """Return the file of a record, and how often a server stopped while reading it; None for an invalid record."""
    try:
        record = parsed_json(path.read_text(encoding="utf-8"))
        broken, by = int(record.pop("broken")), record.pop("by")
        item = QueuedFile(**record | {"path": Path(record["path"]), "by": Actor(**by) if by else None})
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None, 0
    if broken >= MOST_BREAKS:
        return replace(item, state="failed", note=_BROKEN_OFF), 0
    return item, broken
