"""The hook that checks commit messages, alone and as git calls it."""

import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.hooks.commit_message import MOST, complaint, main

ROOT = Path(__file__).resolve().parents[2]
LONG = "Add " + "x" * (MOST - 3)


@pytest.mark.parametrize(
    "message",
    [
        "Add a timeout to the model client\n",
        f"Add a timeout to the model client\n\nA server that hangs held its thread for ever. {LONG}\n",
        LONG[:MOST],
        "\n# Please enter the commit message\nAdd a timeout\n# On branch main\n",
        f"Merge branch 'main' of {LONG}",
        f'Revert "{LONG}"\n\nThis reverts commit 0123456.\n',
        f"Add a timeout\n# ------------------------ >8 ------------------------\n{LONG}\n",
    ],
)
def test_good_messages_pass(message: str) -> None:
    assert complaint(message) == ""


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (LONG, f"has {MOST + 1} characters"),
        ("Add a timeout.\n", "full stop"),
        ("Add a timeout\nto the client\n", "second line"),
        ("# only a comment\n", "empty"),
    ],
)
def test_others_are_refused_with_the_reason(
    message: str, expected: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "COMMIT_EDITMSG"
    file.write_text(message, encoding="utf-8")
    assert main([str(file)]) == 1
    assert expected in capsys.readouterr().err


def test_the_configured_command_refuses_a_long_subject(tmp_path: Path) -> None:
    """It is installed for the stage commit-msg, and exits with 1, so that git makes no commit."""
    configured = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))
    (hook,) = [hook for hook in configured["repos"][0]["hooks"] if hook.get("stages") == ["commit-msg"]]
    assert configured["default_install_hook_types"] == ["pre-commit", "commit-msg"]
    file = tmp_path / "COMMIT_EDITMSG"
    for subject, code in ((LONG, 1), ("Add a timeout", 0)):
        file.write_text(subject, encoding="utf-8")
        command = [sys.executable, *hook["entry"].split()[1:], str(file)]
        assert subprocess.run(command, cwd=ROOT, capture_output=True, check=False).returncode == code
