"""Collections of two formats back open, or say what migrates them; a migration that is killed goes on."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from indexing import Collection, IndexingSettings, errors
from indexing.embed.minilm import MiniLM
from indexing.reindex import reindex_collection
from rag import Pipeline, RagSettings
from tests.support import fakes
from ui.cli import main

SETTINGS = IndexingSettings(workers=1, visual="none")
QUESTION = "When was the mill built?"
ANSWER = "The mill was built in 1742 by the brothers Holm."
KILLED = """
import os, signal, sys
from pathlib import Path
from indexing import IndexingSettings, reindex_collection
def killed(moment):
    if moment.report is not None:
        os.kill(os.getpid(), signal.SIGKILL)
reindex_collection("old", Path(sys.argv[1]), settings=IndexingSettings(workers=1, visual="none"), on_progress=killed)
"""


def told(home: Path, embedder: MiniLM) -> str:
    collection = fakes.opened(home, embedder, "old")
    return Pipeline(collection, RagSettings(print_check=False)).answer(QUESTION, mode="text").sentences[0].text


def test_format_3_says_which_command_migrates_it(older: Callable[[str], Path]) -> None:
    with pytest.raises(errors.CollectionOutdated, match=r"format 3.*: .*vouch reindex --collection old"):
        Collection.open("old", older("3"))


@pytest.mark.slow
@pytest.mark.gate
def test_a_killed_migration_resumes(
    older: Callable[[str], Path], embedder: MiniLM, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = older("3")
    done = subprocess.run([sys.executable, "-c", KILLED, str(home)], capture_output=True, timeout=120, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr.decode()
    with pytest.raises(errors.CollectionOutdated, match="vouch reindex"):
        Collection.open("old", home)
    monkeypatch.setenv("VOUCH_HOME", str(home))
    assert main(["reindex", "--collection", "old", "--workers", "1"]) == 0
    assert told(home, embedder) == ANSWER
    found = Collection.open("old", home)
    assert {(d.name, d.path, d.n_pages, d.failed_pages) for d in found.documents()} == {
        ("mill.pdf", "/documents/mill.pdf", 2, ()), ("ferry.pdf", "/documents/ferry.pdf", 1, ()),
    }  # fmt: skip
    assert all(d.indexed_at.startswith("2026-11-25T01:3") for d in found.documents())  # as the earlier Vouch had it


@pytest.mark.slow
@pytest.mark.parametrize("copies", [pytest.param(True, marks=pytest.mark.gate), False])
def test_format_3_is_reread_or_carried_over(older: Callable[[str], Path], embedder: MiniLM, copies: bool) -> None:
    home = older("3")
    if not copies:
        for path in (home / "old" / "sources").iterdir():
            path.unlink()
    report = reindex_collection("old", home, settings=SETTINGS)
    assert report.exit_code == (0 if copies else 1)
    reasons = [failure.message for file in report.files for failure in file.failures]
    assert all("is missing" in reason and "is kept as it was read before" in reason for reason in reasons)
    assert len(reasons) == (0 if copies else 2)
    assert told(home, embedder) == ANSWER


@pytest.mark.parametrize("number", ["4", "4b", "6"])
def test_formats_that_open_are_brought_up_to_date(older: Callable[[str], Path], embedder: MiniLM, number: str) -> None:
    home = older(number)
    collection = Collection.open("old", home)
    assert {d.name for d in collection.documents()} == {"mill.pdf", "ferry.pdf"}
    with pytest.raises(errors.CollectionOutdated, match="vouch reindex --collection old"):
        collection.search(QUESTION)
    before = [(d, collection.page_elements(d.id, 1)) for d in collection.documents()]
    assert reindex_collection("old", home, settings=IndexingSettings(workers=1)).exit_code == 0
    assert told(home, embedder) == ANSWER
    assert [d for d, _ in before] == list(collection.documents())
    for document, elements in before:
        now = collection.page_elements(document.id, 1)
        assert [(e.id, e.text, e.bbox) for e in now] == [(e.id, e.text, e.bbox) for e in elements]
    assert collection.search(QUESTION).hits
    row = collection.snapshots()[0].page_rows(before[0][0].id, 1, 1)[1]
    assert row["residuals"]
