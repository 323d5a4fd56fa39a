"""Where the work of a run is done: in processes of this machine, or where a plugin can do it."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Protocol, cast

from configs import LOCAL, executors
from indexing.embed import PageEmbedder, VisualEmbedder
from indexing.errors import BadSetting
from indexing.settings import IndexingSettings
from indexing.store import PageRows
from indexing.types import ParsedPage
from indexing.workers import Job, OpenedFile, Workers
from vouch.hooks import ExecutorSpec, left_out_advice, load


class Executor(Protocol):
    """The processes that open the files of a run and parse their pages, and that can be killed.

    Use it as a context manager; leaving it kills what still runs.
    """

    @property
    def count(self) -> int:
        """The number of pages that can be parsed at the same time."""
        ...

    @property
    def embed(self) -> Callable[[ParsedPage], Future[PageRows]] | None:
        """A function that starts embedding a page, whose sections are set, into rows; None to do it in the writer."""
        ...

    @property
    def page_embedder(self) -> Callable[[VisualEmbedder], PageEmbedder] | None:
        """A function that returns an embedder of pages elsewhere, with the weights of the one that it is given.

        It is None if the writer embeds pages in this process.
        """
        ...

    def open(self, job: Job) -> Future[OpenedFile]:
        """Start opening a file, and making its rendition if it needs one; get the result with `wait_for_file`."""
        ...

    def wait_for_file(self, future: Future[OpenedFile], job: Job) -> OpenedFile:
        """Wait for a file; raises PageTimeout, PageCrash or another FileError."""
        ...

    def parse(self, job: Job, number: int, doc_id: str) -> Future[ParsedPage]:
        """Start parsing page `number` (from 1); get the result with `wait_for_page`."""
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


def executor_for(on: str, settings: IndexingSettings, renditions: Path, has_ended: Callable[[], bool]) -> Executor:
    """Return the executor that `on` names: "local" for this machine, or that of a plugin.

    Converted files are written to the folder `renditions`; `has_ended` returns True once the caller has given up.
    Raises BadSetting, and what the plugin raises.
    """
    return cast("Executor", load(_spec(on).index)(on, settings, renditions, has_ended))


def local_executor(on: str, settings: IndexingSettings, renditions: Path, _: Callable[[], bool]) -> Executor:
    """Return the worker processes of this machine. Raises BadSetting for an address, as it has none."""
    if on != LOCAL:
        raise BadSetting(f"--on {on}: this machine has no address: give {LOCAL}")
    return Workers(settings.workers, settings, renditions)


def _spec(on: str) -> ExecutorSpec:
    """Return the executor of the name before "://" in `--on`. Raises BadSetting."""
    specs = {spec.name: spec for spec in executors()}
    spec = specs.get(on.partition("://")[0])
    if spec is None:
        advice = left_out_advice() or "another name needs the plugin that adds it"
        raise BadSetting(f"--on {on}: nothing here does work under that name: give {' or '.join(specs)}; {advice}")
    return spec
