"""A file of predictions, one JSON object a line, that survives being interrupted at any moment.

Every line carries the hash of the run that wrote it: a run is continued only by one with the same settings.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any


class Refused(Exception):
    """The file cannot be written, or holds what another run wrote; the message says what to do."""


class Predictions:
    """The lines of a run by `qid`. `add` writes a line at once and as a whole."""

    def __init__(self, path: Path, run: str, *, resume: bool) -> None:
        """Open for writing; with `resume`, continue what the same run wrote (a last line cut off is dropped).

        Raises Refused.
        """
        self.path = path
        self.run = run
        self.rows: dict[str, dict[str, Any]] = {}
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            written = path.read_bytes() if path.exists() else b""
            if written and not resume:
                raise Refused(f"{path} exists: --resume continues it, or name another file with --out")
            whole = written[: written.rfind(b"\n") + 1]
            for number, line in enumerate(whole.splitlines(), 1):
                self._take(number, line)
            self._file = path.open("ab", buffering=0)
            self._file.truncate(len(whole))
        except OSError as error:
            raise Refused(f"{path}: cannot be written ({error.strerror}): name another file with --out") from None

    def add(self, row: Mapping[str, Any]) -> None:
        """Append the prediction of a question."""
        signed = {**row, "run": self.run}
        self._file.write(json.dumps(signed, ensure_ascii=False).encode() + b"\n")
        self.rows[signed["qid"]] = signed

    def _take(self, number: int, line: bytes) -> None:
        try:
            row = json.loads(line)
            made_by, qid = row.get("run"), row["qid"]
        except (ValueError, KeyError, AttributeError, TypeError):
            raise Refused(f"{self.path}, line {number}: is no prediction: name another file with --out") from None
        if made_by != self.run:
            raise Refused(
                f"{self.path}, line {number}: was made with other settings (run {made_by}, this is {self.run}): "
                "use the profile, mode and scope of that run, or name another file with --out"
            )
        self.rows[qid] = row

    def __enter__(self) -> Predictions:
        """The predictions themselves."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the file."""
        self._file.close()
