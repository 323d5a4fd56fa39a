"""Predictions: the answers of a run, one a line, each with the hash of the run that wrote it.

A run is continued only by one with the same settings.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from evaluation.errors import RunRefused
from evaluation.harness.jsonl import JsonLines


class Predictions:
    """The lines of a run by `qid`. `add` writes a line at once and as a whole."""

    def __init__(self, path: Path, run: str, *, resume: bool) -> None:
        """Open for writing; with `resume`, continue the lines of the same run (a last line cut off is dropped).

        Raises RunRefused.
        """
        self.path = path
        self.run = run
        self.rows: dict[str, dict[str, Any]] = {}
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._lines = JsonLines(path)
            path.open("ab").close()
        except OSError as error:
            raise RunRefused(f"{path}: cannot be written ({error.strerror}): name another file with --out") from None
        if path.stat().st_size and not resume:
            raise RunRefused(f"{path} exists: --resume continues it, or name another file with --out")
        self._lines.read(self._take, "prediction")

    def add(self, row: Mapping[str, Any]) -> None:
        """Append the prediction of a question."""
        signed = {**row, "run": self.run}
        self._lines.add(signed)
        self.rows[signed["qid"]] = signed

    def _take(self, row: dict[str, Any]) -> None:
        qid = row["qid"]
        if row.get("run") != self.run:
            raise RunRefused(
                f"{self.path}: was made with other settings (run {row.get('run')}, this is {self.run}): use the "
                "profile, mode and scope of that run, or name another file with --out"
            )
        self.rows[qid] = row

    def __enter__(self) -> Predictions:
        """Return the predictions themselves."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Do nothing: no file is held open between two lines."""
