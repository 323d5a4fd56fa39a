"""Workers outlive the thread that first needed them: a page of the app is drawn on whatever thread is free."""

from __future__ import annotations

import threading
from pathlib import Path

import psutil

from indexing.settings import IndexingSettings
from indexing.workers import Job, Workers
from tests import documents


def test_a_worker_outlives_the_thread_that_asked_for_it(tmp_path: Path) -> None:
    job = Job(documents.pdf(tmp_path / "a.pdf", ["The mill was built in 1887."]), None, IndexingSettings())
    workers, before = Workers(1, IndexingSettings()), set(psutil.Process().children(recursive=True))
    drawn: list[bytes] = []
    asking = threading.Thread(target=lambda: drawn.append(workers.draw(job, 1, 200)))
    asking.start()
    asking.join()
    started = [
        p for p in psutil.Process().children(recursive=True) if p not in before and "fork" in " ".join(p.cmdline())
    ]
    gone, alive = psutil.wait_procs(started, timeout=1)
    assert (len(gone), len(alive)) == (0, 1)
    assert workers.draw(job, 1, 200) == drawn[0]
    workers.stop()
