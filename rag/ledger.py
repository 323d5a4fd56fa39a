"""What making one answer took: seconds a stage, calls of models, and what a reader should know of how it came about."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from rag.chat import NO_USAGE, Usage


@dataclass(slots=True)
class Ledger:
    """Added to while an answer is made; `timings` count our own work and the models', never a reader's pauses."""

    timings: dict[str, float] = field(default_factory=dict)
    usage: Usage = NO_USAGE
    notes: list[str] = field(default_factory=list)

    @contextmanager
    def timed(self, stage: str) -> Iterator[None]:
        """Add what happens inside to the seconds of a stage."""
        started = time.perf_counter()
        try:
            yield
        finally:
            self.timings[stage] = self.timings.get(stage, 0.0) + time.perf_counter() - started

    def add(self, usage: Usage = NO_USAGE, notes: Iterable[str] = ()) -> None:
        """Enter a cost and notes, each note once."""
        self.usage += usage
        self.notes += [note for note in dict.fromkeys(notes) if note not in self.notes]

    def total(self) -> dict[str, float]:
        """The timings with their sum."""
        return {**self.timings, "total": sum(self.timings.values())}
