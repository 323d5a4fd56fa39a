"""The collection that a command means: the named one, else `default`, else the only one."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from indexing import Collection
from indexing.embed.minilm import MiniLM
from tests.support import fakes
from ui.cli import commands
from ui.cli.parser import main

ROOT = Path(__file__).resolve().parents[3]

SAYS = "The mill at Harrow was built in 1887 by Anna Holm."
ASK = ["ask", "When was the mill at Harrow built?", "--mode", "text"]


def test_the_only_collection_is_asked(home: Path, embedder: MiniLM, capsys: pytest.CaptureFixture[str]) -> None:
    fakes.index(fakes.collection(home, embedder, "mills"), {"mill.pdf": [[SAYS]]})
    assert main(ASK) == 0
    assert "1887" in capsys.readouterr().out
    fakes.collection(home, embedder, "barns")
    assert main(ASK) == 2
    err = capsys.readouterr().err
    assert "no collection named 'default' (there are: barns, mills)" in err


def test_a_missing_collection_is_not_served(home: Path, embedder: MiniLM, capsys: pytest.CaptureFixture[str]) -> None:
    fakes.collection(home, embedder, "mine")
    assert main(["serve", "--collection", "mien"]) == 2
    assert "no collection named 'mien' (there are: mine)" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["stats", "compact"])
def test_the_only_collection_is_used(
    home: Path, embedder: MiniLM, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    fakes.index(fakes.collection(home, embedder, "mills"), {"mill.pdf": [[SAYS]]})
    assert main([command]) == 0
    assert "mills" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("code", "path", "step"),
    [
        (errno.EEXIST, "pages", "a file is in the way: choose a folder"),
        (errno.EACCES, "pages", "choose a place where you may write"),
        (errno.EIO, "pages", "check it"),
        (errno.EACCES, "home/mills", "set VOUCH_HOME to a folder where you may write"),
    ],
)
def test_an_error_of_the_system_ends_with_the_next_step(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], code: int, path: str, step: str
) -> None:
    def fail(_: object) -> int:
        raise OSError(code, os.strerror(code), str(home.parent / path))

    monkeypatch.setattr(commands, "stats", fail)
    assert main(["stats"]) == 2
    assert f"{os.strerror(code)}: {step}" in capsys.readouterr().err


@pytest.mark.gate
@pytest.mark.slow
def test_a_question_loads_nothing_that_it_does_not_use(samples: Collection) -> None:
    asked = ["vouch", "ask", "How many departures were cancelled, and why?", "--collection", "samples"]
    code = f"import sys; sys.argv = {asked}; from ui.cli import main; main(); print(*sys.modules)"
    environment = {**os.environ, "VOUCH_HOME": str(samples.path.parent)}
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    answer, loaded = run.stdout.splitlines()[0], set(run.stdout.splitlines()[-1].split())
    assert "1,236 of 118,400 departures" in answer
    assert "lancedb" in loaded
    assert loaded.isdisjoint({"pandas", "pymupdf", "rapidocr", "gradio", "torch", "llama_index"})
