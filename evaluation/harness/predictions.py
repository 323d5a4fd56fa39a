"""Predictions: the answers of a run, one a line, each with the hash of the run that wrote it.

A run is continued only by one with the same settings. JsonLines is a file of JSON objects, one a line, which stays
whole when it is interrupted at any moment.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from evaluation.errors import RunRefused


class JsonLines:
    """The lines of a file. A last line that was cut off by a kill is dropped."""

    def __init__(self, path: Path) -> None:
        """Read the lines that are there. Raises OSError."""
        self.path = path
        content = path.read_bytes() if path.exists() else b""
        self._complete = content[: content.rfind(b"\n") + 1]
        if len(self._complete) < len(content):
            os.truncate(path, len(self._complete))

    def read(self, take: Callable[[dict[str, Any]], None], what: str) -> None:
        """Call `take` with each line's object. Raises RunRefused, with the number, for a line that is no `what`."""
        for number, line in enumerate(self._complete.splitlines(), 1):
            try:
                take(json.loads(line))
            except (ValueError, KeyError, TypeError, AttributeError):
                raise RunRefused(f"{self.path}, line {number}: it is not a {what}: choose another --out") from None

    def add(self, row: Mapping[str, Any]) -> None:
        """Append a row as one line, in a single write. Raises OSError."""
        with self.path.open("ab", buffering=0) as file:
            file.write(json.dumps(row, ensure_ascii=False).encode() + b"\n")


class Predictions:
    """The predictions of a run: `rows` by `qid`, and the file to which `add` appends each."""

    def __init__(self, path: Path, run: str, *, resume: bool) -> None:
        """Open the file; with `resume`, read its lines, without a last one that is cut off. Raises RunRefused."""
        self.path = path
        self.run = run
        self.rows: dict[str, dict[str, Any]] = {}
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._lines = JsonLines(path)
            path.open("ab").close()
        except OSError as error:
            raise RunRefused(f"{path}: cannot be written ({error.strerror}): give another file with --out") from None
        if path.stat().st_size and not resume:
            raise RunRefused(f"{path} already exists: continue it with --resume, or give another file with --out")
        self._lines.read(self._take, "prediction")

    def add(self, row: Mapping[str, Any]) -> None:
        """Append the prediction of a question."""
        signed_row = {**row, "run": self.run}
        self._lines.add(signed_row)
        self.rows[signed_row["qid"]] = signed_row

    def _take(self, row: dict[str, Any]) -> None:
        """Keep a row of the file. Raises RunRefused if another run wrote it."""
        qid = row["qid"]
        if row.get("run") != self.run:
            raise RunRefused(
                f"{self.path}: was made with other settings (run {row.get('run')}, this is {self.run}): use "
                "the profile, mode and scope of that run, or give another file with --out"
            )
        self.rows[qid] = row

    def __enter__(self) -> Predictions:
        """Return the predictions themselves."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Do nothing: no file is held open between two lines."""
