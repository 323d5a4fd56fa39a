"""The command that trains the reader: its help, and what it says when something is missing."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from evaluation.fit.reader import main
from evaluation.fit.reader.cli import PackagesMissing, options, require, weights_of
from rag import ReaderDamaged

WITHOUT_TORCH = pytest.mark.skipif(find_spec("torch") is not None, reason="torch is installed here")


@pytest.mark.parametrize("step", [(), ("train",), ("report",), ("export",)])
def test_help_teaches_without_torch(step: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    before = set(sys.modules)
    with pytest.raises(SystemExit) as end:
        main([*step, "--help"])
    assert end.value.code == 0
    said = capsys.readouterr().out
    assert ("vouch[reader]" if not step else "VOUCH_TRAIN") in said
    assert "torch" not in set(sys.modules) - before


def test_it_is_one_of_the_fits() -> None:
    run = subprocess.run([sys.executable, "-m", "evaluation.fit"], capture_output=True, text=True, check=False)
    assert ",reader," in run.stderr


def test_the_training_is_kept_outside_of_the_repository(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("VOUCH_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("VOUCH_TRAIN", str(tmp_path / "qa.gz"))
    asked = options().parse_args(["train", "--limits", "made=5"])
    assert (asked.out, asked.data) == (tmp_path / "home" / "reader", tmp_path / "qa.gz")
    assert asked.limits == {"made": 5}


@pytest.mark.parametrize("wrong", [("--limits", "made"), ("--minutes", "0"), ("--rate", "nan"), ("--epochs", "x")])
def test_wrong_numbers_are_refused(wrong: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["train", *wrong])
    assert end.value.code == 2
    assert repr(wrong[1]) in capsys.readouterr().err


@WITHOUT_TORCH
@pytest.mark.parametrize("step", [("train",), ("report",), ("export", "--to", "x")])
def test_missing_packages_are_told_with_what_to_install(
    step: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        main([*step])
    assert end.value.code == 2
    assert "pip install 'vouch[reader]'" in capsys.readouterr().err


def test_a_package_that_is_nowhere_is_named() -> None:
    with pytest.raises(PackagesMissing, match="no_such_package"):
        require(["json", "no_such_package"])


def test_weights_want_a_tokenizer(tmp_path: Path) -> None:
    with pytest.raises(ReaderDamaged, match=r"tokenizer\.json"):
        weights_of(tmp_path)
    (tmp_path / "tokenizer.json").touch()
    assert weights_of(tmp_path) == tmp_path
