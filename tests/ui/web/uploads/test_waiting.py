"""Files that wait outlive their server: read once by the next one, never twice, and nothing else is left of them."""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from indexing import FileReport, IndexReport
from ui.access import Actor, acting_as
from ui.web.uploads.files import AcceptedFile
from ui.web.uploads.item import QueuedFile
from ui.web.uploads.queue import UploadQueue
from ui.web.uploads.waiting import MOST_BREAKS, WaitingFolder


class Desk:
    """A server's queue over a folder; `held` keeps it from reading on after the first page of a file."""

    def __init__(self, folder: Path, *, held: bool = False) -> None:
        self.waiting = WaitingFolder(folder)
        self.read: list[str] = []
        self.begun, self._go = threading.Event(), threading.Event()
        if not held:
            self._go.set()
        self.queue = UploadQueue(self._read, lambda path: path.unlink(missing_ok=True), self.waiting)
        self.queue.resume()

    def _read(self, collection: str, paths: Sequence[Path], *rest: Any) -> IndexReport:
        cancel: threading.Event = rest[-1]
        self.begun.set()
        while not self._go.wait(0.005):
            if cancel.is_set():
                return IndexReport(collection, (), 0.1, cancelled=True)
        self.read += [path.name for path in paths]
        return IndexReport(collection, tuple(FileReport(str(p), p.name, "indexed", 1, 2) for p in paths), 0.1)

    def add(self, *names: str, password: str | None = None) -> tuple[QueuedFile, ...]:
        files = []
        for name in names:
            path = self.waiting.files / name
            path.write_bytes(b"%PDF")
            files.append(AcceptedFile(name, path, 4))
        return self.queue.add("me", "papers", files, password, account="ada")

    def ended(self) -> list[tuple[str, str]]:
        """The name and the state of each file, once all are read."""
        *_, last = self.queue.follow("me")
        return [(item.name, item.state) for item in last]

    def close(self) -> None:
        self.queue.close()
        self.waiting.close()

    def break_off(self) -> None:
        """End as a process that is killed: nothing is put in order, and the lock goes with it."""
        assert self.waiting._lock is not None
        self.waiting._lock.release()


def left_files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*") if path.is_file() and path.name != "lock")


def test_the_next_server_reads_what_waits_and_what_was_being_read(tmp_path: Path) -> None:
    first = Desk(tmp_path, held=True)
    with acting_as(Actor("ada", "person", 0, "10.0.0.7")):
        first.add("a.pdf", "b.pdf")
    assert first.begun.wait(5)
    first.add("c.pdf")
    first.close()
    assert (first.read, first.queue.items("me")) == ([], ())
    second = Desk(tmp_path, held=True)
    items = second.queue.items("me")
    assert [(i.name, i.collection, i.account, i.size, i.open) for i in items] == [
        (name, "papers", "ada", 4, True) for name in ("a.pdf", "b.pdf", "c.pdf")
    ]
    assert items[0].by == Actor("ada", "person", 0, "10.0.0.7")
    second.close()
    third = Desk(tmp_path)
    assert third.ended() == [("a.pdf", "done"), ("b.pdf", "done"), ("c.pdf", "done")]
    assert sorted(third.read) == ["a.pdf", "b.pdf", "c.pdf"]
    third.close()
    assert left_files(tmp_path) == []


def test_a_killed_server_s_files_are_read_and_what_nobody_queued_is_deleted(tmp_path: Path) -> None:
    first = Desk(tmp_path, held=True)
    first.add("a.pdf")
    assert first.begun.wait(5)  # its record, which is exchanged as it begins, lies still
    (first.waiting.files / "question-image.png").write_bytes(b"x")
    (record,) = (tmp_path / "records").iterdir()
    record.with_name("5.part").write_text(record.read_text().replace("a.pdf", "question-image.png"))
    (tmp_path / "records" / "6.json").write_text('{"id": "6", "owner": "me"}')
    first.break_off()
    second = Desk(tmp_path)
    assert second.ended() == [("a.pdf", "done")]
    second.close()
    assert left_files(tmp_path) == []


def test_a_file_at_which_servers_break_off_is_not_read_unasked(tmp_path: Path) -> None:
    desk = Desk(tmp_path, held=True)
    desk.add("poison.pdf")
    for _ in range(MOST_BREAKS):
        assert desk.begun.wait(5)
        desk.break_off()
        desk = Desk(tmp_path, held=True)
    (item,) = desk.queue.items("me")
    assert (item.state, item.again, desk.begun.is_set()) == ("failed", True, False)
    assert "stopped twice" in item.note
    desk._go.set()
    desk.queue.retry("me", item.id)
    assert desk.ended() == [("poison.pdf", "done")]
    desk.close()
    assert left_files(tmp_path) == []


def test_a_password_is_never_written_down(tmp_path: Path) -> None:
    desk = Desk(tmp_path, held=True)
    desk.add("a.pdf", password="open sesame")
    desk.close()
    assert not any(b"sesame" in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    again = Desk(tmp_path, held=True)
    assert [item.password for item in again.queue.items("me")] == [None]
    again.close()


def test_two_servers_do_not_share_a_folder(tmp_path: Path) -> None:
    first = Desk(tmp_path, held=True)
    first.add("a.pdf")
    other = Desk(tmp_path)
    assert (other.waiting.keeps, other.queue.items("me")) == (False, ())
    other.add("b.pdf")
    assert other.ended() == [("b.pdf", "done")]
    other.close()
    assert left_files(tmp_path / "files") == ["a.pdf"]
    first.close()


@pytest.mark.parametrize("there", ["a file", "nothing"])
def test_where_nothing_can_be_kept_files_wait_all_the_same(tmp_path: Path, there: str) -> None:
    folder = tmp_path / "kept"
    if there == "a file":
        folder.write_text("in the way")
    desk = Desk(folder)
    assert desk.waiting.keeps is (there == "nothing")
    desk.add("a.pdf")
    assert desk.ended() == [("a.pdf", "done")]
    desk.close()


def test_a_record_that_names_another_is_none(tmp_path: Path) -> None:
    """Its id names the record when it is written anew: `../../x` would be written elsewhere."""
    first = Desk(tmp_path / "waiting", held=True)
    (item,) = first.add("one.pdf")
    assert first.begun.wait(30)
    first.break_off()
    (record,) = (tmp_path / "waiting" / "records").iterdir()
    record.write_text(json.dumps(json.loads(record.read_text()) | {"id": "../../x"}))
    folder = WaitingFolder(tmp_path / "waiting")
    assert (item.name, folder.recover_files(), record.exists()) == ("one.pdf", (), False)
    folder.close()
