"""The password of locked documents on the command line: every way to give it, and none that shows it."""

import getpass
import os
from pathlib import Path

import pytest

from ui.cli import parser as cli
from ui.cli.parser import build_parser
from ui.cli.password import password_of

SECRET = "open s\u00e9same"


@pytest.fixture(autouse=True)
def _none_about(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VOUCH_PASSWORD", raising=False)


def given(*said: str, command: str = "index") -> str | None:
    return password_of(build_parser().parse_args([command, *([] if command == "serve" else ["x"]), *said]))


@pytest.fixture
def descriptor(tmp_path: Path) -> int:
    path = tmp_path / "secret"
    path.write_text(f"{SECRET}\nanother line\n")
    return os.open(path, os.O_RDONLY)


@pytest.mark.parametrize("command", ["index", "ask", "serve"])
def test_it_comes_by_prompt_descriptor_or_environment(
    command: str, descriptor: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert given(command=command) is None
    assert given("--password-fd", str(descriptor), command=command) == SECRET
    monkeypatch.setenv("VOUCH_PASSWORD", SECRET)
    assert given(command=command) == SECRET
    monkeypatch.setattr(getpass, "getpass", lambda _: "typed")
    assert given("--password", "-", command=command) == "typed"
    assert capsys.readouterr().err == ""


def test_an_argument_is_taken_with_a_warning_that_does_not_repeat_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert given("--password", SECRET) == SECRET
    said = capsys.readouterr().err
    assert "other users of this machine can see a password on the command line" in said
    assert SECRET not in said


def test_a_descriptor_that_is_not_open_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    closed = os.dup(0)
    os.close(closed)
    assert cli.main(["index", "x.pdf", "--password-fd", str(closed)]) == 2
    assert f"vouch: --password-fd {closed}: " in capsys.readouterr().err
