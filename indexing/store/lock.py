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
"""The question that a writer asks before each commit: is the right still mine? Raises WriterReplaced."""


def unasked() -> None:
    """Confirm the right to write: a lock of this machine goes with its process, and cannot be lost."""


@contextlib.contextmanager
def locked(place: StorageRoot) -> Iterator[Confirm]:
    """Hold the right to write into the collection at `place`; yield how to confirm it.

    CollectionLocked names the process that has the right.
    """
    if isinstance(place, ObjectRoot):
        lease = WriterLease(place)
        lease.acquire()
        try:
            yield lease.confirm
        finally:
            lease.release()
    elif isinstance(place, FolderRoot):
        with _locked_folder(place.folder):
            yield unasked


@contextlib.contextmanager
def _locked_folder(folder: Path) -> Iterator[None]:
    """Hold the lock of a folder, which is its owner's alone before and after."""
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
        held = parsed_json(note.read_text())
        return f"process {held['pid']} on {held['host']}"
    except (OSError, ValueError, KeyError):
        return "another process"
