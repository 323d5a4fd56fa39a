"""`vouch ask` with a model of the profile, and with `--ablate`: what is printed, and what goes wrong."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from indexing.embed.minilm import MiniLM
from tests.support import fakes
from tests.support.scripted_server import ScriptedServer
from tests.support.scripts import says
from tests.support.writers import said
from ui.cli import parser as cli
from ui.cli.parser import main

ASK = "When was the lighthouse lit?"
LIT, SOLD = "The lighthouse was lit in 1887.", "It was sold in 1911."


@pytest.fixture(scope="module", autouse=True)
def library(tmp_path_factory: pytest.TempPathFactory, embedder: MiniLM) -> Iterator[Path]:
    """A home with a collection `lights`."""
    home = tmp_path_factory.mktemp("library")
    fakes.index(fakes.collection(home, embedder, "lights"), {"light.pdf": [[LIT, "Its keeper was Ada Holm."]]})
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VOUCH_HOME", str(home))
        yield home


def profile(folder: Path, server: ScriptedServer, **rag: object) -> str:
    """A profile whose model is the server's."""
    path = folder / "mine.yaml"
    settings = {"mode": "text", "judge": "rules", "model": {"base_url": server.url, "name": "scripted", "retries": 0}}
    path.write_text(json.dumps({"rag": settings | rag}))
    return str(path)


def asked(*arguments: str) -> int:
    return cli.main(["ask", ASK, "-c", "lights", *arguments])


def test_nothing_but_an_address_and_a_name_gives_a_checked_answer(
    tmp_path: Path, serve: Callable[..., ScriptedServer], capsys: pytest.CaptureFixture[str]
) -> None:
    server = serve(says(said((LIT, ["E1"]), (SOLD, ["E1"]))))
    assert asked("--method", "vanilla", "--profile", profile(tmp_path, server)) == 0
    out = capsys.readouterr().out
    assert f"{LIT} [1] " in out
    assert f"{SOLD} [2] \u25cb" in out
    assert "[1] light.pdf, page 1, paragraph" in out
    assert "1 call of scripted, 11 + 7 tokens" in out


def test_every_page_is_read_and_its_cost_is_said_first(
    tmp_path: Path, serve: Callable[..., ScriptedServer], capsys: pytest.CaptureFixture[str]
) -> None:
    server = serve(lambda _: says(said((LIT, ["E1"]))))
    chosen = profile(tmp_path, server)
    assert asked("--every-page", "--doc", "light.pdf", "--method", "vanilla", "--profile", chosen, "--json") == 0
    out, err = capsys.readouterr()
    assert err == "Reading 1 page: 2 calls of the model, some 2,000 tokens. Ctrl-C stops it.\n"
    assert "1 of 1 pages were read, in 1 calls" in json.loads(out)["notes"]
    assert len(server.asked) == 2
    assert asked("--every-page", "--method", "vanilla", "--profile", chosen) == 2
    assert "Choose those that are to be read (--doc NAME)" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "why"),
    [(["--method", "vanilla"], "name none"), (["--extract"], "method quote does not have the option 'extract'")],
)
def test_what_cannot_be_is_one_line(capsys: pytest.CaptureFixture[str], arguments: list[str], why: str) -> None:
    assert asked(*arguments) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert why in err


ASKED = "How many sacks of barley does the mill at Harrow grind every day?"
SAYS = "The mill at Harrow grinds nine sacks of barley every day."
OTHER = ["The keeper of the lighthouse keeps bees.", "A ferry leaves for Merrow at noon."]
ABLATE = ["ask", ASKED, "-c", "mills", "--mode", "text", "--ablate"]


@pytest.fixture
def mills(tmp_path: Path, embedder: MiniLM, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two documents that say the same of the mill, in a collection that commands find."""
    monkeypatch.setenv("VOUCH_HOME", str(tmp_path / "home"))
    with fakes.collection(tmp_path / "home", embedder, "mills") as made:
        fakes.index(made, {"mill.pdf": [[SAYS, *OTHER]], "copy.pdf": [[OTHER[0], SAYS]]})


@pytest.mark.usefixtures("mills")
def test_what_stands_in_one_place_only_is_crucial(capsys: pytest.CaptureFixture[str]) -> None:
    """The question is asked again of the one document that it was asked of: the copy cannot stand in."""
    assert main([*ABLATE, "--doc", "mill.pdf"]) == 0
    out = capsys.readouterr().out.splitlines()
    assert any(line.startswith(f"{SAYS} [1]") for line in out)
    assert f"[1] mill.pdf, page 1 is crucial: without it, nothing proves \u201c{SAYS}\u201d" in out
