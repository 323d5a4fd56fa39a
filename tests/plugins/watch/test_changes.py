"""The changes of a folder: told by content and state, whatever moved where, and nothing said of what is unsure."""

import hashlib
import shutil
import time
from dataclasses import replace
from pathlib import Path

import pytest

from indexing import Document, IndexingSettings, Metadata
from indexing.errors import FileMissing
from plugins.watch.changes import FolderLook, FolderState
from tests.support.waiting import until

SETTINGS = IndexingSettings(workers=1, visual="none")


def write(path: Path, text: str) -> Path:
    """A file of a name that Vouch reads: here only its bytes count."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def known(path: Path, text: str, **said: object) -> Document:
    """The document of a file that was indexed when it had this content."""
    digest = hashlib.sha256(text.encode()).hexdigest()
    record = Metadata(**said)  # type: ignore[arg-type]
    return Document(digest[:16], path.name, "", 1, digest, str(path), metadata=record)


def look(root: Path, **how: object) -> FolderLook:
    return FolderLook(root, SETTINGS, **{"settle": 0.0} | how)  # type: ignore[arg-type]


def changes(state: FolderState) -> set[tuple[str, str]]:
    return {(change.kind, change.path.name) for change in state.changes}


def test_new_changed_and_same_files(tmp_path: Path) -> None:
    write(tmp_path / "new.pdf", "n")
    write(tmp_path / ".hidden.pdf", "h")
    write(tmp_path / "notes.xyz", "no format of ours")
    documents = [
        known(write(tmp_path / "same.pdf", "s"), "s"),
        known(write(tmp_path / "sub" / "changed.pdf", "after"), "before", folder="sub"),
    ]
    state = look(tmp_path).state(documents)
    assert changes(state) == {("new", "new.pdf"), ("changed", "changed.pdf")}
    assert state.files == 3
    assert not state.emptied


def test_moved_swapped_and_copied_files(tmp_path: Path) -> None:
    write(tmp_path / "b" / "moved.pdf", "m")
    write(tmp_path / "one.pdf", "2")
    write(tmp_path / "two.pdf", "1")
    write(tmp_path / "kept.pdf", "k")
    write(tmp_path / "copy.pdf", "k")
    write(tmp_path / "twin-1.pdf", "t")
    write(tmp_path / "twin-2.pdf", "t")
    documents = [
        known(tmp_path / "a" / "moved.pdf", "m"),
        known(tmp_path / "one.pdf", "1"),
        known(tmp_path / "two.pdf", "2"),
        known(tmp_path / "kept.pdf", "k"),
    ]
    state = look(tmp_path, prune=True).state(documents)
    assert changes(state) == {
        ("moved", "moved.pdf"), ("moved", "one.pdf"), ("moved", "two.pdf"), ("new", "twin-1.pdf")
    }  # fmt: skip
    (moved,) = [change for change in state.changes if change.path.name == "moved.pdf"]
    assert moved.former == tmp_path / "a" / "moved.pdf"


def test_files_that_are_gone_are_missing_or_removed_and_may_return(tmp_path: Path) -> None:
    documents = [known(write(tmp_path / "kept.pdf", "k"), "k"), known(tmp_path / "gone.pdf", "g")]
    assert changes(look(tmp_path).state(documents)) == {("missing", "gone.pdf")}
    assert changes(look(tmp_path, prune=True).state(documents)) == {("removed", "gone.pdf")}
    marked = [documents[0], replace(documents[1], metadata=Metadata(missing=True))]
    assert changes(look(tmp_path).state(marked)) == set()
    assert changes(look(tmp_path, prune=True).state(marked)) == {("removed", "gone.pdf")}
    write(tmp_path / "gone.pdf", "g")
    assert changes(look(tmp_path).state(marked)) == {("returned", "gone.pdf")}


def test_a_folder_without_any_file_is_not_believed(tmp_path: Path) -> None:
    """A mount that is away is an empty folder: nothing is removed for it."""
    documents = [known(tmp_path / "gone.pdf", "g")]
    state = look(tmp_path, prune=True).state(documents)
    assert state.emptied
    assert changes(state) == {("missing", "gone.pdf")}
    shutil.rmtree(tmp_path)
    with pytest.raises(FileMissing, match="is not an existing folder"):
        look(tmp_path).state(documents)


def test_a_file_that_is_being_written_waits(tmp_path: Path) -> None:
    mine = look(tmp_path, settle=0.5)
    half = write(tmp_path / "half.pdf", "h")
    first = mine.state([])
    assert (first.changes, first.unsettled) == ((), (half,))
    assert 0 < first.wait <= 0.5
    end, rounds = time.monotonic() + 2 * first.wait, 0
    while time.monotonic() < end:  # longer than it takes to settle
        rounds += 1
        write(half, f"half {rounds}")
        assert mine.state([]).unsettled == (half,)
    assert rounds > 1
    until(lambda: not mine.state([]).unsettled)
    assert changes(mine.state([])) == {("new", "half.pdf")}


def test_a_file_that_failed_is_tried_again_when_it_has_changed(tmp_path: Path) -> None:
    mine = look(tmp_path)
    bad = write(tmp_path / "bad.pdf", "b")
    assert changes(mine.state([])) == {("new", "bad.pdf")}
    mine.note_failure(bad)
    assert changes(mine.state([])) == set()
    write(bad, "better")
    assert changes(mine.state([])) == {("new", "bad.pdf")}
