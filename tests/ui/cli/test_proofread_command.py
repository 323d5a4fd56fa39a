"""`vouch proofread` on small collections: what it prints, its exit codes, and that it goes on where it was stopped."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from indexing import Collection
from indexing.workers import Workers
from tests.support import documents
from ui.cli import main


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with one collection, of three pages of one line each."""
    folder = tmp_path_factory.mktemp("indexed")
    path = documents.pdf(folder / "mills.pdf", *[[f"The mill was built by {who} Holm."] for who in ("Anna", "Eva")])
    boats = documents.pdf(folder / "boats.pdf", ["The boat was sunk in 1904."])
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VOUCH_HOME", str(folder / "home"))
        assert main(["index", str(path), str(boats), "-c", "mills", "--visual", "none"]) == 0
    return folder / "home"


@pytest.fixture
def home(indexed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    """A copy of that home."""
    monkeypatch.setenv("VOUCH_HOME", str(tmp_path / "home"))
    capsys.readouterr()
    return Path(shutil.copytree(indexed, tmp_path / "home"))


@pytest.mark.slow
def test_it_says_that_all_agree_and_what_does_not(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["proofread"]) == 0  # the only collection there is
    said = capsys.readouterr()
    assert said.out == "mills: 3 pages looked at, all 3 lines show what their text says.\n"
    assert "boats.pdf: file 2 of 2" in said.err
    collection = Collection.open("mills", home)
    lie = documents.pdf(tmp_path / "lie.pdf", ["The boat was sunk in 1964, as it is said."])
    shutil.copyfile(lie, collection.originals.path(collection.document("boats.pdf")))
    assert main(["proofread", "-c", "mills"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "mills: 3 pages looked at, 2 of 3 lines show what their text says."
    assert lines[1].startswith("  boats.pdf, page 1: ")
    assert "“1904.”" in lines[1]
    assert main(["proofread", "-c", "mills", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["pages_total"], told["pages_looked_at"], told["lines"], told["lines_that_agree"]) == (3, 3, 3, 2)
    assert [(one["document"], one["page"]) for one in told["pages"]] == [("boats.pdf", 1)]
    assert told["pages"][0]["differs"][0]["text"] == "1904."


@pytest.mark.slow
def test_it_goes_on_where_it_was_stopped(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    del home
    compare = Workers.compare
    pages: list[str] = []

    def stopped_at_the_second(self: Workers, job: Any, number: int, lines: Any) -> Any:
        pages.append(job.path.name)
        if len(pages) == 2:
            raise KeyboardInterrupt
        return compare(self, job, number, lines)

    monkeypatch.setattr(Workers, "compare", stopped_at_the_second)
    assert main(["proofread", "-c", "mills", "--workers", "1"]) == 130
    said = capsys.readouterr()
    assert "mills: 1 of 3 pages looked at" in said.out
    assert said.err.endswith("vouch: stopped: run the same command again to continue.\n")
    assert main(["proofread", "-c", "mills", "--workers", "1"]) == 0
    assert "mills: 3 pages looked at" in capsys.readouterr().out
    assert len(pages) == 4


@pytest.mark.slow
def test_a_copy_that_is_gone_is_told_of(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    collection = Collection.open("mills", home)
    collection.originals.path(collection.document("boats.pdf")).unlink()
    assert main(["proofread", "-c", "mills"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "mills: 2 of 3 pages looked at, all 2 lines show what their text says."
    assert "the copy of boats.pdf is missing from" in lines[1]
