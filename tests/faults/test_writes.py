"""A few of the faults of `python -m tests.faults.writes`: a full disk, copies between writes, copies under the lock."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from indexing.embed import MiniLM
from tests.faults import operations, writes
from tests.support.tools import missing

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def embedder() -> MiniLM:
    return MiniLM(threads=1)


@pytest.mark.usefixtures("compiler")
@pytest.mark.parametrize(
    ("operation", "every"),
    [
        *(pytest.param(*case, marks=pytest.mark.thorough) for case in (("index", 41), ("reread", 37))),
        pytest.param("delete", 19, marks=pytest.mark.gate),
    ],
)
def test_a_disk_that_is_full_at_a_write_is_told_and_loses_nothing(operation: str, every: int) -> None:
    command = ["full", "--operation", operation, "--every", str(every)]
    run = subprocess.run(
        [sys.executable, "-m", "tests.faults.writes", *command], cwd=writes.ROOT, capture_output=True, text=True,
        env=os.environ | {"PYTHONPATH": str(writes.ROOT)}, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stdout + run.stderr
    assert "0 with something wrong" in run.stdout


@pytest.mark.usefixtures("compiler")
@pytest.mark.parametrize(
    ("operation", "every"),
    [pytest.param("replace", 10, marks=pytest.mark.gate), pytest.param("reread", 12, marks=pytest.mark.thorough)],
)
def test_a_copy_between_two_writes_is_whole(tmp_path: Path, embedder: MiniLM, operation: str, every: int) -> None:
    found = list(writes.copies(tmp_path, embedder, operation, every))
    assert len(found) > 4
    assert [(number, lines) for number, lines in found if lines] == []


def test_a_copy_taken_under_the_lock_while_documents_are_written_is_whole(tmp_path: Path, embedder: MiniLM) -> None:
    """The command of docs/experiments/faults.md."""
    if not shutil.which("flock"):
        missing("needs flock: apt-get install util-linux")
    home, copy = tmp_path / "home", tmp_path / "copy"
    operations.base(home, embedder)
    with subprocess.Popen(
        [sys.executable, "-m", "tests.faults.operations", "many", str(home)], cwd=writes.ROOT,
        env=os.environ | {"PYTHONPATH": str(writes.ROOT)},
    ) as process:  # fmt: skip
        try:
            while len(operations.opened(home, embedder).documents()) < 6:
                assert process.poll() is None
            for number in range(3):
                target = copy / str(number)
                target.mkdir(parents=True)
                command = ["flock", str(home / "books" / "writer.lock"), "cp", "-a", str(home / "books"), str(target)]
                subprocess.run(command, check=True)
                assert writes.state(target, embedder, "many") == []
        finally:
            process.kill()
