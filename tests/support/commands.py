"""The `vouch` commands as people run them: each in a process of its own, with all that they printed."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path


class Commands:
    """Runs commands with these variables beside those of the process; `said` is what each of them printed."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        """Keep the variables."""
        self._environment = os.environ | environment
        self.said: list[str] = []

    def __call__(self, *words: str, code: int = 0, **environment: str) -> str:
        """Run a command, check its exit code, and return what it printed."""
        done = subprocess.run(
            [sys.executable, "-m", "ui.cli", *words], capture_output=True, text=True, check=False, timeout=250,
            env=self._environment | environment,
        )  # fmt: skip
        self.said.append(done.stdout + done.stderr)
        assert done.returncode == code, self.said[-1]
        return self.said[-1]

    def assert_untold(self, secrets: Iterable[str], folder: Path) -> None:
        """Check that no secret was printed, or written below a folder."""
        written = [path.read_bytes() for path in folder.rglob("*") if path.is_file()]
        for secret in secrets:
            assert [text for text in self.said if secret in text] == []
            assert [content for content in written if secret.encode() in content] == []
