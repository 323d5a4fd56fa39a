"""The lock of a collection's writer: one process at a time, and a note beside it that names the process."""

from __future__ import annotations

import contextlib
import json
import os
import socket
from collections.abc import Iterator
from pathlib import Path

from filelock import FileLock, Timeout

from configs import parsed_json
from indexing.errors import CollectionLocked
from indexing.storage import FolderRoot, write_error
from indexing.store.home import PRIVATE_FILE, make_private


@contextlib.contextmanager
def write_lock(place: FolderRoot) -> Iterator[None]:
    """Hold the right to write to the collection at `place`; restrict its folder to its owner before and after.

    Raises CollectionLocked, which names the process that has the right.
    """
    folder = place.folder
    note = folder / "writer.json"
    lock = FileLock(folder / "writer.lock", timeout=0, mode=PRIVATE_FILE)
    try:
        lock.acquire()
    except Timeout:
        raise CollectionLocked(
            f"collection {folder.name!r} is being written by {_holder(note)}: wait for it, or stop it"
        ) from None
    except OSError as error:
        raise write_error(folder, error) from error
    try:
        with contextlib.suppress(OSError):  # on a full disk documents must still be removable; the note only informs
            note.write_text(json.dumps({"pid": os.getpid(), "host": socket.gethostname()}))
        make_private(folder)  # files that an earlier version, or a killed writer, left readable by others
        try:
            yield
        finally:
            make_private(folder)
        note.unlink(missing_ok=True)
    finally:
        lock.release()


def _holder(note: Path) -> str:
    """Return "process PID on HOST" by the note beside the lock, or "another process"."""
    try:
        holder = parsed_json(note.read_text())
        return f"process {holder['pid']} on {holder['host']}"
    except (OSError, ValueError, KeyError):
        return "another process"
