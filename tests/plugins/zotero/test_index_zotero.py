"""`vouch index --zotero`: a library's PDFs go in with their records, and an answer cites them as the library does."""

import json
from pathlib import Path

import pytest

from indexing import Collection, list_collections
from tests.plugins.zotero.zotero_folder import small_library
from tests.support import documents
from ui.cli import parser as cli

LINES = ("The mill was built in 1887 by Anna Holm.", "Nine barrels of cider lie in its cellar.")


def library(tmp_path: Path) -> Path:
    """A library of an article, whose PDF has pages iv and following, and of a file that is not there."""
    folder = small_library(tmp_path / "Zotero")
    file = folder.path / "storage" / "KEY00002" / "Holm 2015.pdf"
    documents.pdf(file, LINES)
    import pymupdf

    with pymupdf.open(file) as document:
        document.set_page_labels([{"startpage": 0, "prefix": "", "style": "r", "firstpagenum": 4}])
        document.saveIncr()
    folder.attach(folder.work("book", {"title": "Lost"}), "storage:lost.pdf", data=None)
    return folder.done()


@pytest.mark.gate
@pytest.mark.slow
@pytest.mark.usefixtures("home")
def test_a_library_is_indexed_asked_and_cited(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    profile = tmp_path / "mine.yaml"
    profile.write_text("indexing: {visual: none, workers: 1, ocr: never}")
    options = ["--zotero", str(library(tmp_path)), "-c", "lib", "--profile", str(profile)]
    assert cli.main(["index", *options, "--json"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert [(file["name"], file["status"]) for file in report["files"]] == [
        ("Holm 2015.pdf", "indexed"),
        ("lost.pdf", "failed"),
    ]
    assert "which downloads it" in report["files"][1]["failures"][0]["message"]
    assert "1 attachment is not a PDF or EPUB (such as web snapshots): left out" in report["notes"]
    (document,) = Collection.open("lib").documents()
    assert json.loads(document.metadata.record)["citation-key"] == "holmCider2015"
    assert (document.metadata.author, document.metadata.date) == ("Anna Holm; The Mill and Sons", "2015-03")
    assert document.metadata.tags[:2] == ("apples", "weather")
    assert Collection.open("lib").page(document.id, 1).label == "iv"
    exported = tmp_path / "answer.bib"
    asked = ["ask", "When was the mill built?", "-c", "lib", "--profile", str(profile)]
    assert cli.main([*asked, "--export", str(exported)]) == 0
    assert "@article{holmCider2015," in exported.read_text()
    assert "Cited pages: iv." in exported.read_text()
    assert cli.main([*asked, "--export", str(exported.with_suffix(".ris"))]) == 0
    assert "N1  - Cited pages: iv." in exported.with_suffix(".ris").read_text()


@pytest.mark.usefixtures("home")
def test_what_is_no_library_leaves_nothing_behind(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["index", "--zotero", str(tmp_path), "-c", "lib"]) == 2
    assert "no zotero.sqlite" in capsys.readouterr().err
    assert cli.main(["index", str(tmp_path), "--zotero-base", str(tmp_path)]) == 2
    assert "name that with --zotero PATH" in capsys.readouterr().err
    assert cli.main(["index", "--zotero", str(tmp_path), "--zotero-base", str(tmp_path / "no")]) == 2
    assert "is not a folder" in capsys.readouterr().err
    assert list_collections() == ()
