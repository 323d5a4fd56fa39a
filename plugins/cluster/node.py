"""The work of a node: files arrive as bytes, are parsed in processes that can be killed, and embedded.

What is sent is kept for a while on both sides, so that a file is sent once for all its pages; both sides bound
what they keep, and a file that was dropped is sent again.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import numpy as np
import psutil

from indexing import IndexingSettings, ParsedPage
from indexing.conversion import elements_of, has_elements
from indexing.workers import Job, OpenedFile, Workers
from plugins.cluster.connection import NodeReport, node_report

if TYPE_CHECKING:
    from indexing.embed import TextEmbedder, VisualEmbedder
    from indexing.store import PageRows


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


PREFIX = "vouch-node-"
"""The beginning of the name of a node's folder, which the id of its process follows."""


@dataclass(frozen=True, slots=True)
class OpenedThere:
    """The result of opening a file on a node, and the path (there) and bytes of each file that this produced."""

    file: OpenedFile
    files: tuple[tuple[Path, bytes], ...]

    def write_files(self, folder: Path) -> OpenedFile:
        """Write the files into `folder`; return the result with their paths on this machine. Raises OSError."""
        copies: dict[Path, Path] = {}
        for path, content in self.files:
            relative = path.relative_to(self.file.pages.parent) if self.file.pages else Path(path.name)
            copies[path] = folder / relative
            copies[path].parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            copies[path].write_bytes(content)
        attachments = tuple((name, copies[path]) for name, path in self.file.attachments)
        pages = copies[self.file.pages] if self.file.pages else None
        return replace(self.file, pages=pages, attachments=attachments)


class NodeWork:
    """The work of one node, in a process of the cluster; its parsing processes die with it.

    Files are kept in a private temporary folder while they are processed.
    """

    def __init__(self, count: int, settings: IndexingSettings, fetch: Callable[[Any], Any]) -> None:
        """Create the folder; `count` processes parse, and `fetch` gets the bytes of a transfer."""
        os.umask(0o077)
        clear_abandoned()
        self._count = count
        self._settings = settings
        self._folder = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-"))
        self._workers = Workers(count, settings, self._folder / "renditions")
        self._received_files = ReceivedFiles(self._folder / "files", fetch)
        self._embedders: tuple[TextEmbedder, VisualEmbedder | None] | None = None

    def report(self) -> NodeReport:
        """Return the version of Vouch and the authentication mode of Ray on this node."""
        return node_report()

    def open(self, job: Job, transfer: FileTransfer) -> OpenedThere:
        """Open a file; return the result with the files that it was converted to. Raises FileError."""
        with self._received_files.unpack(job, transfer) as local_job:
            opened_file = self._workers.wait_for_file(self._workers.open(local_job), local_job)
        if opened_file.pages is None:
            return OpenedThere(opened_file, ())
        elements = [elements_of(opened_file.pages)] if has_elements(opened_file.pages) else []
        paths = [opened_file.pages, *elements, *(path for _, path in opened_file.attachments)]
        files = tuple((path, path.read_bytes()) for path in paths)
        for path in paths:
            path.unlink(missing_ok=True)
        return OpenedThere(opened_file, files)

    def parse(self, job: Job, transfer: FileTransfer, number: int, doc_id: str) -> ParsedPage:
        """Parse page `number` (from 1); raises FileError."""
        with self._received_files.unpack(job, transfer) as local_job:
            return self._workers.wait_for_page(self._workers.parse(local_job, number, doc_id), local_job, number)

    def embed(self, page: ParsedPage) -> PageRows:
        """Return the rows of a parsed page whose sections are known. Called for one page at a time."""
        from indexing.embed import text_embedder, visual_embedder
        from indexing.store import embed_page

        if self._embedders is None:
            text = text_embedder(self._settings, threads=self._count)
            self._embedders = (text, visual_embedder(self._settings, lambda: text))
        return embed_page(page, *self._embedders)

    def close(self) -> None:
        """Kill the parsing processes, and delete the folder."""
        self._workers.stop()
        shutil.rmtree(self._folder, ignore_errors=True)


def clear_abandoned() -> None:
    """Delete the folders that killed node processes of this user have left on this machine."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        number = folder.name.removeprefix(PREFIX).partition("-")[0]
        if number.isdecimal() and not psutil.pid_exists(int(number)) and folder.is_dir() and not folder.is_symlink():
            shutil.rmtree(folder, ignore_errors=True)
