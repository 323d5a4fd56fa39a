"""A web page at an address becomes a document whose key is the address; nothing is asked for that is not named."""

from __future__ import annotations

from pathlib import Path

import pytest

from indexing import Collection, IndexingSettings, build_index
from indexing.conversion import FetchedFile
from indexing.errors import NotFetched
from plugins.formats.web import pages
from plugins.formats.web.archive import to_warc
from plugins.formats.web.gate import Gate, WebResource

URL = "https://mills.example.org/north.html"
REFUSED = tuple(f"https://ads.example/{n}: its host is not named" for n in range(7))
PLAIN = IndexingSettings().with_values(chromium="/nowhere", visual="none")


def serve(monkeypatch: pytest.MonkeyPatch, *texts: str) -> None:
    """Have the address answer with each text in turn."""
    answers = iter(texts)

    def answer(url: str, settings: IndexingSettings, gate: Gate) -> FetchedFile:  # noqa: ARG001
        html = f"<html lang='en'><title>Mills</title><p>{next(answers)}</p></html>".encode()
        archive = to_warc(WebResource(url, "text/html", html), {})
        return FetchedFile("north.warc", archive, pages._refusals(REFUSED))

    monkeypatch.setattr(pages, "_fetched", answer)


def test_a_page_at_an_address_is_a_document_and_replaces_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    serve(monkeypatch, "The mill was built in 1887.", "The mill was built in 1887.", "The mill was built in 1888.")
    collection = Collection.create("web", tmp_path, PLAIN)
    states, texts = [], []
    for _ in range(3):
        report = build_index(collection, [URL], workers=1, settings=PLAIN)
        states += [f.status for f in report.files]
        (document,) = collection.documents()
        texts.append(collection.page_elements(document.id, 1)[0].text)
    assert states == ["indexed", "skipped", "replaced"]
    told = [note for note in report.notes if "that the page requested was refused" in note]
    assert len(told) == 5
    assert "north.warc: a resource that the page requested was refused: https://ads.example/0" in told[0]
    assert any("and 2 more were refused" in note for note in report.notes)
    assert texts == [f"The mill was built in {year}." for year in (1887, 1887, 1888)]
    assert (document.path, document.name, document.title) == (URL, "north.warc", "Mills")
    assert (document.metadata.url, document.brought_by) == (URL, None)
    assert collection.originals.path(document).suffix == ".warc"
    assert collection.draw_page(document.id, 1, 200).width == 200
    assert not (collection.path / "renditions").exists()


def test_an_address_that_no_setting_names_is_told_and_the_run_goes_on(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("The bridge was built in 1890.")
    collection = Collection.create("web", tmp_path / "home", PLAIN)
    report = build_index(collection, [URL, tmp_path / "a.txt"], workers=1, settings=PLAIN)
    failed = next(f for f in report.files if f.status == "failed")
    assert failed.failures[0].error == NotFetched.__name__
    assert "web_hosts" in failed.failures[0].message
    assert [d.name for d in collection.documents()] == ["a.txt"]
