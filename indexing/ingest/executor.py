"""The executor of a run: the place where its files are opened and its pages parsed, in processes that can be killed.

There are two: `Workers`, the processes of this machine, and `RayExecutor`, those of the nodes of a Ray cluster.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Protocol

from indexing.embed import PageEmbedder, VisualEmbedder
from indexing.settings import IndexingSettings
from indexing.store import PageRows
from indexing.types import ParsedPage
from indexing.workers import Job, OpenedFile, Workers


class Executor(Protocol):
    """The interface of both. Use it as a context manager; leaving it kills what still runs."""

    @property
    def count(self) -> int:
        """The number of pages that can be parsed at the same time."""
        ...

    @property
    def embed(self) -> Callable[[ParsedPage], Future[PageRows]] | None:
        """Start making the rows of a page that has its sections; None where the writer does it, in this process."""
        ...

    @property
    def page_embedder(self) -> Callable[[VisualEmbedder], PageEmbedder] | None:
        """Make what embeds the pixels of pages instead of the embedder that it is given, by the same weights.

        None where the writer does it, in this process.
        """
        ...

    def open(self, job: Job) -> Future[OpenedFile]:
        """Start opening a file, which makes its rendition where it needs one; take the outcome with `wait_for_file`."""
        ...

    def wait_for_file(self, future: Future[OpenedFile], job: Job) -> OpenedFile:
        """Wait for a file; raises PageTimeout, PageCrash or another FileError."""
        ...

    def parse(self, job: Job, number: int, doc_id: str) -> Future[ParsedPage]:
        """Start parsing page `number` (from 1); take the outcome with `wait_for_page`."""
        ...

    def wait_for_page(self, future: Future[ParsedPage], job: Job, number: int) -> ParsedPage:
        """Wait for a page; raises PageTimeout, PageCrash or another FileError."""
        ...

    def unlock(self, job: Job, target: Path) -> None:
        """Write the file of a job to `target`, on this machine, without its password."""
        ...

    def __enter__(self) -> Executor:
        """Return the executor itself."""
        ...

    def __exit__(self, *_: object) -> None:
        """Kill what still runs."""
        ...


def executor_for(on: str, settings: IndexingSettings, renditions: Path, ended: Callable[[], bool]) -> Executor:
    """Return the executor that `on` names: "" for this machine, `ray` or `ray://HOST:PORT` for a Ray cluster.

    What files are converted to goes into `renditions`; `ended` tells that nobody waits any more for a node to join.
    Raises BadSetting, ExtraMissing, ClusterMissing, ClusterOpen, IndexingCancelled.
    """
    if not on:
        return Workers(settings.workers, settings, renditions)
    from indexing.ingest.cluster import RayExecutor

    return RayExecutor(on, settings, renditions, ended)
