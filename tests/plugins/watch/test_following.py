"""A collection that follows a folder: what is read, marked and removed, and how it begins, ends and goes on."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from indexing import Collection, IndexingSettings
from plugins.watch.changes import FolderLook
from plugins.watch.following import FolderFollower, FolderNotice
from tests.support import documents

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
