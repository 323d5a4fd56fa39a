"""The course of a training: examples as rows of tokens, their batches, and the learning rate."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from evaluation.fit.reader.examples import UNKNOWN, ReaderExample
from rag.reader import InputEncoder, ReaderInput

WARMUP = 0.06
"""The share of steps in which the rate rises; it falls to 0 after that."""
LIMITS = {
    "qamr": 5000,
    "wtq": 9000,
    "fetaqa": 2600,
    "made": 4000,
    "covidqa": 2300,
    "xquad": 2200,
    "tatqa": 3200,
    "aitqa": 900,
}
"""The number of questions of each source in an epoch."""
HELD_OUT_LIMITS = {
    "qamr": 400,
    "wtq": 400,
    "fetaqa": 200,
    "made": 300,
    "covidqa": 150,
    "xquad": 150,
    "tatqa": 250,
    "aitqa": 60,
}
HELD_OUT_SEED = 7


@dataclass(frozen=True, slots=True)
class Item:
    """An example as a row of tokens; the answer is tokens `starts[i]` to `ends[i]` of it, both included, or any other.

    `answers` and `support` are as in Example. The row has no offsets: they are of no use any more, and large.
    """

    row: ReaderInput
    answers: int
    starts: tuple[int, ...]
    ends: tuple[int, ...]
    support: int
    source: str
    kind: str

    @property
    def length(self) -> int:
        """Count its tokens."""
        return len(self.row.ids)


@dataclass(frozen=True, slots=True)
class ReaderCourse:
    """The course of a training. `epochs` may end within one; `minutes` is the most it takes, all its runs together.

    `rate` is the highest; `tokens` are those of a batch, padding included.
    """

    epochs: float = 3.0
    minutes: float = 120.0
    rate: float = 1e-4
    tokens: int = 4096
    seed: int = 1
    limits: Mapping[str, int] = field(default_factory=lambda: dict(LIMITS))

    def epoch_seed(self, epoch: int) -> int:
        """Seed the examples of an epoch."""
        return self.seed * 1000 + epoch

    def batches(self, epoch: int, items: Sequence[Item]) -> list[list[Item]]:
        """Order the items of an epoch into batches."""
        return batches(items, self.tokens, random.Random(self.seed * 77 + epoch))  # noqa: S311  repeatable, not secret

    def rate_at(self, step: int, steps: int) -> float:
        """Give the rate of a step, counted from 0."""
        return self.rate * min(1.0, (step + 1) / (WARMUP * steps)) * max(0.0, 1 - step / steps)


def items_of(encoder: InputEncoder, examples: Sequence[ReaderExample]) -> list[Item]:
    """Encode examples; `answers` is UNKNOWN for one whose answer was cut off."""
    rows = encoder.encode([e.question for e in examples], [e.sentence for e in examples], [e.region for e in examples])
    return [_item(example, row) for example, row in zip(examples, rows, strict=True)]


def _item(example: ReaderExample, row: ReaderInput) -> Item:
    found = [tokens for a, b in example.spans if (tokens := row.tokens_of(a, b))]
    cut_off = example.answers == 1 and example.spans and not found
    return Item(
        replace(row, offsets=()),
        UNKNOWN if cut_off else example.answers,
        tuple(first for first, _ in found),
        tuple(last for _, last in found),
        example.support,
        example.source,
        example.kind,
    )


def batches(items: Sequence[Item], tokens: int, rng: random.Random) -> list[list[Item]]:
    """Join items of about the same length to batches of at most `tokens`, padding included, in a drawn order."""
    found: list[list[Item]] = []
    current: list[Item] = []
    for item in _by_length(items, rng):  # ascending: the last is the longest
        if current and item.length * (len(current) + 1) > tokens:
            found.append(current)
            current = []
        current.append(item)
    if current:
        found.append(current)
    rng.shuffle(found)
    return found


def _by_length(items: Sequence[Item], rng: random.Random) -> Iterable[Item]:
    order = sorted(range(len(items)), key=lambda i: (items[i].length, rng.random()))
    return (items[i] for i in order)
