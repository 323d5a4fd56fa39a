"""Train the axes of token states so that late interaction puts the text of a question first.

The loss is that of a choice: of the texts of a batch, which one has the answer? Scores are MaxSim (Khattab & Zaharia
2020, eq. 3), query tokens weighted as in search; questions and texts share the axes. The gradient is written out, in
numpy: a network of one matrix needs no more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

BETA1, EPSILON = 0.9, 1e-8
"""The share of the mean gradient that is kept at each step; what keeps the quotient finite."""
Floats = NDArray[np.float32]


@dataclass(slots=True)
class Adam:
    """The optimizer Adam for one array of parameters: the means of its gradients and of their squares.

    Both are zeros at first; at each step the share `beta2` of the mean of the squares is kept.
    """

    mean: Floats
    square: Floats
    beta2: float

    @classmethod
    def of(cls, parameters: Floats, beta2: float = 0.999) -> Adam:
        """Begin for an array."""
        return cls(np.zeros_like(parameters), np.zeros_like(parameters), beta2)

    def step(self, gradient: Floats, rate: float, number: int) -> Floats:
        """Take the gradient of step `number`, from 1; return what is to be taken from the parameters."""
        self.mean = BETA1 * self.mean + (1 - BETA1) * gradient
        self.square = self.beta2 * self.square + (1 - self.beta2) * gradient**2
        scale = np.sqrt(self.square / (1 - self.beta2**number)) + EPSILON
        return np.asarray(rate * (self.mean / (1 - BETA1**number)) / scale, np.float32)


States = NDArray[np.floating]
"""Unit token states (n, 384) of one question or text, as half floats to save memory."""

TEMPERATURE = 0.05
RATE, WARM_UP = 5e-4, 50
"""The learning rate of Adam at its highest, and the steps in which it rises to that; it falls to nothing by the end."""
BETA2 = 0.98
TINY = 1e-9


@dataclass(frozen=True, slots=True)
class TrainingQuestion:
    """A question: its token states (q, 384), their weights (q,), the number of the text that answers, and its group."""

    states: States
    weights: Floats
    text: int
    group: str
    source: str


@dataclass(frozen=True, slots=True)
class TrainingText:
    """A text: its token states (n, 384), and the group (the document) that it is of."""

    states: States
    group: str


@dataclass(frozen=True, slots=True)
class Schedule:
    """How long is trained, and on what: each step takes `batch` questions and their texts, and `others` texts of the
    group of each. The same for the same seed.
    """

    steps: int
    batch: int = 32
    others: int = 2
    rate: float = RATE
    seed: int = 0


def projected(states: Floats, axes: Floats) -> tuple[Floats, Floats]:
    """Return unit rows (n, 128) of projected states, and their lengths (n, 1) before."""
    rows = states @ axes
    lengths = np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), TINY)
    return rows / lengths, lengths


def loss_and_gradient(
    axes: Floats, asked: Sequence[TrainingQuestion], texts: Sequence[TrainingText], right: Sequence[int]
) -> tuple[float, Floats]:
    """Return the mean loss of a batch, and its gradient (384, 128); `right` are places in `texts`, one a question."""
    x, y = (np.concatenate([e.states for e in each]).astype(np.float32) for each in (asked, texts))
    (u, of_u), (v, of_v) = projected(x, axes), projected(y, axes)
    weights = np.concatenate([q.weights / max(float(q.weights.sum()), TINY) for q in asked])
    starts = np.cumsum([0, *(len(t.states) for t in texts)])
    firsts = np.cumsum([0, *(len(q.states) for q in asked[:-1])])
    cosines = u @ v.T
    best = np.stack([a + cosines[:, a:b].argmax(axis=1) for a, b in pairwise(starts)], axis=1)
    maxima = np.take_along_axis(cosines, best, axis=1) * weights[:, None]
    scores = np.add.reduceat(maxima, firsts, axis=0) / TEMPERATURE
    scores -= scores.max(axis=1, keepdims=True)
    likely = np.exp(scores)
    likely /= likely.sum(axis=1, keepdims=True)
    rows = np.arange(len(asked))
    loss = float(-np.log(np.maximum(likely[rows, list(right)], TINY)).mean())
    likely[rows, list(right)] -= 1
    counts = [len(q.states) for q in asked]
    pull = np.repeat(likely / (TEMPERATURE * len(asked)), counts, axis=0) * weights[:, None]
    cosines[:] = 0
    np.put_along_axis(cosines, best, pull.astype(np.float32), axis=1)
    gradient = np.zeros_like(axes)
    for states, unit, lengths, slope in ((x, u, of_u, cosines @ v), (y, v, of_v, cosines.T @ u)):
        gradient += states.T @ ((slope - (slope * unit).sum(axis=1, keepdims=True) * unit) / lengths)
    return loss, gradient


def train(
    axes: Floats,
    asked: Sequence[TrainingQuestion],
    texts: Sequence[TrainingText],
    schedule: Schedule,
    told: Callable[[int, float], None] | None = None,
) -> Floats:
    """Return the axes (384, 128) after the steps of a schedule, by Adam, from `axes`.

    Of two questions to one text only one is in a batch. `told` is given each step and its loss.
    """
    draw = np.random.default_rng(schedule.seed)
    of_group: dict[str, list[int]] = {}
    for n, text in enumerate(texts):
        of_group.setdefault(text.group, []).append(n)
    axes = axes.astype(np.float32).copy()
    adam = Adam.of(axes, BETA2)
    for step in range(1, schedule.steps + 1):
        chosen: dict[int, TrainingQuestion] = {}
        for n in draw.permutation(len(asked)):
            chosen.setdefault(asked[n].text, asked[n])
            if len(chosen) == schedule.batch:
                break
        near = [
            int(n)
            for q in chosen.values()
            for n in draw.permutation(of_group[q.group])[: schedule.others + 1]
            if len(texts[n].states)
        ]
        at = list(dict.fromkeys([*chosen, *near]))
        loss, gradient = loss_and_gradient(axes, [*chosen.values()], [texts[n] for n in at], range(len(chosen)))
        left = (schedule.steps - step + 1) / max(schedule.steps - WARM_UP, 1)
        slowed = schedule.rate * min(step / WARM_UP, left, 1.0)
        axes -= adam.step(gradient, slowed, step)
        if told is not None:
            told(step, loss)
    return axes


def reciprocal_rank(
    axes: Floats, question: TrainingQuestion, texts: Sequence[TrainingText], group: Sequence[int]
) -> float:
    """Return 1 / the rank of the text that answers among those numbered in `group`, which hold it; ties count half."""
    (u, _) = projected(question.states.astype(np.float32), axes)
    scores = {
        n: float((u @ projected(texts[n].states.astype(np.float32), axes)[0].T).max(axis=1) @ question.weights)
        for n in group
    }
    own = scores[question.text]
    above = sum(s > own for s in scores.values())
    same = sum(s == own for s in scores.values()) - 1
    return 1 / (1 + above + same / 2)
