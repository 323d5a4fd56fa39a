"""Folders on a disk, and those of one process."""

import subprocess
import sys
from pathlib import Path

import pytest
from filelock import FileLock, Timeout

from indexing import BadSetting, list_collections
from indexing.storage import FolderRoot, ProcessFolder


def test_what_is_written_comes_back(tmp_path: Path) -> None:
    root = FolderRoot(tmp_path / "home")
    place = root.below("made-up")
    assert (place.name, place.folders(), list(place.files()), place.size()) == ("made-up", (), [], 0)
    place.write("a.json", b"one")
    place.write("a.json", b"three")
    assert (place.read("a.json"), place.exists("a.json"), place.exists("b.json")) == (b"three", True, False)
    with pytest.raises(FileNotFoundError):
        place.read("b.json")
    source = tmp_path / "source.pdf"
    source.write_bytes(b"content")
    inner = place.below("sources")
    inner.write("x", b"")
    inner.bring("copy.pdf", source)
    assert source.exists()
    inner.bring("moved.pdf", source, move=True)
    assert not source.exists()
    assert [(file.key, file.size) for file in inner.files()] == [("copy.pdf", 7), ("moved.pdf", 7), ("x", 0)]
    assert [file.key for file in inner.files("mo")] == ["moved.pdf"]
    assert (root.folders(), place.folders(), place.size()) == (("made-up",), ("sources",), 19)
    assert inner.parent.name == "made-up"
    found = inner.find("copy.pdf")
    assert found is not None
    copy = inner.local_copy(found)
    assert (copy.read_bytes(), copy.suffix) == (b"content", ".pdf")
    inner.delete("copy.pdf")
    inner.delete("copy.pdf")
    assert inner.find("copy.pdf") is None
    place.clear()
    assert (root.folders(), place.exists("a.json")) == ((), False)


def test_a_home_that_is_an_address_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VOUCH_HOME", "s3://key:secret@bucket/x")
    with pytest.raises(BadSetting, match="give a folder") as refused:
        list_collections()
    assert "secret" not in str(refused.value)


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
