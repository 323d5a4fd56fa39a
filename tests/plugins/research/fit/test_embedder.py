"""The command that trains the embedder: its help, and its messages when something is missing."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from plugins.research.errors import CannotTrain, PackagesMissing
from plugins.research.fit.embedder import main
from plugins.research.fit.embedder.cli import options
from plugins.research.fit.embedder.requirements import require, weights_of


@pytest.mark.parametrize("step", [(), ("train",), ("report",), ("export",)])
def test_help_teaches_without_torch(step: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    before = set(sys.modules)
    with pytest.raises(SystemExit) as end:
        main([*step, "--help"])
    assert end.value.code == 0
    assert ("vouch[embedder-training]" if not step else "VOUCH_TRAIN") in capsys.readouterr().out
    assert "torch" not in set(sys.modules) - before


def test_the_training_is_kept_outside_of_the_repository(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("VOUCH_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("VOUCH_TRAIN", str(tmp_path / "qa.gz"))
    asked = options().parse_args(["report"])
    assert (asked.out, asked.data) == (tmp_path / "home" / "embedder", tmp_path / "qa.gz")


@pytest.mark.skipif(find_spec("torch") is not None, reason="torch is installed here")
def test_missing_packages_are_named_with_what_to_install(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["train", "--axes", "x.npy"])
    assert end.value.code == 2
    assert "pip install 'vouch[embedder-training]'" in capsys.readouterr().err


def test_a_package_that_is_nowhere_is_named() -> None:
    with pytest.raises(PackagesMissing, match="no_such_package"):
        require(["json", "no_such_package"])


def test_weights_need_a_tokenizer(tmp_path: Path) -> None:
    with pytest.raises(CannotTrain, match=r"tokenizer\.json"):
        weights_of(tmp_path)
    (tmp_path / "tokenizer.json").touch()
    assert weights_of(tmp_path) == tmp_path
