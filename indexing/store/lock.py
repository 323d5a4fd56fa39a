"""The lock of a collection's writer: one process at a time, and a note beside it that names the process."""

from __future__ import annotations

import contextlib
import json
import os
import socket
from collections.abc import Iterator
from pathlib import Path

from filelock import FileLock, Timeout

from indexing.errors import CollectionLocked
from indexing.store.home import PRIVATE_FILE, make_private, write_error


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the right to write into the collection in `folder`, which is its owner's alone before and after.

    CollectionLocked names the process that has the right.
    """
    holder = folder / "writer.json"
    lock = FileLock(folder / "writer.lock", timeout=0, mode=PRIVATE_FILE)
    try:
        lock.acquire()
    except Timeout:
        raise CollectionLocked(
            f"collection {folder.name!r} is being written by {_holder(holder)}: wait for it, or stop it"
        ) from None
    except OSError as error:
        raise write_error(folder, error) from error
    try:
        with contextlib.suppress(OSError):  # a full disk: removing documents must go on, and the note is but a name
            holder.write_text(json.dumps({"pid": os.getpid(), "host": socket.gethostname()}))
        make_private(folder)  # what an earlier version, or a killed writer, has left open to others
        try:
            yield
        finally:
            make_private(folder)
        holder.unlink(missing_ok=True)
    finally:
        lock.release()


def _holder(note: Path) -> str:
    """Return the process that wrote the note beside the lock."""
    try:
        held = json.loads(note.read_text())
        return f"process {held['pid']} on {held['host']}"
    except (OSError, ValueError, KeyError):
        return "another process"
