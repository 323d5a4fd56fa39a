"""`vouch watch`, `--tag` and `--where` on the command line."""

import json
from pathlib import Path

import pytest

from tests.support import documents
from ui.cli import main

RYE = "The mill by the river grinds rye and nothing else."
CIDER = "Nine barrels of cider lie in the cellar of the barn."


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("VOUCH_HOME", str(tmp_path / "home"))
    folder = tmp_path / "shelf"
    folder.mkdir()
    documents.pdf(folder / "mill.pdf", [RYE])
    documents.pdf(folder / "barn.pdf", [CIDER])
    return folder


def test_a_dry_run_says_what_would_happen_and_makes_nothing(shelf: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (shelf / ".vouch.yaml").write_text("tags: {a: b}")
    assert main(["watch", str(shelf), "-c", "live", "--dry-run", "--json"]) == 0
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(each["what"], Path(each.get("path", "")).name) for each in told] == [
        ("new", "barn.pdf"), ("new", "mill.pdf"), ("problem", "")
    ]  # fmt: skip
    assert "not a list of words" in told[-1]["text"]
    assert not (shelf.parent / "home").exists()


@pytest.mark.parametrize("settle", ["-1", "nan", "1e9", "soon"])
def test_the_time_to_settle_is_a_number_of_seconds(settle: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["watch", ".", f"--settle={settle}"])
    assert "not a number of seconds" in capsys.readouterr().err


@pytest.mark.gate
@pytest.mark.slow
def test_tags_and_filters_go_all_the_way(shelf: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (shelf / "mill.pdf.yaml").write_text("date: 1887-05\nauthor: Anna Holm\n")
    assert main(["index", str(shelf), "-c", "farm", "--tag", "farm", "--workers", "1", "--visual", "none"]) == 0
    assert main(["index", str(shelf / "barn.pdf"), "-c", "farm", "--tag", "drink", "--workers", "1"]) == 0
    capsys.readouterr()

    assert main(["search", "barrels rye", "-c", "farm", "--where", "tag=farm and date<1900", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["evidence"]
    assert {each["document"] for each in found} == {"mill.pdf"}

    assert main(["ask", "What lies in the cellar?", "-c", "farm", "--where", "tag=drink", "--json"]) == 0
    (sentence, *_) = json.loads(capsys.readouterr().out)["sentences"]
    assert sentence["citations"][0]["document"] == "barn.pdf"

    assert main(["ask", "What lies in the cellar?", "-c", "farm", "--where", "tag=dirnk"]) == 2
    assert (
        "no document of collection 'farm' matches the filter 'tag=dirnk' (tag is one of farm, drink)"
        in capsys.readouterr().err
    )
    assert main(["search", "rye", "-c", "farm", "--where", "tga=drink"]) == 2
    assert "column 1: there is no field 'tga', did you mean tag?" in capsys.readouterr().err
    assert main(["search", "rye", "-c", "farm", "--doc", "mill.pdf", "--where", "tag=drink"]) == 2
    assert "does not match the filter" in capsys.readouterr().err

    (shelf / "mill.pdf").unlink()
    assert main(["watch", str(shelf), "-c", "farm", "--once", "--settle", "0", "--workers", "1"]) == 0
    assert "missing         mill.pdf" in capsys.readouterr().out
    assert main(["list", "-c", "farm"]) == 0
    listed = capsys.readouterr().out
    assert "mill.pdf (missing)" in listed
    assert "drink" in listed
    assert main(["ask", "What does the mill grind?", "-c", "farm", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert any(note.startswith("mill.pdf: its file is gone") for note in said["notes"])
