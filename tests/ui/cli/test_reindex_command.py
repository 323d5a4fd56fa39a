"""`vouch reindex` on a small collection: what it prints, its exit codes, anchors that resolve afterwards."""

import json
from pathlib import Path

import pytest

from indexing import Collection
from rag import Anchor, resolve
from tests.support import documents, late_checkpoint
from ui.cli import main

LINES = ["The mill was built in 1742.", "Its wheel is nine metres wide."]


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VOUCH_HOME", str(tmp_path / "home"))


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    code = main(list(arguments))
    said = capsys.readouterr()
    return code, said.out + said.err


@pytest.mark.gate
@pytest.mark.slow
def test_a_collection_gets_another_embedder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    question = "When was the mill built?"
    checkpoint = str(late_checkpoint.make(tmp_path / "tiny", [*LINES, question]).folder)
    documents.pdf(tmp_path / "mill.pdf", LINES)
    own = tmp_path / "own.yaml"
    own.write_text("indexing: {text_languages: [en, de], workers: 1}\n")
    assert main(["index", str(tmp_path / "mill.pdf"), "-c", "mills", "--visual", "none", "--tag", "old"]) == 0
    assert main(["ask", question, "-c", "mills", "--export", str(tmp_path / "answer.json")]) == 0
    told = json.loads((tmp_path / "answer.json").read_text())
    (anchor,) = {c["anchor"] for sentence in told["sentences"] for c in sentence["citations"]}
    capsys.readouterr()
    made = ["reindex", "-c", "mills", "--text", "colbert", "--checkpoint", checkpoint]
    code, said = printed(capsys, *made, "--profile", str(own))
    assert (code, "Collection mills: 1 document, 1 page, " in said) == (0, True)
    record = json.loads((tmp_path / "home" / "mills" / "collection.json").read_text())
    assert (record["format"], record["text"]["languages"]) == (7, ["en", "de"])
    found = resolve(Anchor.parse(anchor), Collection.open("mills"))
    assert (found.state, found.document.metadata.tags) == ("found", ("old",))
    assert "1742" in printed(capsys, "ask", question, "-c", "mills")[1]
    code, said = printed(capsys, *made, "--json", "--profile", str(own))
    assert (code, json.loads(said)["notes"][0][:13]) == (0, "nothing to do")
    assert printed(capsys, "list", "-c", "mills")[1].count("mill.pdf") == 1


def test_options_that_do_not_go_together_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(capsys, "reindex", "-c", "nowhere") == (
        2, ("vouch: no collection named 'nowhere' (there are: none yet): create it with "
        "vouch index PATH --collection nowhere\n"),
    )  # fmt: skip
    Collection.create("mills")
    code, said = printed(capsys, "reindex", "-c", "mills", "--checkpoint", str(tmp_path))
    assert (code, "add one of these" in said) == (2, True)
    code, said = printed(capsys, "reindex", "-c", "mills", "--discard", "--visual", "none")
    assert (code, "leave them out" in said) == (2, True)
    assert printed(capsys, "reindex", "-c", "mills", "--discard") == (0, "mills: There was no reindex to discard.\n")
