"""A reindex that reads files: for their pixels alone, or anew; what cannot be read stays as it was."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from indexing import Collection, IndexingSettings, build_index
from indexing.embed.minilm import MiniLM
from indexing.reindex import reindex_collection
from tests.indexing.reindex.conftest import state
from tests.support import documents, fakes

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
