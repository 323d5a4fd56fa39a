"""`vouch ask --ablate`: which citations were crucial, on the terminal and as JSON, asked again as it was asked."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from indexing.embed.minilm import MiniLM
from tests.support import fakes
from ui.cli.parser import main

ASKED = "How many sacks of barley does the mill at Harrow grind every day?"
SAYS = "The mill at Harrow grinds nine sacks of barley every day."
OTHER = ["The keeper of the lighthouse keeps bees.", "A ferry leaves for Merrow at noon."]
ABLATE = ["ask", ASKED, "-c", "mills", "--mode", "text", "--ablate"]


@pytest.fixture(autouse=True)
def mills(tmp_path: Path, embedder: MiniLM, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two documents that say the same of the mill, in a collection that commands find."""
    monkeypatch.setenv("VOUCH_HOME", str(tmp_path / "home"))
    with fakes.collection(tmp_path / "home", embedder, "mills") as made:
        fakes.index(made, {"mill.pdf": [[SAYS, *OTHER]], "copy.pdf": [[OTHER[0], SAYS]]})


def test_what_stands_in_one_place_only_is_crucial(capsys: pytest.CaptureFixture[str]) -> None:
    """The question is asked again of the one document that it was asked of: the copy cannot stand in."""
    assert main([*ABLATE, "--doc", "mill.pdf"]) == 0
    out = capsys.readouterr().out.splitlines()
    assert any(line.startswith(f"{SAYS} [1]") for line in out)
    assert f"[1] mill.pdf, page 1 is crucial: without it, nothing proves \u201c{SAYS}\u201d" in out


def test_what_stands_in_two_places_is_not(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(ABLATE) == 0
    told = [line for line in capsys.readouterr().out.splitlines() if "crucial" in line]
    assert told
    assert all(line.endswith("is not crucial: other places say the same") for line in told)


def test_as_json_each_cited_element_is_told_of_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*ABLATE, "--doc", "mill.pdf", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    cited = {c["element_id"] for s in answer["sentences"] for c in s["citations"]}
    assert {each["element_id"] for each in answer["ablated"]} == cited
    (first,) = [each for each in answer["ablated"] if each["number"] == 1]
    assert (first["crucial"], first["lost"]) == (True, [SAYS])
    assert "nine" not in first["said"]
