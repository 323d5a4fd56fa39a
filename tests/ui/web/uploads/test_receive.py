"""Files from the door to the collection: really read, within limits, deleted afterwards; folders only if allowed."""

import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from indexing import Collection
from rag import Profile
from tests.support import documents
from tests.ui.real_collection import LINES
from ui.errors import NotYours
from ui.web.collections.page import DeletionTarget, compact, delete, deletion_target, follow_queue, page_html, tab_lists
from ui.web.open_collections import OpenCollections
from ui.web.uploads.queue import QueuedFile
from ui.web.uploads.receive import Uploads

pytestmark = pytest.mark.slow
Make = Callable[..., Uploads]


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    desks: list[OpenCollections] = []
    (tmp_path / "arrived").mkdir()

    def made(**limits: Any) -> Uploads:
        desks.append(OpenCollections(Profile(indexing={"workers": 1, "visual": "none"}, ui=limits), tmp_path / "home"))
        return Uploads(desks[-1], tmp_path / "arrived")

    yield made
    for open_collections in desks:
        open_collections.close()


def upload(tmp_path: Path, name: str, *pages: list[str]) -> dict[str, str]:
    """A file as the server stores it, and as the page tells of it."""
    made = documents.pdf(tmp_path / name, *(pages or [list(LINES)]))
    folder = tmp_path / "arrived" / hashlib.sha256(made.read_bytes()).hexdigest()
    folder.mkdir()
    return {"path": str(made.rename(folder / name)), "orig_name": name}


def ended(uploads: Uploads, owner: str = "me") -> dict[str, QueuedFile]:
    *_, last = uploads.follow(owner)
    return {item.name: item for item in last}


@pytest.mark.gate
def test_files_are_read_and_nothing_of_them_stays(tmp_path: Path, make: Make) -> None:
    uploads = make(max_pages=2)
    many = upload(tmp_path, "many.pdf", *[[f"Page {n}."] for n in range(3)])
    uploads.receive("me", " mills ", [upload(tmp_path, "mill.pdf"), many])
    *_, (last, changed) = list(follow_queue(uploads, "me"))
    assert changed
    assert "2 files: 1 read, 1 not read" in last
    assert "max_pages" in uploads.upload_queue.items("me")[1].note
    assert [d.name for d in Collection.open("mills", tmp_path / "home").documents()] == ["mill.pdf"]
    assert list((tmp_path / "arrived").iterdir()) == []


def test_the_collection_is_shown_looked_at_and_emptied(tmp_path: Path, make: Make) -> None:
    uploads = make()
    uploads.receive("me", "mills", [upload(tmp_path, "mill.pdf"), upload(tmp_path, "barn.pdf", ["A barn."])])
    ended(uploads)
    found = tab_lists(uploads, "mills")
    assert "mill.pdf" in found.documents
    assert "Parts by kind" in found.statistics
    mill = next(d for d in uploads.service.summary("mills").documents if d.name == "mill.pdf")
    assert "Anna Holm" in page_html(uploads, "mills", f"{mill.id}:1")
    target, question = deletion_target(uploads, "mills", mill.id)
    assert "Remove mill.pdf (1 page) from mills?" in question
    assert target == DeletionTarget("mills", mill.id)
    assert "Removed mill.pdf." in delete(uploads, target)
    assert [d.name for d in uploads.service.summary("mills").documents] == ["barn.pdf"]
    assert "was compacted" in compact(uploads, "mills")
    target, question = deletion_target(uploads, "mills")
    assert "1 document, 1 page" in question
    assert target is not None
    assert "Deleted the collection mills." in delete(uploads, target)
    assert uploads.service.summaries() == ()
    assert "That did not work." in delete(uploads, target)


@pytest.mark.gate
def test_a_folder_is_read_only_where_the_settings_name_it(tmp_path: Path, make: Make) -> None:
    papers = tmp_path / "papers"
    (papers / "inner").mkdir(parents=True)
    documents.pdf(papers / "a.pdf", LINES)
    documents.pdf(papers / "inner" / "a.pdf", ["Another of that name."])
    (tmp_path / "out").symlink_to(papers)
    (papers / "up").symlink_to(tmp_path)
    uploads = make(folders=[str(papers)])
    for path in (str(tmp_path), f"{papers}/..", "papers", "/etc", "", f"{papers}/up", "\0"):
        with pytest.raises(NotYours, match="papers"):
            uploads.receive_folder("me", "mills", path)
    uploads.receive_folder("me", "mills", str(papers))
    assert [item.state for item in uploads.upload_queue.items("me")]
    *_, last = uploads.follow("me")
    assert [item.state for item in last] == ["done", "done"]
    assert len(uploads.service.summary("mills").documents) == 2, "files of a folder are known by their paths"
    assert sorted(p.name for p in papers.rglob("*.pdf")) == ["a.pdf", "a.pdf"]
    with pytest.raises(NotYours, match="none"):
        make().receive_folder("me", "mills", str(papers))
