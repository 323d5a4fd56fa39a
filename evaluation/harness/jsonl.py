"""JsonLines: a file of JSON objects, one a line, which stays whole when interrupted at any moment."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from evaluation.errors import RunRefused


class JsonLines:
    """The lines of a file. A last line that was cut off by a kill is dropped."""

    def __init__(self, path: Path) -> None:
        """Read the lines that are there. Raises OSError."""
        self.path = path
        written = path.read_bytes() if path.exists() else b""
        self._whole = written[: written.rfind(b"\n") + 1]
        if len(self._whole) < len(written):
            os.truncate(path, len(self._whole))

    def read(self, take: Callable[[dict[str, Any]], None], what: str) -> None:
        """Hand each line that was there to `take`. Raises RunRefused, which names it, for a line that is no `what`."""
        for number, line in enumerate(self._whole.splitlines(), 1):
            try:
                take(json.loads(line))
            except (ValueError, KeyError, TypeError, AttributeError):
                raise RunRefused(f"{self.path}, line {number}: is no {what}: choose another --out") from None

    def add(self, row: Mapping[str, Any]) -> None:
        """Append a line, at once and as a whole. Raises OSError."""
        with self.path.open("ab", buffering=0) as file:
            file.write(json.dumps(row, ensure_ascii=False).encode() + b"\n")
