"""The cache of copies: its bound, its views, and processes that share it or die."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from filelock import FileLock, Timeout

from indexing.storage import CachedFile, LocalCache, cache, cache_folder


def named(name: str, size: int = 10, fetched: list[str] | None = None) -> CachedFile:
    def fetch(target: Path) -> None:
        if fetched is not None:
            fetched.append(name)
        target.write_bytes(name[:1].encode() * size)

    return CachedFile(name, size, fetch)


def held(folder: Path) -> set[str]:
    return {path.name for path in (folder / "files").iterdir()}


def test_a_copy_is_fetched_once(tmp_path: Path) -> None:
    fetched: list[str] = []
    for _ in range(3):
        assert LocalCache(tmp_path).file(named("a", fetched=fetched)).read_bytes() == b"a" * 10
    assert fetched == ["a"]


def test_a_copy_that_fails_leaves_nothing(tmp_path: Path) -> None:
    def fetch(target: Path) -> None:
        target.write_bytes(b"half")
        raise ConnectionError

    with pytest.raises(ConnectionError):
        LocalCache(tmp_path).file(CachedFile("a", 10, fetch))
    assert held(tmp_path) == set()


def test_the_longest_unused_copies_are_given_up(tmp_path: Path) -> None:
    kept = LocalCache(tmp_path, 30)
    for age, name in enumerate("abcdef"):
        os.utime(kept.file(named(name)), (1000 + age, 1000 + age))
    os.utime(kept.file(named("g")), (2000, 2000))
    kept.trim()
    assert held(tmp_path) == {"e", "f", "g"}


def test_what_was_just_asked_for_is_kept_beyond_the_bound(tmp_path: Path) -> None:
    kept = LocalCache(tmp_path, 15)
    for name in "abc":
        kept.file(named(name))
    assert held(tmp_path) == {"a", "b", "c"}


def test_a_view_holds_its_copies_until_it_is_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "GRACE_SECONDS", -1.0)
    kept = LocalCache(tmp_path, 25)
    view = kept.view({"t/data/a": named("a"), "t/b": named("b")})
    assert view is not None
    kept.file(named("c"))
    assert held(tmp_path) == {"a", "b"}
    assert (view.folder / "t" / "data" / "a").read_bytes() == b"a" * 10
    assert kept.view({"x": named("c")}) is None  # 20 bytes are in use, and 10 more go beyond the bound
    view.close()
    assert kept.view({"x": named("c")}) is not None
    assert held(tmp_path) <= {"a", "b", "c"}
    assert len(held(tmp_path)) == 2
    assert not view.folder.exists()


def test_more_than_the_bound_is_not_fetched(tmp_path: Path) -> None:
    fetched: list[str] = []
    assert LocalCache(tmp_path, 15).view({"a": named("a", fetched=fetched), "b": named("b", fetched=fetched)}) is None
    assert fetched == []


def test_the_views_of_a_killed_process_go_and_those_of_a_living_one_stay(tmp_path: Path) -> None:
    mine = LocalCache(tmp_path).view({"a": named("a")})
    code = (
        "import os, sys; from pathlib import Path; from indexing.storage import CachedFile, LocalCache\n"
        "write = lambda target: target.write_bytes(b'b' * 10)\n"
        "view = LocalCache(Path(sys.argv[1])).view({'b': CachedFile('b', 10, write)})\n"
        "print(view.folder, flush=True); os.kill(os.getpid(), 9)"
    )
    killed = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=False)
    left = Path(killed.stdout.strip())
    assert killed.returncode == -9
    assert (left / "b").exists()
    LocalCache(tmp_path).view({"a": named("a")})
    assert mine is not None
    assert (mine.folder / "a").exists()
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
    own = cache.ProcessFolder(tmp_path)
    assert (own.folder, own.folder.is_dir(), attempts[2].exists()) == (attempts[2].with_suffix(""), True, True)
    monkeypatch.setattr(FileLock, "release", watched)
    own.close()
    assert not own.folder.exists()
    assert existed
    assert not any(existed), "it could be taken before it was deleted"


def test_the_folder_is_the_one_that_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("VOUCH_CACHE", str(tmp_path))
    assert cache_folder() == tmp_path
    monkeypatch.delenv("VOUCH_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", "/var/tmp")
    assert cache_folder() == Path("/var/tmp/vouch")
