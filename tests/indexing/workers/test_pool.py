"""Workers outlive the thread that first needed them, and a pool outlives its workers: pages of the app are drawn on
whatever thread is free, for as long as the app runs.
"""

import contextlib
import signal
import threading
from concurrent.futures import Future, wait
from pathlib import Path
from typing import Any

import psutil
import pytest

from indexing.errors import PageCrash, PageTimeout
from indexing.settings import IndexingSettings
from indexing.workers import Job, OpenedFile, Workers, result_of
from tests.support import documents

pytestmark = [pytest.mark.slow, pytest.mark.cold_workers]

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def job(tmp_path: Path) -> Job:
    return Job(documents.pdf(tmp_path / "a.pdf", ["The mill was built in 1887."]), None, IndexingSettings())


def children() -> set[psutil.Process]:
    return set(psutil.Process().children(recursive=True))


def started_since(before: set[psutil.Process]) -> list[psutil.Process]:
    """Workers, without multiprocessing's resource tracker."""
    return [p for p in children() - before if "fork" in " ".join(p.cmdline())]


def begun(task: Future[Any], before: set[psutil.Process]) -> list[psutil.Process]:
    """The workers, once one of them has a task in hand."""
    while not task.running():
        threading.Event().wait(0.02)
    return started_since(before)


@pytest.mark.gate
def test_a_worker_outlives_the_thread_that_asked_for_it(job: Job) -> None:
    before = children()
    with Workers(1, IndexingSettings()) as workers:
        drawn: list[bytes] = []
        asking = threading.Thread(target=lambda: drawn.append(workers.draw(job, 1, 200)))
        asking.start()
        asking.join()
        gone, alive = psutil.wait_procs(started_since(before), timeout=1)
        assert (len(gone), len(alive)) == (0, 1)
        assert workers.draw(job, 1, 200) == drawn[0]


@pytest.mark.gate
def test_a_pool_outlives_workers_that_are_killed_while_they_wait(job: Job) -> None:
    before = children()
    with Workers(1, IndexingSettings()) as workers:
        drawn = workers.draw(job, 1, 200)
        (worker,) = started_since(before)
        worker.kill()
        with contextlib.suppress(PageCrash):  # of a page that was asked for before the loss was seen
            workers.draw(job, 1, 200)
        assert workers.draw(job, 1, 200) == drawn
    assert psutil.wait_procs(started_since(before), timeout=10)[1] == []


def lost_task(workers: Workers, job: Job, monkeypatch: pytest.MonkeyPatch) -> Future[OpenedFile]:
    """A task that the pool has taken and never begins, as when it breaks then, and whose workers are killed."""
    before = children()
    workers.draw(job, 1, 50)
    with monkeypatch.context() as patched:
        patched.setattr(workers._pool, "schedule", lambda *_, **__: Future())
        future = workers.open(job)
    for worker in started_since(before):
        worker.kill()
    return future


def assert_lost(future: Future[OpenedFile], job: Job) -> None:
    assert wait([future], timeout=30).done, "nobody was told"
    with pytest.raises(PageCrash, match="was lost because all workers"):
        result_of(future, "mill.pdf: opening", "open_seconds", job.settings)


@pytest.mark.gate
def test_a_task_that_a_broken_pool_never_began_is_told_to_be_lost(job: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker that was killed while the next task was given left that task waiting for ever."""
    with Workers(1, job.settings) as workers:
        assert_lost(lost_task(workers, job, monkeypatch), job)
        assert workers.draw(job, 1, 50)


@pytest.mark.gate
def test_a_worker_that_does_nothing_is_given_up_in_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("indexing.workers.pool.PATIENCE", 2)
    hasty = IndexingSettings(page_seconds=1)
    with Workers(1, hasty) as workers:
        waiting = workers.submit("page_seconds", signal.pause)
        with pytest.raises(PageTimeout, match=r"a wait did not finish within 2 s .* less than 1 s of processor time"):
            result_of(waiting, "a wait", "page_seconds", hasty)


@pytest.mark.gate
def test_a_page_that_keeps_the_processor_is_given_up(tmp_path: Path) -> None:
    hasty = IndexingSettings(page_seconds=2)
    endless = Job(documents.endless(tmp_path / "endless.pdf"), None, hasty)
    with (
        Workers(1, hasty) as workers,
        pytest.raises(PageTimeout, match=r"more than 2 s of processor time .* page_sec"),
    ):
        workers.draw(endless, 1, 200)
