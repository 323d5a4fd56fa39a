"""A collection that follows a folder: what is read, marked and removed, and how it begins, ends and goes on."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import watchfiles

from indexing import Collection, IndexingSettings, Metadata
from plugins.watch.changes import FolderLook
from plugins.watch.following import FolderFollower, FolderNotice
from tests.support import documents
from tests.support.waiting import until

pytestmark = pytest.mark.slow

SETTINGS = IndexingSettings(workers=1, visual="none")
RYE = "The mill by the river grinds rye and nothing else."
CIDER = "Nine barrels of cider lie in the cellar of the barn."
EGGS = "The hens of the farm lay forty eggs each day in May."


@pytest.fixture
def shelf(tmp_path: Path) -> Path:
    folder = (tmp_path / "shelf").resolve()
    folder.mkdir()
    documents.pdf(folder / "mill.pdf", [RYE])
    documents.pdf(folder / "barn.pdf", [CIDER])
    return folder


@pytest.fixture
def collection(tmp_path: Path) -> Collection:
    return Collection.create("c", tmp_path / "home", SETTINGS)


class Told:
    """The notices of a follower."""

    def __init__(self) -> None:
        self.notices: list[FolderNotice] = []

    def __call__(self, notice: FolderNotice) -> None:
        self.notices.append(notice)

    def changes(self) -> list[tuple[str, str]]:
        found = [(n.change.kind, n.change.path.name) for n in self.notices if n.change]
        self.notices = [n for n in self.notices if not n.change]
        return sorted(found)

    def problems(self) -> str:
        return "\n".join(n.text for n in self.notices if n.kind == "problem")


def follower(collection: Collection, shelf: Path, told: Told, **how: object) -> FolderFollower:
    return FolderFollower(collection, FolderLook(shelf, SETTINGS, **{"settle": 0.0} | how), told)  # type: ignore[arg-type]


def names(collection: Collection, *, missing: bool = False) -> set[str]:
    return {d.name for d in collection.documents() if d.metadata.missing == missing}


def test_once_after_once_follows_all_that_happens(collection: Collection, shelf: Path) -> None:
    told = Told()
    assert follower(collection, shelf, told).once()
    assert told.changes() == [("new", "barn.pdf"), ("new", "mill.pdf")]
    assert names(collection) == {"barn.pdf", "mill.pdf"}
    mill = collection.document("mill.pdf")
    assert (mill.metadata.language, mill.metadata.folder) == ("en", "")

    (shelf / "old").mkdir()
    (shelf / "mill.pdf").rename(shelf / "old" / "rye.pdf")
    (shelf / "barn.pdf").unlink()
    (shelf / "old" / ".vouch.yaml").write_text("tags: [grain]\ndate: 1887\n")
    assert follower(collection, shelf, told).once()
    assert told.changes() == [("missing", "barn.pdf"), ("moved", "rye.pdf")]
    moved = collection.document("rye.pdf")
    assert moved.id == mill.id  # so that its anchors hold
    assert (moved.metadata.tags, moved.metadata.date, moved.metadata.folder) == (("grain",), "1887", "old")
    assert names(collection, missing=True) == {"barn.pdf"}
    assert collection.search("cider barrels").hits[0].element.text == CIDER  # what it said can still be cited

    documents.pdf(shelf / "barn.pdf", [CIDER])
    documents.pdf(shelf / "old" / "rye.pdf", [EGGS])
    (shelf / "old" / ".vouch.yaml").write_text("tags: [eggs]\n")
    assert follower(collection, shelf, told).once()
    assert {"barn.pdf", "rye.pdf"} == names(collection)
    assert collection.document("rye.pdf").metadata.tags == ("eggs",)
    assert not names(collection, missing=True)

    (shelf / "barn.pdf").unlink()
    assert follower(collection, shelf, told, prune=True).once()
    assert names(collection) | names(collection, missing=True) == {"rye.pdf"}
    assert not list((collection.path / "sources").glob(f"{mill.sha256}*"))
    told.changes()
    assert follower(collection, shelf, told, prune=True).once()
    assert told.changes() == []


def test_what_was_attached_follows_its_mail(collection: Collection, shelf: Path) -> None:
    told = Told()
    assert follower(collection, shelf, told).once()
    mill, barn = collection.document("mill.pdf"), collection.document("barn.pdf")
    with collection.writer() as writer:
        writer.describe(barn.id, Metadata(parent=mill.id))
        writer.rename(barn.id, "barn.pdf", f"{shelf}/mill.pdf!barn.pdf")
    (shelf / "barn.pdf").unlink()
    (shelf / "mill.pdf").rename(shelf.with_name("mill.pdf"))
    assert follower(collection, shelf, told).once()
    assert names(collection, missing=True) == {"mill.pdf", "barn.pdf"}
    shelf.with_name("mill.pdf").rename(shelf / "mill.pdf")
    assert follower(collection, shelf, told).once()
    assert names(collection) == {"mill.pdf", "barn.pdf"}
    documents.pdf(shelf / "hens.pdf", [EGGS])
    (shelf / "mill.pdf").unlink()
    assert follower(collection, shelf, told, prune=True).once()
    assert names(collection) | names(collection, missing=True) == {"hens.pdf"}


def test_what_cannot_be_read_is_told_once_and_the_rest_goes_on(collection: Collection, shelf: Path) -> None:
    told = Told()
    (shelf / "bad.pdf").write_bytes(b"%PDF-1.7 nothing more")
    (shelf / ".vouch.yaml").write_text("tgas: [a]")
    mine = follower(collection, shelf, told)
    assert not mine.once()
    assert names(collection) == {"barn.pdf", "mill.pdf"}
    assert "did you mean tags?" in told.problems()
    assert [n.report.exit_code for n in told.notices if n.report] == [1]
    told.notices.clear()
    assert not mine.once()
    assert (told.changes(), told.problems()) == ([], "")


@pytest.fixture
def started(collection: Collection, shelf: Path) -> Iterator[Callable[..., Told]]:
    """Start followers on threads; all are stopped at the end, and must then end."""
    running: list[tuple[FolderFollower, threading.Thread]] = []

    def start(**how: object) -> Told:
        told = Told()
        poll = bool(how.pop("poll", False))
        mine = follower(collection, shelf, told, **{"settle": 0.2} | how)
        mine.poll = poll
        thread = threading.Thread(target=mine.follow)
        thread.start()
        running.append((mine, thread))
        return told

    yield start
    for mine, thread in running:
        mine.stop.set()
        thread.join(20)
        assert not thread.is_alive()


@pytest.mark.parametrize("poll", [False, True])
def test_changes_are_followed_while_it_runs(
    collection: Collection, shelf: Path, started: Callable[..., Told], poll: bool
) -> None:
    told = started(poll=poll)
    until(lambda: names(collection) == {"barn.pdf", "mill.pdf"})
    until(lambda: any(n.kind == "current" for n in told.notices))
    documents.pdf(shelf / "hens.pdf", [EGGS])
    until(lambda: "hens.pdf" in names(collection))
    (shelf / "sub").mkdir()
    (shelf / "hens.pdf").rename(shelf / "sub" / "eggs.pdf")
    until(lambda: names(collection) == {"barn.pdf", "mill.pdf", "eggs.pdf"})
    (shelf / "sub" / "eggs.pdf.yaml").write_text("tags: [eggs]")
    until(lambda: collection.document("eggs.pdf").metadata.tags == ("eggs",))
    (shelf / "barn.pdf").unlink()
    until(lambda: names(collection, missing=True) == {"barn.pdf"})
    assert [kind for kind, _ in told.changes()].count("new") == 3


def test_where_the_system_cannot_watch_the_folder_is_polled(
    collection: Collection, shelf: Path, started: Callable[..., Told], monkeypatch: pytest.MonkeyPatch
) -> None:
    watch = watchfiles.watch

    def limited(*paths: Path, force_polling: bool | None, **how: Any) -> Iterator[Any]:
        if not force_polling:
            raise OSError("OS file watch limit reached")
        yield from watch(*paths, force_polling=True, **how)

    monkeypatch.setattr(watchfiles, "watch", limited)
    told = started()
    until(lambda: any(n.kind == "polling" and "limit reached" in n.text for n in told.notices))
    documents.pdf(shelf / "hens.pdf", [EGGS])
    until(lambda: "hens.pdf" in names(collection))


def test_a_missing_folder_is_waited_for(collection: Collection, shelf: Path, started: Callable[..., Told]) -> None:
    told = started(prune=True)
    until(lambda: len(names(collection)) == 2)
    shelf.rename(shelf.with_name("away"))
    until(lambda: "waiting for it" in told.problems())
    assert len(names(collection)) == 2
    documents.pdf(shelf.with_name("away") / "hens.pdf", [EGGS])
    shelf.with_name("away").rename(shelf)
    until(lambda: len(names(collection)) == 3)
    shutil.rmtree(shelf)
    shelf.mkdir()  # empty, as a mount point is
    until(lambda: "the folder is empty" in told.problems())
    until(lambda: len(names(collection, missing=True)) == 3)


def test_ctrl_c_ends_it_cleanly_and_another_start_catches_up(tmp_path: Path, shelf: Path) -> None:
    """The command itself, in a process of its own."""
    command = [sys.executable, "-u", "-m", "ui.cli", "watch", str(shelf), "-c", "live", "--settle", "0.2"]
    env = os.environ | {"VOUCH_HOME": str(tmp_path / "home")}
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None
        lines = []
        for line in run.stdout:
            lines.append(line)
            if "all up to date" in line:
                break
        run.send_signal(signal.SIGINT)
        rest, errors = run.communicate(timeout=30)
    assert (run.returncode, errors) == (0, "")
    assert "stopped" in rest
    assert sum("  new  " in line for line in lines) == 2
    (shelf / "mill.pdf").rename(shelf / "rye.pdf")
    (shelf / "barn.pdf").unlink()
    again = subprocess.run([*command, "--once"], env=env, capture_output=True, text=True, timeout=60, check=True)
    assert "mill.pdf -> rye.pdf" in again.stdout
    assert "missing         barn.pdf" in again.stdout
