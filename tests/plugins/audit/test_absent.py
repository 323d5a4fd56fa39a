"""Vouch without the plugin: what it adds is not there, and whoever asks for it is told the next step."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from evaluation import cli as evaluation
from rag import load_profile
from ui.cli import main
from ui.web.api.application import routers
from vouch import hooks


@pytest.fixture(autouse=True)
def without_plugins(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv(hooks.VARIABLE, "")
    hooks.load_installed.cache_clear()
    yield
    monkeypatch.undo()
    hooks.load_installed.cache_clear()


@pytest.mark.parametrize("command", ["check", "audit", "bibliography"])
def test_its_commands_are_not_known_and_the_message_says_why(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main([command])
    said = capsys.readouterr().err
    assert f"'{command}' is not known" in said
    assert "VOUCH_PLUGINS leaves out audit" in said


def test_neither_are_those_of_the_evaluation(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        evaluation.main(["citeaudit"])
    assert "VOUCH_PLUGINS leaves out audit" in capsys.readouterr().err


def test_neither_are_its_operations_tools_and_tabs() -> None:
    names = {getattr(route, "name", "") for router in routers() for route in router.routes}
    assert "search" in names
    assert not names & {"check", "audit"}
    assert hooks.additions("routes") == hooks.additions("tabs") == ()


def test_a_profile_with_its_section_is_still_read(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("audit:\n  network: [crossref]\n", encoding="utf-8")
    assert load_profile(str(path)).audit.network == ("crossref",)
