"""What `vouch eval construct` has made: the rows of a data set, and how often something was left out, by reason."""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evaluation.errors import HOPELESS
from rag import ModelError, ReplyCutOff, ReplyUnusable


@dataclass(slots=True)
class ConstructedRows:
    """The rows made so far, and the number of rows that could not be made, by reason."""

    rows: list[dict[str, Any]] = field(default_factory=list)
    skipped: Counter[str] = field(default_factory=Counter)

    def skip(self, error: ModelError) -> None:
        """Count a row as left out. Raises the error instead if every further request would fail too (`HOPELESS`)."""
        if isinstance(error, HOPELESS):
            raise error
        unusable = isinstance(error, ReplyUnusable | ReplyCutOff)
        self.skipped["the reply cannot be used" if unusable else f"no reply ({type(error).__name__})"] += 1

    def report(self, what: str, out: Path) -> int:
        """Print what was made and what was left out, by reason; return the exit code: 1 where nothing was made."""
        print(f"{len(self.rows)} {what}: {out}")
        for reason, count in self.skipped.most_common():
            print(f"left out, {reason}: {count}", file=sys.stderr)
        return 0 if self.rows else 1
