"""Record what an answer costs (seconds per stage, model calls) and the notes for its reader."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from rag.tracing import trace_span

_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True)
class Usage:
    """The cost of calls: tokens as the server counted them (as estimated where it did not), images, calls, seconds.

    `cost` is in the currency of the settings' prices; 0 without prices.
    """

    prompt_tokens: int = 0
    completion_tokens: int = 0
    images: int = 0
    calls: int = 0
    seconds: float = 0.0
    cost: float = 0.0

    def __add__(self, other: Usage) -> Usage:
        """Return the sum of both."""
        return Usage(
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.images + other.images,
            self.calls + other.calls,
            self.seconds + other.seconds,
            self.cost + other.cost,
        )


NO_USAGE = Usage()
"""The usage of a step that cost nothing."""


class Metered(Protocol):
    """A part of answering that may call models: a judge, a localizer."""

    @property
    def usage(self) -> Usage:
        """The cost so far."""
        ...

    @property
    def notes(self) -> Sequence[str]:
        """The notes for the reader, such as on failures."""
        ...


@dataclass(slots=True)
class Ledger:
    """The account of an answer in the making; `timings` count our own work and the models', not a reader's pauses.

    Threads may add to it at the same time.
    """

    timings: dict[str, float] = field(default_factory=dict)
    usage: Usage = NO_USAGE
    notes: list[str] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False, compare=False)

    @contextmanager
    def measure(self, stage: str) -> Iterator[None]:
        """Add the time of the block to the seconds of a stage, and trace it as a span."""
        start = time.perf_counter()
        try:
            with trace_span(f"vouch.{stage}"):
                yield
        finally:
            with self._lock:
                self.timings[stage] = self.timings.get(stage, 0.0) + time.perf_counter() - start

    def split(self, stage: str, part: str, seconds: float) -> None:
        """Move some of the seconds of a stage to another stage, `part`."""
        if seconds:
            with self._lock:
                self.timings[stage] -= seconds
                self.timings[part] = self.timings.get(part, 0.0) + seconds

    def timing(self, stage: str, values: Iterator[_Value]) -> Iterator[_Value]:
        """Yield values, and add the time that each takes to the seconds of a stage."""
        while True:
            with self.measure(stage):
                batch = list(itertools.islice(values, 1))
            if not batch:
                return
            yield batch[0]

    def add(self, usage: Usage = NO_USAGE, notes: Iterable[str] = ()) -> None:
        """Add a cost and notes, each note once."""
        with self._lock:
            self.usage += usage
            self.notes += [note for note in dict.fromkeys(notes) if note not in self.notes]

    def charge(self, *workers: Metered | None) -> None:
        """Add the cost and notes of judges and localizers; None is ignored."""
        for worker in workers:
            if worker is not None:
                self.add(worker.usage, worker.notes)

    def total(self) -> dict[str, float]:
        """Return the timings with their sum."""
        return {**self.timings, "total": sum(self.timings.values())}
