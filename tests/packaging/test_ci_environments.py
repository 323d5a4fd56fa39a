"""`.ci/environments`: an environment is found again by its pins, works where it is restored, and is kept unchanged."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / ".ci" / "environments"


PROJECT = """
[project]
dependencies = ["numpy"]
[build-system]
requires = ["setuptools"]
[tool.setuptools]
zip-safe = false
[tool.ruff]
line-length = 120
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout with one environment: a program that starts by its own path, and a file that leads to the checkout."""
    made = new_checkout(tmp_path / "made")
    environment = made / ".venv"
    (environment / "bin").mkdir(parents=True)
    (environment / "bin" / "tool").write_text(f"#!{environment}/bin/python\n")
    (environment / "bin" / "binary").write_bytes(b"\0" + str(made).encode())
    (environment / "lib").mkdir()
    (environment / "lib" / "base.pth").write_text(f"{made}\n")
    (environment / ".stamp").touch()
    return made


def new_checkout(folder: Path) -> Path:
    """Make a folder with the script and the files that hold the pins."""
    (folder / ".ci").mkdir(parents=True)
    shutil.copy(SCRIPT, folder / ".ci")
    for pins in (
        *("constraints.txt", "tests/visual/constraints.txt", "tests/local/requirements.txt"),
        *("tests/plugins/cluster/requirements.txt", "tests/vllm/requirements.txt", "tests/vllm/mend.py"),
        *("tests/audit/requirements.txt", "tests/ui/browser/package.json", "tests/ui/browser/package-lock.json"),
    ):
        (folder / pins).parent.mkdir(parents=True, exist_ok=True)
        (folder / pins).write_text("numpy==2.0\n")
    (folder / "pyproject.toml").write_text(PROJECT)
    return folder


def run(folder: Path, action: str, cache: Path) -> str:
    environment = {**os.environ, "VOUCH_CI_CACHE": str(cache)}
    command = [folder / ".ci" / "environments", action]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout


def test_a_kept_environment_is_restored_with_the_paths_of_the_new_checkout(checkout: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    run(checkout, "keep", cache)
    other = new_checkout(tmp_path / "other")
    assert "environment .venv: from " in run(other, "restore", cache)
    assert (other / ".venv/bin/tool").read_text() == f"#!{other}/.venv/bin/python\n"
    assert (other / ".venv/lib/base.pth").read_text() == f"{other}\n"
    (kept,) = cache.glob("venv-*/tree")
    assert (kept / "bin/tool").read_text() == f"#!{checkout}/.venv/bin/python\n", "the kept one is changed"
    assert (other / ".venv/bin/binary").samefile(kept / "bin/binary"), "no link: it was copied"


def test_other_pins_are_another_environment(checkout: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    run(checkout, "keep", cache)
    other = new_checkout(tmp_path / "other")
    (other / "constraints.txt").write_text("numpy==2.1\n")
    assert "environment .venv: to be made" in run(other, "restore", cache)
    assert not (other / ".venv").exists()


def test_an_unfinished_environment_is_not_kept(checkout: Path, tmp_path: Path) -> None:
    (checkout / ".venv" / ".stamp").unlink()
    run(checkout, "keep", tmp_path / "cache")
    assert list((tmp_path / "cache").iterdir()) == []


def test_what_lint_reads_makes_no_other_environment(checkout: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    run(checkout, "keep", cache)
    for number, (old, new) in enumerate((("120", "100"), ('"numpy"', '"numpy", "pyarrow"'))):
        other = new_checkout(tmp_path / f"other{number}")
        (other / "pyproject.toml").write_text(PROJECT.replace(old, new))
        assert ("environment .venv: from " in run(other, "restore", cache)) == (number == 0)
