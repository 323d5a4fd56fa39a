"""`vouch connect`: what is there is found and asked, the profile that it writes works, and nothing else is called."""

import socket
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from rag import load_profile
from rag.llm.discovery import ServerAt
from tests.rag.llm.discovery.test_inquiry import honest
from tests.support import network
from tests.support.scripted_server import ScriptedServer
from tests.support.scripts import Asked, Script, says
from ui.cli import connect as command
from ui.cli import parser as cli

Serve = Callable[..., ScriptedServer]


def ferry(request: Asked) -> Script:
    return says("It leaves at nine.") if "ferry" in request.text else honest(request)


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A machine on which nothing is served, and a folder of one's own."""
    at_ports(monkeypatch)
    monkeypatch.chdir(tmp_path)
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


def at_ports(monkeypatch: pytest.MonkeyPatch, *urls: str) -> None:
    """Let the usual ports be these."""
    monkeypatch.setattr(command, "LOCAL", tuple(ServerAt(url, "the port of some") for url in urls))


def nobody() -> str:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return f"http://127.0.0.1:{free.getsockname()[1]}/v1"


def run(*words: str) -> int:
    return cli.main(["connect", *words])


def test_what_runs_here_is_found_and_written_down(
    serve: Serve, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    server = serve(ferry)
    server.models = [{"id": "text-embedding-small"}, {"id": "scripted", "max_model_len": 8192}]
    at_ports(monkeypatch, nobody(), server.url)
    assert run() == 0
    said = capsys.readouterr().out
    for line in (
        f"scripted at {server.url}",
        "structured output: the server restricts replies to a JSON schema",
        "images: an image of 256 x 256 pixels is 64 tokens",
        "context: 8192 tokens",
        "it answered: “It leaves at nine.” (7 tokens,",
        'vouch ask "your question" --profile connected.yaml',
    ):
        assert line in said
    rag = load_profile("connected.yaml").rag
    assert (rag.method, rag.mode) == ("vanilla", "auto")
    assert rag.model is not None
    assert rag.model.model_dump(exclude_defaults=True) == {
        "base_url": server.url,
        "name": "scripted",
        "context_tokens": 8192,
    }
    assert (tmp_path / "connected.yaml").stat().st_mode & 0o077 == 0


def test_of_several_models_none_is_taken(serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    server = serve(ferry)
    server.models = [{"id": "one"}, {"id": "two"}]
    assert run(server.url) == 1
    assert f"vouch connect {server.url} --model two" in capsys.readouterr().out
    assert not Path("connected.yaml").exists()
    assert server.asked == []
    assert run(server.url, "--model", "two") == 0
    assert {asked.body["model"] for asked in server.asked} == {"two"}
    assert run(server.url, "--model", "three", "--to", "three.yaml") == 2
    assert "there is no model 'three': choose one of one, two with --model" in capsys.readouterr().err


def test_the_environment_is_an_address_too(
    serve: Serve, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    server = serve(ferry)
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    monkeypatch.setenv("OPENAI_API_KEY", "hunter2")
    assert run() == 0
    assert {asked.headers["authorization"] for asked in (*server.asked, *server.looked_up)} == {"Bearer hunter2"}
    text = Path("connected.yaml").read_text()
    assert "api_key_env: OPENAI_API_KEY" in text
    assert "hunter2" not in text + "".join(capsys.readouterr())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["http://127.0.0.1:99999/v1"], "http://127.0.0.1:99999/v1: is not an address"),
        (["ftp://host/v1"], "ftp://host/v1: is not an address"),
        (["http://me:hunter2@host/v1"], "must not contain a user, password"),
        (["nosuch.gguf"], "nosuch.gguf: check the path"),
        (["--to", "mine.yaml"], "already exists: name another file with --to"),
        ([], "vouch connect MODEL.gguf, which needs no server"),
        ([], "give it, for example https://api.openai.com/v1 --key-env OPENAI_API_KEY"),
        (["http://127.0.0.1:1/v1", "--to", "profile.txt"], "a profile is a .yaml file"),
        (["http://127.0.0.1:1/v1", "--key-env", "NO_SUCH_KEY"], "the environment variable NO_SUCH_KEY"),
    ],
)
def test_what_cannot_be_is_told(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NO_SUCH_KEY", raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", "hunter2")
    Path("mine.yaml").write_text("mine")
    at_ports(monkeypatch, nobody())
    assert run(*words) == 2
    assert said in capsys.readouterr().err
    assert network.attempts == []  # nothing but this machine was looked at
    assert not Path("connected.yaml").exists()


def test_a_server_without_a_list_is_asked_by_name(serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    server = serve(ferry)
    server.lists = False
    assert run(server.url) == 2
    assert "has no chat API" in capsys.readouterr().err
    assert run(server.url, "--model", "mine") == 0
    assert {asked.body["model"] for asked in server.asked} == {"mine"}


def test_what_a_server_says_is_disarmed(serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    server = serve(lambda asked: says("\x1b[2Jnine") if "ferry" in asked.text else honest(asked))
    server.models = [{"id": "a\x1b[31m"}]
    assert run(server.url) == 0
    assert "\x1b" not in capsys.readouterr().out


def test_a_further_model_is_printed_for_the_profile(serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    server = serve(ferry)
    Path("mine.yaml").write_text("rag: {model: {base_url: 'http://127.0.0.1:8/v1', name: big}}  # mine")
    assert run(server.url, "--to", "mine.yaml", "--add", "small") == 0
    said = capsys.readouterr().out
    entry = yaml.safe_load(said.partition("under rag.models in mine.yaml:\n")[2].partition("\n\n")[0])
    assert (entry["small"]["base_url"], entry["small"]["name"], "timeout" in entry["small"]) == (
        server.url, "scripted", False
    )  # fmt: skip
    assert 'vouch ask "your question" --profile mine.yaml --model small' in said
    asked = len(server.asked)
    for profile, name, reason in (
        ("mine.yaml", "big", "already has a model 'big'"),
        ("mine.yaml", " small", "cannot be the name of a model"),
        ("none.yaml", "small", "none.yaml"),
    ):
        assert run(server.url, "--to", profile, "--add", name) == 2
        assert reason in capsys.readouterr().err
    Path("mine.yaml").write_text("rag: {}")
    assert run(server.url, "--to", "mine.yaml", "--add", "small") == 2
    assert len(server.asked) == asked
