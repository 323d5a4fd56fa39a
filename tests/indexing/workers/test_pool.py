"""Workers outlive the thread that first needed them, and a pool outlives its workers: pages of the app are drawn on
whatever thread is free, for as long as the app runs.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import Future, wait
from pathlib import Path
from typing import Any

import psutil
import pymupdf
import pytest

from indexing.errors import PageCrash, PageTimeout
from indexing.settings import IndexingSettings
from indexing.workers import Job, OpenedFile, Workers, result_of
from tests.support import documents

pytestmark = [pytest.mark.slow, pytest.mark.cold_workers]

ROOT = Path(__file__).resolve().parents[3]
LIMITED = """
import resource, sys, psutil
from indexing.settings import IndexingSettings
from indexing.workers.tasks import _limit_memory
held = int(sys.argv[1]) << 30 if sys.argv[1:] else resource.RLIM_INFINITY
resource.setrlimit(resource.RLIMIT_AS, (held, held))
before = psutil.Process().memory_info().vms
_limit_memory(IndexingSettings(worker_memory_mb=64 << 10))
print((resource.getrlimit(resource.RLIMIT_AS)[0] - before) >> 30)
"""


HELD = """
import os
from indexing.workers.tasks import prepare_process
prepare_process()
import pymupdf
threads = os.listdir("/proc/self/task")
print(sum(len(os.sched_getaffinity(int(thread))) < len(os.sched_getaffinity(0)) for thread in threads))
"""


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


def test_a_file_that_takes_the_place_of_one_that_is_open_is_read(job: Job, tmp_path: Path) -> None:
    settings = job.settings.with_values(visual="none", ocr="never")
    with Workers(1, settings) as workers:
        read = workers.wait_for_page(workers.parse(job, 1, "d"), job, 1)
        documents.pdf(tmp_path / "other.pdf", ["The barn was built in 1901."]).rename(job.path)
        again = workers.wait_for_page(workers.parse(job, 1, "d"), job, 1)
        job.path.unlink()
        gone = workers.wait_for_page(workers.parse(job, 1, "d"), job, 1)  # what is open can be read to its end
    texts = [parsed.elements[0].text for parsed in (read, again, gone)]
    assert texts == ["The mill was built in 1887.", *["The barn was built in 1901."] * 2]


def test_a_task_is_told_that_its_pool_has_been_ended(job: Job) -> None:
    with Workers(1, job.settings) as workers:
        waiting = workers.submit("open_seconds", signal.pause)
    assert wait([waiting], timeout=30).done


def test_a_locked_file_says_the_same_to_the_worker_that_opened_it(tmp_path: Path) -> None:
    """MuPDF forgets the password of a document that is asked whether it needs one."""
    settings = IndexingSettings(visual="none", ocr="never")
    vault = Job(documents.encrypted(tmp_path / "vault.pdf", "open sesame"), "open sesame", settings)
    plain = Job(documents.pdf(tmp_path / "plain.pdf", ["Nothing is locked here."]), "open sesame", settings)
    with Workers(1, settings) as workers:
        assert [workers.open(job).result().locked for job in (plain, vault)] == [False, True]
        (element,) = workers.wait_for_page(workers.parse(vault, 1, "x"), vault, 1).elements
        assert "nine barrels of cider" in element.text
        workers.unlock(vault, tmp_path / "copy.pdf")
    with pymupdf.open(tmp_path / "copy.pdf") as copy:
        assert "nine barrels of cider" in copy[0].get_text()


def test_a_page_that_waits_for_the_processor_is_not_given_up() -> None:
    """A worker that the system leaves no time, for longer than its limit, goes on where it stopped."""
    before = children()
    hasty = IndexingSettings(page_seconds=3)
    with Workers(1, hasty) as workers:
        counted = workers.submit("page_seconds", sum, range(20_000_000))
        (worker,) = begun(counted, before)
        worker.suspend()
        with pytest.raises(TimeoutError):
            counted.result(timeout=4)
        worker.resume()
        assert result_of(counted, "a sum", "page_seconds", hasty) == sum(range(20_000_000))


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


def test_a_deep_epub_ends_at_its_limit(tmp_path: Path) -> None:
    hasty = IndexingSettings(open_seconds=3)
    deep = Job(documents.deep_epub(tmp_path / "deep.epub"), None, hasty)
    with Workers(1, hasty) as workers:
        opening = workers.open(deep)
        with pytest.raises(PageTimeout, match=r"^deep\.epub: opening used more than 3 s .* raise open_seconds"):
            result_of(opening, "deep.epub: opening", "open_seconds", hasty)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems may take no limit")
@pytest.mark.parametrize(("held", "free"), [([], 64), (["32"], 31)])
def test_a_worker_may_grow_as_far_as_the_setting_or_the_system_says(held: list[str], free: int) -> None:
    """In GiB; where the system's own limit is the lower one the worker works on under that."""
    run = subprocess.run(
        [sys.executable, "-c", LIMITED, *held], env=os.environ | {"PYTHONPATH": str(ROOT)}, capture_output=True,
        text=True, check=False,
    )  # fmt: skip
    assert (run.stdout.strip(), run.stderr) == (str(free), "")


@pytest.mark.skipif(sys.platform != "linux", reason="other systems hold no thread to a processor")
def test_no_thread_of_a_worker_is_held_to_a_processor() -> None:
    """ONNX Runtime does so with one thread a processor of the machine, in every worker; they then wait for each other.

    Where the machine has one processor only, there is nothing to see.
    """
    run = subprocess.run(
        [sys.executable, "-c", HELD], env=os.environ | {"PYTHONPATH": str(ROOT)}, capture_output=True, text=True,
        check=True,
    )  # fmt: skip
    assert run.stdout.split() == ["0"]


def test_garbage_collected_in_a_thread_of_the_pool_ends_it_from_another(
    job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended: list[threading.Thread] = []
    done = threading.Event()

    def stop(_: Workers) -> None:
        ended.append(threading.current_thread())
        done.set()

    workers = Workers(1, job.settings)
    with monkeypatch.context() as patch:
        patch.setattr(Workers, "stop", stop)
        theirs = threading.Thread(target=workers.stop_from_finalizer)
        theirs.start()
        theirs.join(30)
        assert done.wait(30)
        assert ended[0] not in (theirs, threading.main_thread())
        workers.stop_from_finalizer()
        assert ended[1] is threading.main_thread()  # at exit no thread can be started any more
    workers.stop()
