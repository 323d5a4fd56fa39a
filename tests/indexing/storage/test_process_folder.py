"""The folder of a process goes with it, or with the next one; a living process keeps its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from filelock import FileLock, Timeout

from indexing.storage import ProcessFolder


def test_the_folder_of_a_killed_process_goes_and_that_of_a_living_one_stays(tmp_path: Path) -> None:
    mine = ProcessFolder(tmp_path)
    code = (
        "import os, sys; from pathlib import Path; from indexing.storage import ProcessFolder; "
        "print(ProcessFolder(Path(sys.argv[1])).folder, flush=True); os.kill(os.getpid(), 9)"
    )
    killed = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=False)
    left = Path(killed.stdout.strip())
    assert killed.returncode == -9
    assert left.is_dir()
    ProcessFolder(tmp_path).close()
    assert mine.folder.is_dir()
    assert not left.exists()


def test_a_lock_that_another_process_takes_first_is_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    acquire, release = FileLock.acquire, FileLock.release
    attempts: list[Path] = []
    existed: list[bool] = []

    def contended(lock: FileLock) -> object:
        attempts.append(Path(lock.lock_file))
        if len(attempts) == 1:  # the other process holds it
            raise Timeout(lock.lock_file)
        proxy = acquire(lock)
        if len(attempts) == 2:  # the other process has deleted it
            attempts[1].unlink()
        return proxy

    def watched(lock: FileLock, force: bool = False) -> None:
        existed.append(Path(lock.lock_file).exists())
        release(lock, force)

    monkeypatch.setattr(FileLock, "acquire", contended)
    own = ProcessFolder(tmp_path)
    assert (own.folder, own.folder.is_dir(), attempts[2].exists()) == (attempts[2].with_suffix(""), True, True)
    monkeypatch.setattr(FileLock, "release", watched)
    own.close()
    assert not own.folder.exists()
    assert existed
    assert not any(existed), "it could be taken before it was deleted"
