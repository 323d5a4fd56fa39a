"""The collection that a command means: the named one, else `default`, else the only one."""

from __future__ import annotations

from pathlib import Path

import pytest

from indexing.embed.minilm import MiniLM
from tests.support import fakes
from ui.cli.parser import main

SAYS = "The mill at Harrow was built in 1887 by Anna Holm."
ASK = ["ask", "When was the mill at Harrow built?", "--mode", "text"]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("VOUCH_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def test_the_only_collection_is_asked_unless_another_is_named(
    home: Path, embedder: MiniLM, capsys: pytest.CaptureFixture[str]
) -> None:
    fakes.index(fakes.collection(home, embedder, "mills"), {"mill.pdf": [[SAYS]]})
    assert main(ASK) == 0
    assert "1887" in capsys.readouterr().out
    fakes.collection(home, embedder, "barns")
    assert main(ASK) == 2
    err = capsys.readouterr().err
    assert "no collection named 'default' (there are: barns, mills)" in err


def test_a_page_of_a_collection_that_is_not_there_is_not_served(
    home: Path, embedder: MiniLM, capsys: pytest.CaptureFixture[str]
) -> None:
    fakes.collection(home, embedder, "mine")
    assert main(["serve", "--collection", "mien"]) == 2
    assert "no collection named 'mien' (there are: mine)" in capsys.readouterr().err
