"""The lock of a collection's writer: one process at a time, and a note beside it that names the process.

On an object store it is a lease (`indexing.storage.lease`).
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

from filelock import FileLock, Timeout

from configs import parsed_json
from indexing.errors import CollectionLocked
from indexing.storage import FolderRoot, ObjectRoot, StorageRoot, WriterLease, write_error
from indexing.store.home import PRIVATE_FILE, make_private

Confirm = Callable[[], None]
"""A function that a writer calls before each commit; raises WriterReplaced if it no longer has the right to write."""


def confirm_always() -> None:
    """Confirm the right to write: a file lock cannot be lost while its process lives."""


@contextlib.contextmanager
def write_lock(place: StorageRoot) -> Iterator[Confirm]:
    """Hold the right to write into the collection at `place`; yield a function that confirms it.

    Raises CollectionLocked, which names the process that has the right.
    """
    if isinstance(place, ObjectRoot):
        lease = WriterLease(place)
        lease.acquire()
        try:
            yield lease.confirm
        finally:
            lease.release()
    elif isinstance(place, FolderRoot):
        with _folder_lock(place.folder):
            yield confirm_always


@contextlib.contextmanager
def _folder_lock(folder: Path) -> Iterator[None]:
    """Hold the lock of a folder; restrict the folder to its owner before and after."""
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
        make_private(folder)  # what an earlier version, or a killed writer, has left open to others
        try:
            yield
        finally:
            make_private(folder)
        note.unlink(missing_ok=True)
    finally:
        lock.release()


def _holder(note: Path) -> str:
    """Return the process that wrote the note beside the lock."""
    try:
        holder = parsed_json(note.read_text())
        return f"process {holder['pid']} on {holder['host']}"
    except (OSError, ValueError, KeyError):
        return "another process"
