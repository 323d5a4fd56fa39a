"""The work of a node of a cluster: it opens and parses files in processes of its own that can be killed, and embeds."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil

from indexing import IndexingSettings, ParsedPage
from indexing.conversion import elements_of, has_elements
from indexing.workers import Job, OpenedFile, Workers
from plugins.cluster.connection import NodeReport, node_report
from plugins.cluster.transfers import FileTransfer, ReceivedFiles

if TYPE_CHECKING:
    from indexing.embed import TextEmbedder, VisualEmbedder
    from indexing.store import PageRows

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
