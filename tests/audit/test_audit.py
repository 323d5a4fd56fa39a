"""The audit of what is pinned: an advisory fails it, and silence is never taken for health."""

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from tests.audit.__main__ import FOUND, ROOT, UNREACHED, WELL, main, read

SOUND: dict[str, Any] = {"name": "anyio", "version": "4.16.0", "vulns": []}
HOLED: dict[str, Any] = {
    "name": "pillow",
    "version": "1.0",
    "vulns": [{"id": "CVE-2026-1", "fix_versions": ["1.1"], "aliases": [], "description": ""}],
}
SKIPPED: dict[str, Any] = {"name": "gradio", "skip_reason": "Dependency not found on PyPI and could not be audited"}


def tool(folder: Path, report: object, complaint: str = "", code: int = 0) -> str:
    """A pip-audit that says that."""
    (folder / "report.json").write_text(report if isinstance(report, str) else json.dumps(report))
    made = folder / "pip-audit"
    made.write_text(f"#!/bin/sh\ncat '{folder}/report.json'; echo '{complaint}' >&2; exit {code}\n")
    made.chmod(0o700)
    return str(made)


@pytest.mark.parametrize(
    ("packages", "code", "said"),
    [
        ([SOUND, SOUND], WELL, "0 known advisories for 2 packages"),
        ([SOUND, HOLED], FOUND, "pillow 1.0: CVE-2026-1, mended in 1.1"),
        ([SOUND, SKIPPED], UNREACHED, "cannot be reached for 1 of 2 packages (gradio)"),
        ([HOLED, SKIPPED], FOUND, "cannot be reached for 1 of 2 packages (gradio)"),
        ([SKIPPED] * 9, UNREACHED, "cannot be reached for 9 of 9 packages"),
        ([], UNREACHED, "nothing was checked"),
    ],
)
def test_the_outcome_is_told(
    packages: list[Any], code: int, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([tool(tmp_path, {"dependencies": packages, "fixes": []})]) == code
    assert said in capsys.readouterr().out
    assert main([tool(tmp_path, {"dependencies": packages}), "--go-on"]) == (WELL if code == UNREACHED else code)


@pytest.mark.parametrize("report", ["", "null", "[]", "{}"])
def test_without_a_report_nothing_is_checked(report: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([tool(tmp_path, report, "requests: ConnectionError: no such host", 1)]) == UNREACHED
    assert "nothing was checked (requests: ConnectionError: no such host)" in capsys.readouterr().out


def test_a_report_of_nothing_known_is_not_well() -> None:
    assert read(json.dumps({"dependencies": [SKIPPED]})).code == UNREACHED


@pytest.mark.parametrize("name", ["constraints.txt", "tests/audit/requirements.txt"])
def test_every_pin_is_exact_and_has_hashes(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    pins = re.split(r"\n(?=[A-Za-z0-9])", "\n" + re.sub(r"(?m)^#.*\n", "", text))[1:]
    assert len(pins) > 20
    bad = [
        pin.split("\n")[0] for pin in pins if not re.match(r"[\w.-]+==[\w.+!-]+( ; [^\\]+)? \\\n +--hash=sha256:", pin)
    ]
    assert bad == []
    assert not re.search(r"https?:|git\+|file:", text.split("\n", 2)[-1])


def test_the_environment_is_made_by_hash_alone() -> None:
    """Of pip's calls for .venv, two take files by hash (pip, the lock), the last nothing but this tree."""
    made = (ROOT / "Makefile").read_text(encoding="utf-8").partition("$(VENV)/.stamp: ")[2].partition("\n\n")[0]
    calls = re.findall(r"\$\(BIN\)/pip install (.*)", made)
    assert ["--require-hashes -r /dev/stdin" in call for call in calls] == [True, False, False]
    assert ["--require-hashes -r constraints.txt" in call for call in calls] == [False, True, False]
    assert "--no-deps --no-build-isolation -e ." in calls[2]
    assert os.access(ROOT / ".ci" / "run", os.X_OK)
