"""Files that wait: names, turns, ends, and the folders that hold them."""

import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import strategies as st

from indexing import CollectionLocked, Failure, FileReport, IndexReport, Progress
from indexing.store.home import place_of
from ui.web.uploads import collection_name
from ui.web.uploads.files import AcceptedFile
from ui.web.uploads.queue import KEPT_SECONDS, QueuedFile, UploadQueue, WaitingFolder, note_of


class Reading:
    """A reader whose files are read when the test lets go of them; names say what becomes of them."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, list[str], str | None]] = []
        self.begun = threading.Event()
        self.slow: set[str] = set()
        self.go = threading.Event()
        self.go.set()

    def __call__(
        self,
        collection: str,
        paths: Sequence[Path],
        password: str | None,
        by_name: bool,
        account: str,
        tell: Callable[[Progress], None],
        cancel: threading.Event,
    ) -> IndexReport:
        assert (by_name, account) == (True, "")
        self.calls.append((collection, [p.name for p in paths], password))
        reports = []
        for path in paths:
            tell(Progress(path.name, 0, 1, 1, 2, 0.1, str(path), 1, 2))
            self.begun.set()
            while self._waits(path) and not self.go.wait(0.005) and not cancel.is_set():
                pass
            if cancel.is_set():
                return IndexReport(collection, tuple(reports), 0.1, cancelled=True)
            reports.append(self._read(path, password))
            tell(Progress(path.name, 1, 1, 2, 2, 0.1, str(path), report=reports[-1]))
        return IndexReport(collection, tuple(reports), 0.1)

    def _waits(self, path: Path) -> bool:
        """All files wait for the test, or the `slow` ones alone."""
        return not self.slow or path.name in self.slow

    def _read(self, path: Path, password: str | None) -> FileReport:
        if "boom" in path.name:
            raise ZeroDivisionError("a secret")
        if "busy" in path.name:
            raise CollectionLocked("another process writes: wait for it")
        if "locked" in path.name and password != "sesame":
            return FileReport(str(path), path.name, "failed", failures=(Failure(None, "EncryptedFile", "encrypted"),))
        return FileReport(str(path), path.name, "indexed", 2, 7)


@pytest.fixture
def reading() -> Reading:
    return Reading()


@pytest.fixture
def now() -> list[float]:
    return [100.0]


@pytest.fixture
def upload_queue(reading: Reading, now: list[float]) -> Iterator[UploadQueue]:
    made = UploadQueue(reading, lambda path: path.unlink(missing_ok=True), lambda: now[0])
    yield made
    reading.go.set()
    made.close()


def files(folder: Path, *names: str) -> list[AcceptedFile]:
    found = []
    for name in names:
        (folder / name).write_bytes(b"%PDF")
        found.append(AcceptedFile(name, folder / name, 4))
    return found


def ended(upload_queue: UploadQueue, owner: str = "me") -> list[QueuedFile]:
    """A person's files when all are read."""
    *_, last = upload_queue.follow(owner)
    return list(last)


def test_nobody_touches_anothers_files(tmp_path: Path, upload_queue: UploadQueue, reading: Reading) -> None:
    reading.go.clear()
    (item,) = upload_queue.add("me", "papers", files(tmp_path, "a.pdf"))
    assert upload_queue.items("you") == ()
    upload_queue.cancel("you", item.id)
    upload_queue.retry("you", item.id)
    upload_queue.clear("you")
    reading.go.set()
    assert [i.state for i in ended(upload_queue)] == ["done"]


def test_a_file_is_stopped_and_others_go_on(tmp_path: Path, upload_queue: UploadQueue, reading: Reading) -> None:
    reading.go.clear()
    first, second = upload_queue.add("me", "papers", files(tmp_path, "a.pdf", "b.pdf"))
    assert reading.begun.wait(5)
    upload_queue.cancel("me", first.id)
    reading.go.set()
    states = {i.name: (i.state, i.can_retry) for i in ended(upload_queue)}
    assert states == {"a.pdf": ("cancelled", True), "b.pdf": ("done", False)}
    assert reading.calls[-1][1] == ["b.pdf"]
    assert second.id != first.id


def test_a_failure_is_tried_again_with_a_password(tmp_path: Path, upload_queue: UploadQueue, reading: Reading) -> None:
    upload_queue.add("me", "papers", files(tmp_path, "locked.pdf", "b.pdf"))
    (locked, _) = ended(upload_queue)
    assert (locked.state, locked.note[:6], locked.can_retry) == ("failed", "locked", True)
    upload_queue.retry("me", locked.id, "sesame")
    assert {i.name: i.state for i in ended(upload_queue)} == {"b.pdf": "done", "locked.pdf": "done"}
    assert reading.calls[-1] == ("papers", ["locked.pdf"], "sesame")
    assert "sesame" not in repr(upload_queue.items("me"))


@pytest.mark.parametrize(
    ("name", "told"), [("boom.pdf", "the server's terminal says more"), ("busy.pdf", "wait for it")]
)
def test_an_error_ends_the_batch_and_not_the_queue(
    tmp_path: Path, upload_queue: UploadQueue, name: str, told: str, caplog: pytest.LogCaptureFixture
) -> None:
    upload_queue.add("me", "papers", files(tmp_path, name, "b.pdf"))
    upload_queue.add("me", "others", files(tmp_path, "c.pdf"))
    first, second, third = ended(upload_queue)
    assert told in first.note
    assert "secret" not in first.note
    assert [first.state, second.state, third.state] == ["failed", "failed", "done"]
    assert ("a secret" in caplog.text) == (name == "boom.pdf")


def test_unused_files_are_deleted(tmp_path: Path, upload_queue: UploadQueue, now: list[float]) -> None:
    upload_queue.add("me", "papers", files(tmp_path, "locked.pdf"))
    ended(upload_queue)
    now[0] += KEPT_SECONDS + 1
    upload_queue.add("you", "papers", [AcceptedFile("none.pdf", None, 0, "no")])
    assert upload_queue.items("me") == ()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("keeps", [False, True])
def test_closing_stops_and_deletes_everything_but_what_is_kept(tmp_path: Path, reading: Reading, keeps: bool) -> None:
    reading.go.clear()
    made = UploadQueue(reading, lambda path: path.unlink(missing_ok=True), keeps=keeps)
    made.add("me", "papers", files(tmp_path, "a.pdf", "b.pdf"))
    assert reading.begun.wait(5)
    made.close()
    assert made.items("me") == ()
    assert sorted(path.name for path in tmp_path.iterdir()) == (["a.pdf", "b.pdf"] if keeps else [])


def item(number: int, owner: str = "a", collection: str = "c", size: int = 1, **more: str | None) -> QueuedFile:
    return QueuedFile(str(number), owner, collection, f"{number}.pdf", size, Path(f"/{number}.pdf"), **more)  # type: ignore[arg-type]


STATES = st.sampled_from(["waiting", "reading", "done", "failed", "cancelled"])


def test_what_became_of_a_file() -> None:
    failed = tuple(Failure(n, "PageCrash", "crashed") for n in range(1, 6))
    assert note_of(FileReport("/a", "a", "indexed", 1, 9)) == "1 page, 9 parts"
    assert note_of(FileReport("/a", "a", "replaced", 2, 9)) == "2 pages, 9 parts; replaced the earlier version"
    assert note_of(FileReport("/a", "a", "skipped")) == "was already there"
    assert note_of(FileReport("/a", "a", "skipped", other_name="b")) == "was already there, as b"
    assert note_of(FileReport("/a", "a", "renamed", other_name="b")) == "was b before"
    unseen = note_of(FileReport("/a", "a", "indexed", 1, 9, hidden=2))
    assert unseen == "1 page, 9 parts; 2 words left out, since no page shows it"
    said = note_of(FileReport("/a", "a", "indexed", 5, 9, failures=failed))
    assert said.endswith("page 3: crashed; and 2 pages more")
    assert note_of(FileReport("/a", "a", "failed", failures=(Failure(None, "X", "a: empty"),))) == "empty"
    locked = FileReport("/a", "a", "failed", failures=(Failure(None, "EncryptedFile", "give it with --password"),))
    assert note_of(locked) == "locked: enter the right password above, then try again"


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("papers", "papers"), ("Annual reports 2024", "Annual-reports-2024"),
        ("  B\u00fccher & Stra\u00dfen ", "Bucher-Strassen"), ("a_b.c-d", "a_b.c-d"), ("../up", "up"),
        ("x" * 99, "x" * 64), ("", "default"), ("   ", "default"),
    ],
)  # fmt: skip
def test_a_name_is_one_that_a_collection_can_have(typed: str, name: str, tmp_path: Path) -> None:
    assert collection_name(typed) == name
    assert place_of(name, tmp_path).folder.parent == tmp_path


def test_the_next_server_names_what_was_left_and_deletes_it(tmp_path: Path) -> None:
    first = WaitingFolder(tmp_path)
    assert (first.keeps, first.left) == (True, ())
    for name in ("a1/mill.pdf", "b2/unpacked/1/bees.docx"):
        path = first.files / name
        path.parent.mkdir(parents=True)
        path.write_bytes(b"%PDF")
    first.close()
    second = WaitingFolder(tmp_path)
    assert second.left == ("bees.docx", "mill.pdf")
    assert list(second.files.iterdir()) == []
    second.close()


def test_nothing_outside_is_deleted_where_a_link_stands_in_the_folder(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.pdf").write_bytes(b"%PDF")
    first = WaitingFolder(tmp_path / "waiting")
    (first.files / "link").symlink_to(tmp_path / "mine")
    (tmp_path / "waiting" / "other").symlink_to(tmp_path / "mine")
    first.close()
    WaitingFolder(tmp_path / "waiting").close()
    assert (tmp_path / "mine" / "thesis.pdf").exists()


def test_two_servers_do_not_share_a_folder(tmp_path: Path) -> None:
    first = WaitingFolder(tmp_path)
    (first.files / "a.pdf").write_bytes(b"%PDF")
    other = WaitingFolder(tmp_path)
    assert (other.keeps, other.left) == (False, ())
    (other.files / "b.pdf").write_bytes(b"%PDF")
    other.close()
    assert not other.files.exists()
    assert [path.name for path in first.files.iterdir()] == ["a.pdf"]
    first.close()
