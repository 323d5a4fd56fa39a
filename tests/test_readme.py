"""The README's session and commands are what a newcomer tries first: they must run as they stand."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_six_lines_of_python_answer_and_draw(tmp_path: Path) -> None:
    """Run the Python block of the README on the samples, as a plain script from the root of a clone."""
    (block,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    script = tmp_path / "session.py"
    drawn = tmp_path / "drawn"
    session = block.replace('"demo-output"', repr(str(drawn))).replace('create("samples")', 'create("readme")')
    script.write_text(session, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, script], cwd=ROOT, capture_output=True, text=True, timeout=280, env=_environment(), check=False
    )
    assert done.returncode == 0, done.stderr
    assert "1,236" in done.stdout
    assert "sallow-bay-annual-report.pdf" in done.stdout
    assert [p.suffix for p in drawn.iterdir()] == [".png"]


def test_every_command_of_the_readme_is_one_that_vouch_has() -> None:
    """Parse each `vouch ...` line of the README with --help in the place of its arguments."""
    lines = re.findall(r"^\.venv/bin/vouch (\w+)", README, re.MULTILINE) + re.findall(r"`vouch (\w+)", README)
    assert {"index", "ask", "serve", "list"} <= set(lines)
    for command in sorted({line for line in lines if line != "COMMAND"}):
        done = subprocess.run(
            [sys.executable, "-m", "ui.cli", *shlex.split(command), "--help"],
            cwd=ROOT, capture_output=True, text=True, timeout=60, env=_environment(), check=False,
        )  # fmt: skip
        assert done.returncode == 0, f"vouch {command}: {done.stderr}"


def test_the_picture_and_every_linked_file_are_there() -> None:
    """Links of the README point at files of the repository."""
    for target in re.findall(r"\]\(([^)#]+)\)", README):
        if not target.startswith("http"):
            assert (ROOT / target).exists(), target


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT)}
