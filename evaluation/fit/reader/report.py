"""The score of a reader on held-out examples, by source, by kind of wrong region and by class of support."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluation.fit.reader.course import Item, batches
from evaluation.fit.reader.examples import UNASKED
from rag.reader import padded

BATCH_TOKENS = 8192
LONGEST_SPAN = 40
CLASSES = ("supported", "contradicted", "not spoken of")
Rows = NDArray[np.int64]
Logits = NDArray[np.float32]
Run = Callable[[Rows, Rows, Rows], Sequence[Logits]]
"""A model as a function: ids, mask and types (b, n) -> logits: answers (b,), start and end (b, n), support (b, 3)."""


@dataclass(frozen=True, slots=True)
class Read:
    """The reading of an item: the logit of answering, the most likely (first, last) token, the class of support."""

    item: Item
    answers: float
    span: tuple[int, int]
    support: int


def read_all(run: Run, items: Sequence[Item]) -> list[Read]:
    """Read items, in batches."""
    found = []
    for batch in batches(items, BATCH_TOKENS, random.Random(0)):  # noqa: S311  repeatable, not secret
        answers, start, end, support = run(*padded([item.row for item in batch]))
        for k, item in enumerate(batch):
            region = slice(item.row.first, item.row.end)
            first, last = best_span(start[k, region], end[k, region])
            span = (item.row.first + first, item.row.first + last)
            found.append(Read(item, float(answers[k]), span, int(support[k].argmax())))
    return found


def best_span(start: Logits, end: Logits) -> tuple[int, int]:
    """Find the first and last token (both included) with the highest sum of logits (n,), not more than 40 apart."""
    if not len(start):
        return 0, 0
    sums = start[:, None] + end[None, :]
    apart = np.arange(len(end))[None, :] - np.arange(len(start))[:, None]
    first, last = divmod(int(np.where((apart >= 0) & (apart < LONGEST_SPAN), sums, -np.inf).argmax()), len(end))
    return first, last


def overlap(span: tuple[int, int], item: Item) -> float:
    """Give the token F1 of a span with the answer that it meets best."""
    (x, y), best = span, 0.0
    for a, b in zip(item.starts, item.ends, strict=True):
        both = max(0, min(y, b) - max(x, a) + 1)
        best = max(best, 2 * both / ((y - x + 1) + (b - a + 1)))
    return best


def auc(right: Sequence[float], wrong: Sequence[float]) -> float:
    """Give the chance that one of `right` is above one of `wrong`; a tie counts half."""
    if not right or not wrong:
        return float("nan")
    ordered = np.sort(np.asarray(wrong))
    below = np.searchsorted(ordered, right, "left") + np.searchsorted(ordered, right, "right")
    return float(below.mean() / 2 / len(wrong))


def report(read: Iterable[Read]) -> list[str]:
    """Write the figures as lines: AUC of answering, F1 and exact match of the place, accuracy of support."""
    regions: dict[str, tuple[list[float], list[float]]] = defaultdict(lambda: ([], []))
    kinds: dict[str, list[float]] = defaultdict(list)
    spans: dict[str, list[float]] = defaultdict(list)
    claims: dict[str, list[float]] = defaultdict(list)
    for r in read:
        item = r.item
        if item.support != UNASKED:
            for key in ("all", item.source, CLASSES[item.support]):
                claims[key].append(float(r.support == item.support))
            continue
        if item.answers >= 0:
            for key in ("all", item.source):
                regions[key][item.answers == 0].append(r.answers)
        if item.answers == 0:
            kinds[item.kind].append(r.answers)
        if item.answers == 1 and item.starts:
            for key in ("all", item.source):
                spans[key].append(overlap(r.span, item))
    lines = [f"{'':16s}   examples    AUC   place F1   exact   support"]
    for key in ["all", *sorted((regions.keys() | claims.keys()) - {"all", *CLASSES})]:
        figures = (
            f"{auc(*regions[key]):6.3f}   {_mean(spans[key]):8.3f}   {_mean([float(f == 1) for f in spans[key]]):5.3f}"
        )
        count = sum(map(len, regions[key])) + len(claims[key])
        lines.append(f"{key:16s}   {count:8d} {figures}   {_mean(claims[key]):7.3f}")
    lines += [f"  against {key:12s} AUC {auc(regions['all'][0], kinds[key]):.3f}" for key in sorted(kinds)]
    return lines + [f"  {key:20s} {_mean(claims[key]):.3f}" for key in CLASSES if key in claims]


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values)) if values else float("nan")
