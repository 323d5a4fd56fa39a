"""The transfers in which files travel to the nodes of a cluster, as bytes: no folder needs to be shared.

What is sent is kept for a while on both sides, so that a file is sent once for all its pages; both sides bound
what they keep, and a file that was dropped is sent again.
"""

from __future__ import annotations

import contextlib
import shutil
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np

from indexing.conversion import elements_of, has_elements
from indexing.workers import Job

MOST_KEPT = 1 << 30
"""The most bytes of files that are not in use that either side keeps."""

Content = Any
"""An array of bytes (n,) uint8 as it stands in the memory of a cluster, or the reference by which a node gets it."""


@dataclass(frozen=True, slots=True)
class FileTransfer:
    """A file to send: its key, its size in bytes, and the name and content of each of its parts.

    The parts are the file itself or, where it has a rendition, the rendition and the file of the elements on its pages.
    """

    key: str
    size: int
    parts: tuple[tuple[str, Content], ...]


class FileSender:
    """The transfers of this machine's files; `put` stores bytes in the cluster's memory and returns a reference."""

    def __init__(self, put: Callable[[Any], Content]) -> None:
        """Keep the function; `transfer` sends."""
        self._put = put
        self._lock = threading.Lock()
        self._transfers: OrderedDict[tuple[Path, int, int], FileTransfer] = OrderedDict()

    def transfer(self, job: Job) -> FileTransfer:
        """Return the transfer of a job's file, sent again if changed or dropped. Raises OSError if unreadable."""
        main = job.pages or job.path
        state = main.stat()
        with self._lock:
            key = (main, state.st_size, state.st_mtime_ns)
            transfer = self._transfers.get(key)
            if transfer is None:
                files = [main, *([elements_of(main)] if has_elements(job.pages) else [])]
                arrays = [(file.name, np.fromfile(file, np.uint8)) for file in files]
                size = sum(len(array) for _, array in arrays)
                transfer = FileTransfer(uuid4().hex, size, tuple((name, self._put(array)) for name, array in arrays))
                self._transfers[key] = transfer
            self._transfers.move_to_end(key)
            self._drop_oldest()
            return transfer

    def _drop_oldest(self) -> None:
        """Drop the oldest transfers above the limit; the cluster keeps those that nodes have yet to fetch."""
        total = sum(transfer.size for transfer in self._transfers.values())
        while total > MOST_KEPT and len(self._transfers) > 1:
            total -= self._transfers.popitem(last=False)[1].size


class ReceivedFiles:
    """The transfers that have arrived at a node, each unpacked in a subfolder of `folder`."""

    def __init__(self, folder: Path, fetch: Callable[[Content], Any]) -> None:
        """Keep the folder; `fetch` gets the bytes behind a reference."""
        self._folder = folder
        self._fetch = fetch
        self._lock = threading.Lock()
        self._arriving: dict[str, threading.Lock] = {}
        self._users: dict[str, int] = {}
        self._sizes: OrderedDict[str, int] = OrderedDict()

    @contextlib.contextmanager
    def unpack(self, job: Job, transfer: FileTransfer) -> Iterator[Job]:
        """Yield the job with paths on this machine; the file exists at least until the end of the block."""
        with self._lock:
            self._users[transfer.key] = self._users.get(transfer.key, 0) + 1
            arriving = self._arriving.setdefault(transfer.key, threading.Lock())
        try:
            with arriving:
                folder = self._unpack(transfer)
            first = folder / transfer.parts[0][0]
            path = folder / job.path.name
            yield replace(job, path=path, pages=first if job.pages else None)
        finally:
            with self._lock:
                self._users[transfer.key] -= 1
                self._clear()

    def _unpack(self, transfer: FileTransfer) -> Path:
        """Write the parts of a transfer into its folder unless they are present; return the folder."""
        folder = self._folder / transfer.key
        if transfer.key not in self._sizes:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            for name, content in transfer.parts:
                (folder / name).write_bytes(memoryview(self._fetch(content)))
        with self._lock:
            self._sizes[transfer.key] = transfer.size
            self._sizes.move_to_end(transfer.key)
        return folder

    def _clear(self) -> None:
        """Delete the least recently used transfers above the limit, except those in use."""
        idle = [key for key in self._sizes if not self._users.get(key)]
        total = sum(self._sizes[key] for key in idle)
        for key in idle:
            if total <= MOST_KEPT:
                return
            total -= self._sizes.pop(key)
            self._users.pop(key, None)
            self._arriving.pop(key, None)
            shutil.rmtree(self._folder / key, ignore_errors=True)
