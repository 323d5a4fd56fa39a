"""The `vouch` commands as people run them: each in a process of its own."""

import os
import subprocess
import sys
from collections.abc import Mapping


class Commands:
    """Runs commands with these variables beside those of the process."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        """Keep the variables."""
        self._environment = os.environ | environment

    def __call__(self, *words: str, code: int = 0) -> str:
        """Run a command, check its exit code, and return what it printed."""
        done = subprocess.run(
            [sys.executable, "-m", "ui.cli", *words],
            capture_output=True, text=True, check=False, timeout=250, env=self._environment,
        )  # fmt: skip
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout + done.stderr
