"""The course of `plugins.research.finetune` through its examples: the order, the learning rate, and the progress shown.

Everything here follows from the settings and the number of a step alone, so that a run that goes on from a saved step
does the same as one that never stopped.
"""

from __future__ import annotations

import math
import random
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Any, TextIO

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

TARGETS = ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj")
"""The projections of a layer of the language model."""
LOG_LINES = 50
"""The most lines that a whole run writes to a log, in which there is no bar."""

Tell = Callable[[int, float], None]
"""A function of the number of steps done and the loss of the last one."""


@dataclass(frozen=True, slots=True)
class Adapter:
    """The matrices that are trained beside the frozen ones (LoRA): their rank, weight, dropout, and their modules."""

    rank: int = 16
    alpha: int = 32
    dropout: float = 0.05
    targets: tuple[str, ...] = TARGETS


@dataclass(frozen=True, slots=True)
class Course:
    """The course of a training run: `batch` examples at once, `accumulate` times before the weights change.

    `warmup` is a share of all steps, `crops` the probability that an example is cropped in an epoch.
    """

    epochs: int = 2
    batch: int = 1
    accumulate: int = 8
    learning_rate: float = 1e-4
    warmup: float = 0.05
    seed: int = 0
    save_every: int = 50
    crops: float = 0.0

    def steps(self, examples: int) -> int:
        """Return the number of steps of the whole run."""
        return self.epochs * self.epoch_steps(examples)

    def epoch_steps(self, examples: int) -> int:
        """Return the number of steps in which every example is seen once; the last one may have fewer."""
        return math.ceil(examples / (self.batch * self.accumulate))

    def epoch(self, step: int, examples: int) -> int:
        """Return the epoch, from 0, that a step is in."""
        return step // self.epoch_steps(examples)

    def batches(self, step: int, examples: int) -> list[list[int]]:
        """Return the examples that a step sees, batch by batch; each epoch has an order of its own."""
        epoch, place = self.epoch(step, examples), step % self.epoch_steps(examples)
        order = list(range(examples))
        random.Random(f"{self.seed} {epoch}").shuffle(order)  # noqa: S311  an order, no secret
        size = self.batch * self.accumulate
        seen = order[place * size : (place + 1) * size]
        return [seen[start : start + self.batch] for start in range(0, len(seen), self.batch)]

    def rate(self, step: int, steps: int) -> float:
        """Return the learning rate of a step: rising at first, then along a cosine to a tenth."""
        rising = math.ceil(self.warmup * steps)
        if step < rising:
            return self.learning_rate * (step + 1) / rising
        way = (step - rising) / max(1, steps - rising)
        return self.learning_rate * (0.1 + 0.45 * (1 + math.cos(math.pi * way)))


def differences(saved: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """Say in words how the settings of a saved run differ; empty when it can be gone on with."""
    return ", ".join(
        f"{key} {saved.get(key)!r}, not {value!r}" for key, value in now.items() if saved.get(key) != value
    )


@contextmanager
def stoppable(stream: TextIO = sys.stderr) -> Iterator[Callable[[], bool]]:
    """Yield a function that is True once Ctrl-C (or SIGTERM) came.

    The first one ends a run after the step it is at, a second one at once.
    """
    came = threading.Event()

    def stop(number: int, frame: FrameType | None) -> None:  # noqa: ARG001
        if came.is_set():
            raise KeyboardInterrupt
        came.set()
        print("\nstopping and saving; press Ctrl-C again to stop at once", file=stream)

    before = {which: signal.signal(which, stop) for which in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield came.is_set
    finally:
        for which, handler in before.items():
            signal.signal(which, handler)


@contextmanager
def shown_progress(steps: int, done: int, stream: TextIO) -> Iterator[Tell]:
    """Show the steps on a terminal (a bar) or in a log (a line now and then), with loss and time left."""
    started = time.perf_counter()

    def left(now: int) -> str:
        seconds = (time.perf_counter() - started) / max(1, now - done) * (steps - now)
        if seconds < 90:
            return f"{seconds:.0f} s left"
        return f"{seconds / 60:.0f} min left" if seconds < 5400 else f"{seconds / 3600:.1f} h left"

    if not stream.isatty():
        every = math.ceil(steps / LOG_LINES)

        def line(now: int, loss: float) -> None:
            if now % every == 0 or now in (done + 1, steps):
                print(f"step {now}/{steps}, loss {loss:.4f}, {left(now)}", file=stream, flush=True)

        yield line
        return
    columns = (
        TextColumn("training"),
        BarColumn(bar_width=None),
        MofNCompleteColumn(),
        TextColumn("{task.fields[told]}"),
    )
    with Progress(*columns, console=Console(file=stream), expand=True) as bar:
        task = bar.add_task("training", total=steps, completed=done, told="")
        yield lambda now, loss: bar.update(task, completed=now, told=f"loss {loss:.4f}  {left(now)}")
