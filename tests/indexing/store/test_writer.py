"""The one writer when things go wrong: nothing half is published, no moment has less than before, nothing is left."""

import os
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from indexing import Collection, Document, errors, list_collections
from indexing.embed.minilm import MiniLM
from indexing.store import writer as writer_module
from tests.faults import wholeness
from tests.support import fakes

PAGES = [[f"Page {n} of the report tells of the weather.", f"It rained on {n} days."] for n in range(1, 4)]
REPORT = {"report.pdf": PAGES}


class Stopped(BaseException):
    """A kill, as far as the code inside can tell."""


def add_partial(made: Collection) -> Document:
    """Index the report without its second page, which failed."""
    whole = fakes.document("report.pdf", PAGES)
    partial = replace(whole, failed_pages=(2,), n_elements=4)
    pages = (fakes.parsed(whole.id, number, PAGES[number - 1]) for number in (1, 3))
    fakes.keep(made, partial, *pages)
    return whole


def state(made: Collection) -> list[tuple[int, ...]]:
    """Return the failed pages of each document, after checking that all are whole but for their copies."""
    assert [line for line in wholeness.problems(made) if not line.endswith("has no copy")] == []
    return [d.failed_pages for d in made.documents()]


class StopAt:
    """A table that stops at the n-th change of any table."""

    left = 0

    def __init__(self, table: Any) -> None:
        self._table = table

    def __getattr__(self, name: str) -> Any:
        """Return what the table has, or stop."""
        if name in ("add", "delete", "update", "merge_insert", "optimize"):
            if StopAt.left == 0:
                raise Stopped
            StopAt.left -= 1
        return getattr(self._table, name)


@pytest.mark.slow
@pytest.mark.gate
def test_a_document_that_is_read_anew_is_there_at_every_moment(tmp_path: Path, embedder: MiniLM) -> None:
    """A kill before any of its writes leaves the old reading or the new one, and the next writer completes it."""
    seen: list[list[tuple[int, ...]]] = []
    for stop in range(40):
        made = fakes.collection(tmp_path / str(stop), embedder)
        whole = add_partial(made)
        store = made._store
        store._tables = {name: StopAt(table) for name, table in store._tables.items()}
        StopAt.left = stop + 100  # while the writer sweeps
        try:
            with made.writer() as writer:
                for number, texts in enumerate(PAGES, 1):
                    writer.add(fakes.parsed(whole.id, number, texts))
                writer.finish(whole, Path("/nowhere"))
                StopAt.left = stop
                writer.flush()
                StopAt.left = 100
        except Stopped:
            StopAt.left = 0
        seen.append(state(fakes.collection(tmp_path / str(stop), embedder)))
        if StopAt.left:
            break
        later = fakes.collection(tmp_path / str(stop), embedder)
        with later.writer():
            pass
        assert state(later) == seen[-1]
        assert [d.id for d in later.documents()] == [whole.id]
        assert wholeness.leftovers(later) == []
    assert len(seen) > 6
    assert seen == sorted(seen, reverse=True)
    assert set(map(tuple, seen)) == {((2,),), ((),)}


def test_a_failed_batch_publishes_nothing_half(collection: Collection, monkeypatch: pytest.MonkeyPatch) -> None:
    """The last page of a finished document waits for its batch, which fails; the run flushes when it ends."""
    one, other = (fakes.document(name, PAGES[:1]) for name in ("one.pdf", "other.pdf"))

    def embed(*_: Any) -> Any:
        raise errors.DiskFull("the disk is full")

    with collection.writer() as writer:
        writer.add(fakes.parsed(one.id, 1, PAGES[0]))
        writer.finish(one, Path("/nowhere"))
        writer._waiting, writer._pages, writer._elements = [fakes.parsed(one.id, 1, PAGES[0])], [], []
        monkeypatch.setattr(writer_module, "rows_of", embed)
        with pytest.raises(errors.DiskFull):
            writer.add(fakes.parsed(other.id, 1, PAGES[0]))
        monkeypatch.undo()
        writer.flush()
    assert collection.documents() == ()


def test_nothing_is_written_after_a_write_has_failed(collection: Collection, monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = (fakes.document(name, PAGES[:1]) for name in ("one.pdf", "other.pdf"))

    def full(*_: Any) -> None:
        raise errors.DiskFull("the disk is full")

    with collection.writer() as writer:
        writer.add(fakes.parsed(one.id, 1, PAGES[0]))
        writer.finish(one, Path("/nowhere"))
        monkeypatch.setattr(collection._store, "add", full)
        with pytest.raises(errors.DiskFull):
            writer.flush()
        monkeypatch.undo()
        writer.finish(other, Path("/nowhere"))
        writer.flush()
    assert collection.documents() == ()


@pytest.mark.parametrize("later", ["index", "remove", "compact"])
def test_what_a_kill_left_goes_with_the_next_change(collection: Collection, tmp_path: Path, later: str) -> None:
    source = tmp_path / "mill.pdf"
    source.write_bytes(b"the file itself")
    mill, bus = fakes.index(collection, {"mill.pdf": PAGES, "bus.pdf": PAGES[:1]}, source)
    sources, data = collection.path / "sources", collection.path / "db" / "pages.lance" / "data"
    left = [
        sources / f"{'0' * 64}.pdf", sources / f"{mill.sha256}.part", sources / f"{mill.sha256}.unlocked",
        collection.path / "collection.1.part", data / ".tmpABCDEF", data / "0123.lance",
        collection.path / "db" / "pages.lance" / "_versions" / "9.manifest#1",
    ]  # fmt: skip
    for path in left:
        path.write_bytes(b"half")
    if later == "index":
        fakes.index(collection, {"new.pdf": PAGES})
    elif later == "remove":
        collection.remove(bus.id)
    else:
        collection.compact()
    assert [path for path in left if path.exists()] == []
    assert [p.name for p in collection.originals.place.folder.iterdir() if p.stem == mill.sha256] == [
        f"{mill.sha256}.pdf"
    ]
    assert mill in collection.documents()


def test_a_killed_deletion_deleted_all_or_nothing(collection: Collection, monkeypatch: pytest.MonkeyPatch) -> None:
    fakes.index(collection, REPORT)
    home = collection.path.parent

    def killed(*_: object, **__: object) -> None:
        raise Stopped

    monkeypatch.setattr(shutil, "rmtree", killed)
    with pytest.raises(Stopped):
        collection.delete()
    monkeypatch.undo()
    assert list_collections(home) == ()
    with pytest.raises(errors.CollectionMissing):
        Collection.open("made-up", home)
    made = Collection.create("made-up", home)
    assert made.documents() == ()
    made.delete()
    assert list(home.iterdir()) == []


def test_a_collection_that_another_process_has_filled_is_not_deleted_as_empty(collection: Collection) -> None:
    fakes.index(collection, REPORT)
    collection.delete(only_if_empty=True)
    assert [d.name for d in collection.documents()] == ["report.pdf"]
    collection.remove("report.pdf")
    collection.delete(only_if_empty=True)
    assert list_collections(collection.path.parent) == ()


def test_two_may_make_the_same_collection_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The other has made it, and swept what we had half written, just before we put it in place."""
    move = Path.replace

    def swept(part: Path, target: Path) -> Path:
        monkeypatch.undo()
        move(part, target)
        return move(part, target)

    monkeypatch.setattr(Path, "replace", swept)
    assert Collection.create("made-up", tmp_path).documents() == ()


def test_a_full_disk_stands_not_in_the_way_of_removing(collection: Collection, monkeypatch: pytest.MonkeyPatch) -> None:
    """The note that names the writer cannot be written; removing may free space all the same."""
    fakes.index(collection, REPORT)
    write = Path.write_text

    def full(path: Path, *given: Any, **named: Any) -> int:
        if path.name == "writer.json":
            raise OSError(28, "No space left on device", str(path))
        return write(path, *given, **named)

    monkeypatch.setattr(Path, "write_text", full)
    collection.remove("report.pdf")
    assert collection.documents() == ()


def test_a_lock_that_cannot_be_made_is_an_error(collection: Collection, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = os.open

    def full(path: Any, *given: Any, **named: Any) -> int:
        if str(path).endswith("writer.lock"):
            raise OSError(28, "No space left on device", str(path))
        return opened(path, *given, **named)

    monkeypatch.setattr(os, "open", full)
    with pytest.raises(errors.DiskFull, match="free some space and run the same command again"), collection.writer():
        pass
