"""Workers outlive the thread that first needed them, and a pool outlives its workers: pages of the app are drawn on
whatever thread is free, for as long as the app runs.
"""

from __future__ import annotations

import contextlib
import threading
from pathlib import Path

import psutil
import pytest

from indexing.errors import PageCrash
from indexing.settings import IndexingSettings
from indexing.workers import Job, Workers
from tests import documents


@pytest.fixture
def job(tmp_path: Path) -> Job:
    return Job(documents.pdf(tmp_path / "a.pdf", ["The mill was built in 1887."]), None, IndexingSettings())


def children() -> set[psutil.Process]:
    return set(psutil.Process().children(recursive=True))


def started_since(before: set[psutil.Process]) -> list[psutil.Process]:
    """Workers, without multiprocessing's resource tracker."""
    return [p for p in children() - before if "fork" in " ".join(p.cmdline())]


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
