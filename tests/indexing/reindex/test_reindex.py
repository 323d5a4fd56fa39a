"""Indexing anew: other embedders, files read again from their copies, and what goes on meanwhile."""

import shutil
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from indexing import Collection, IndexingSettings, build_index, errors
from indexing.embed.minilm import MiniLM
from indexing.ingest import Progress
from indexing.reindex import discard_reindex, reindex_collection
from indexing.store import Store
from tests.indexing.reindex.conftest import QUESTION, best, state, tagged
from tests.support import documents, fakes

NAME = "made-up"


def opened(home: Path, **told: object) -> Collection:
    return Collection.open(NAME, home, IndexingSettings.model_validate(told | {"workers": 1}))


def vectors(collection: Collection) -> dict[tuple[str, int], bytes]:
    rows = [collection.snapshot().page_rows(d.id, 1, d.n_pages) for d in collection.documents()]
    return {
        (row["doc_id"], n): row["vectors"] + row["codes"] + row["residuals"] for own in rows for n, row in own.items()
    }


def test_open_readers_follow_to_another_embedder(library: Collection, home: Path, changes: dict[str, Any]) -> None:
    before, during = state(library), []
    assert best(library) == "The mill was built in 1742."
    report = reindex_collection(
        NAME, home, changes=changes, on_progress=lambda _: during.append((best(library), library.settings.embedder))
    )
    assert (report.exit_code, {file.status for file in report.files}) == (0, {"indexed"})
    assert set(during) == {("The mill was built in 1742.", "minilm")}  # the former version, until the swap
    assert best(library) == "The mill was built in 1742."
    assert library.settings.embedder == "colbert"
    assert state(library) == before
    assert tagged(library).tags == ("old",)
    (element,) = [e for e in library.page_elements(library.document("mill.pdf").id, 1) if "1742" in e.text]
    assert library.knowledge.read([element], "model", "1") == {element.id: "It is about a mill."}
    assert {entry.name for entry in library.path.iterdir()} == {"collection.json", "sources", "versions", "writer.lock"}
    again = opened(home)
    assert (again.settings.embedder, again.settings.text_checkpoint) == ("colbert", changes["text_checkpoint"])
    fakes.index(again, {"harbour.pdf": [["The harbour is old."]]})
    assert [d.name for d in library.documents()][-1] == "harbour.pdf"


def test_vectors_that_stay_are_copied(library: Collection, home: Path) -> None:
    before, known = vectors(library), state(library)
    assert reindex_collection(NAME, home, changes={"visual": "none"}).exit_code == 0
    assert library.settings.visual == "none"
    assert vectors(library) == before
    assert (state(library), tagged(library).date) == (known, "1999")
    assert library.knowledge.read(library.page_elements(library.document("mill.pdf").id, 1), "model", "1")
    note = reindex_collection(NAME, home, changes={"visual": "none"}).notes
    assert note[0].startswith("nothing to do")


def test_a_stopped_run_resumes_with_later_changes(library: Collection, home: Path, changes: dict[str, Any]) -> None:
    stop = threading.Event()

    def seen(moment: Progress) -> None:
        if moment.files_done == 2:
            stop.set()

    report = reindex_collection(NAME, home, changes=changes, on_progress=seen, cancel=stop)
    assert report.exit_code == 130
    assert (library.settings.embedder, best(library)) == ("minilm", "The mill was built in 1742.")
    assert sorted(entry.name for entry in library.path.joinpath("versions").iterdir()) == ["1"]
    with pytest.raises(errors.ReindexUnderway, match=r"to colbert with .* --discard"):
        reindex_collection(NAME, home, changes={"visual": "none"})
    first, second, third = library.documents()
    library.remove(second.id)
    with library.writer() as writer:
        writer.rename(first.id, "renamed.pdf", "/made-up/renamed.pdf")
    fakes.index(library, {"harbour.pdf": [["The harbour is old."]]})
    known = state(library)
    done = reindex_collection(NAME, home)  # what was begun need not be said again
    assert {file.name: file.status for file in done.files} == {
        "renamed.pdf": "skipped", third.name: "indexed", "harbour.pdf": "indexed",
    }  # fmt: skip
    assert library.settings.embedder == "colbert"
    assert state(library) == known


def test_what_was_begun_can_be_given_up(library: Collection, home: Path, changes: dict[str, Any]) -> None:
    stop = threading.Event()
    stop.set()
    assert reindex_collection(NAME, home, changes=changes, cancel=stop).cancelled
    assert discard_reindex(NAME, home)
    assert not discard_reindex(NAME, home)
    assert {entry.name for entry in library.path.iterdir()} >= {"db", "collection.json"}
    assert list(library.path.joinpath("versions").iterdir()) == []
    assert not library.path.joinpath("reindex.json").exists()
    assert best(library) == "The mill was built in 1742."


def test_nobody_else_writes_meanwhile(library: Collection, home: Path, changes: dict[str, Any]) -> None:
    def write(_: Progress) -> None:
        with pytest.raises(errors.CollectionLocked):
            library.remove("mill.pdf")

    reindex_collection(NAME, home, changes=changes, on_progress=write)
    with library.writer(), pytest.raises(errors.CollectionLocked):
        reindex_collection(NAME, home, changes={"visual": "none"})


def test_a_full_disk_stops_it_and_the_same_command_goes_on(
    library: Collection, home: Path, changes: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    known = state(library)

    def full(*_: object) -> None:
        raise errors.DiskFull("the disk is full: free some space and run the same command again")

    with monkeypatch.context() as patched:
        patched.setattr(Store, "add", full)
        with pytest.raises(errors.DiskFull):
            reindex_collection(NAME, home, changes=changes)
    assert (state(library), library.settings.embedder) == (known, "minilm")
    assert reindex_collection(NAME, home, changes=changes).exit_code == 0
    assert (state(library), library.settings.embedder) == (known, "colbert")


def test_a_call_under_way_is_made_again_when_its_tables_are_gone(library: Collection, home: Path) -> None:
    search, calls = library._searcher.search, []

    def swapped(*args: Any, **told: Any) -> Any:
        calls.append(1)
        reindex_collection(NAME, home, changes={"visual": "none"})
        return search(*args, **told)

    library._searcher.search = swapped  # type: ignore[method-assign]
    assert library.search(QUESTION).hits[0].element.text == "The mill was built in 1742."
    assert (len(calls), library.settings.visual) == (1, "none")


PLAIN = IndexingSettings(workers=1, visual="none", ocr="never")
LINES = ["The mill was built in 1742.", "Its wheel is nine metres wide."]


@pytest.fixture(scope="module")
def made_once(tmp_path_factory: pytest.TempPathFactory, embedder: MiniLM) -> Path:
    """A home with a PDF, one that is locked, and a text that is converted; the files are gone."""
    folder = tmp_path_factory.mktemp("files")
    mill, locked, note = files = folder / "mill.pdf", folder / "locked.pdf", folder / "note.txt"
    documents.pdf(mill, LINES, ["The miller keeps bees."])
    documents.encrypted(locked, "open")
    note.write_text("The ferry crosses the bay twice a day.\n")
    made = Collection.create("made-up", folder / "home", PLAIN)
    vars(made)["_embedder"] = embedder
    assert build_index(made, files, settings=PLAIN, password="open").exit_code == 0
    for path in files:
        path.unlink()  # its copy is enough
    return folder / "home"


@pytest.fixture
def read(home: Path, made_once: Path, embedder: MiniLM) -> Collection:
    shutil.copytree(made_once, home)
    return fakes.opened(home, embedder, visual="none", ocr="never")


@pytest.mark.slow
@pytest.mark.gate
def test_files_are_read_anew_from_their_copies_and_a_locked_one_stays(read: Collection, home: Path) -> None:
    mill = read.document("mill.pdf")
    with read.writer() as writer:
        writer._store._tables["elements"].update(  # type: ignore[union-attr]
            where=f"doc_id = '{mill.id}' AND page = 2", values={"text": "An old reading."}
        )
    old, same = (read.page_elements(mill.id, n)[0] for n in (2, 1))
    read.knowledge.keep({old: "about an old reading", same: "about a mill"}, "model", "1")
    known = {d.name: (d.id, d.path, d.indexed_at) for d in read.documents()}
    report = reindex_collection("made-up", home, settings=PLAIN, parse=True)
    (locked,) = [file for file in report.files if file.failures]
    assert (report.exit_code, locked.name) == (1, "locked.pdf")
    (failure,) = locked.failures
    assert failure.error == "EncryptedFile"
    assert failure.message.startswith("locked.pdf: encrypted: give its password")
    assert failure.message.endswith("it is kept as it was read before")
    assert any("a converted document" in note for note in report.notes)
    assert {d.name: (d.id, d.path, d.indexed_at) for d in read.documents()} == known
    assert read.page_elements(mill.id, 2)[0].text == "The miller keeps bees."
    assert "cider" in read.page_elements(read.document("locked.pdf").id, 1)[0].text
    assert "ferry" in read.page_elements(read.document("note.txt").id, 1)[0].text
    assert read.knowledge.read(read.page_elements(mill.id, 1), "model", "1") == {same.id: "about a mill"}
    assert read.knowledge.read(read.page_elements(mill.id, 2), "model", "1") == {}


@pytest.mark.slow
@pytest.mark.gate
def test_a_visual_embedder_is_added_and_elements_stay(read: Collection, home: Path, changes: dict[str, Any]) -> None:
    known = state(read)
    settings = IndexingSettings(workers=1, ocr_pixels=700)
    report = reindex_collection(
        "made-up", home, settings=settings, changes={"visual": "ocr_regions", "pixels": "pages"}, password="open"
    )
    assert report.exit_code == 0
    seen = [(replace(document, seen_pages=document.n_pages), *rest) for document, *rest in known]
    assert state(read) == seen  # all else stays
    found = read.search("When was the mill built?", mode="image").pages[0]
    assert (found.doc_id, found.number) == (read.document("mill.pdf").id, 1)
    report = reindex_collection("made-up", home, settings=settings, changes=changes)  # the locked page is not seen
    assert [(file.name, file.failures[0].error) for file in report.files if file.failures] == [
        ("locked.pdf", "EncryptedFile")
    ]
    assert state(read) == seen
    assert read.unseen_pages() == (1, 4)
    assert read.search("When was the mill built?", mode="image").pages[0].number == 1


def test_what_cannot_be_read_of_a_copy_that_is_gone_is_told(read: Collection, home: Path) -> None:
    shutil.rmtree(read.path / "sources")
    known = state(read)
    report = reindex_collection("made-up", home, settings=PLAIN, parse=True)
    assert {failure.error for file in report.files for failure in file.failures} == {"DocumentMissing"}
    assert state(read) == known
    assert fakes.index(read, {"harbour.pdf": [["The harbour is old."]]})
