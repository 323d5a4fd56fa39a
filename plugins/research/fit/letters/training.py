"""The training of the letter network: cross-entropy, gradient and Adam in numpy, from a seed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from indexing.parse.likeness import NOTHING, SIDE, LetterNetwork
from plugins.research.fit.adam import Adam
from plugins.research.fit.letters.sheets import SEED, Glyphs

Floats = NDArray[np.float32]
HIDDEN = (384, 192)
BATCH, RATE, DROPPED = 512, 1e-3, 0.1


@dataclass(frozen=True, slots=True)
class LetterScores:
    """The verdicts of a network on glyphs that it has not seen, as shares, where it must be as sure as `least`.

    `right` of the glyphs are told as the likeliest kind, `sure` are confirmed as what they are; `another` would be
    confirmed as something else that they are said to be, `spoilt` are spoilt glyphs that would be.
    """

    least: float
    right: float
    sure: float
    another: float
    spoilt: float


def fitted(glyphs: Glyphs, epochs: int, told: Callable[[int, int], None]) -> LetterNetwork:
    """Fit a network; `told` hears of the steps done and of all."""
    kinds = tuple(sorted(set(glyphs.kinds)))
    number = {kind: n for n, kind in enumerate(kinds)}
    wanted = np.array([number[kind] for kind in glyphs.kinds])
    draw = np.random.default_rng(SEED)
    sizes = (SIDE * SIDE, *HIDDEN, len(kinds))
    layers: list[Floats] = []
    for before, after in pairwise(sizes):
        layers += [draw.normal(0, (2 / before) ** 0.5, (before, after)).astype(np.float32), np.zeros(after, np.float32)]
    adam = [Adam.of(layer) for layer in layers]
    steps = epochs * (len(wanted) // BATCH)
    step = 0
    for _ in range(epochs):
        order = draw.permutation(len(wanted))
        for start in range(0, len(order) - BATCH + 1, BATCH):
            chosen = order[start : start + BATCH]
            moved = np.roll(glyphs.crops[chosen], draw.integers(-1, 2, 2), (1, 2))  # the same for all of a batch
            crops = np.asarray(moved.reshape(BATCH, -1), np.float32) / np.float32(255)
            gradients = _gradients(layers, crops, wanted[chosen], draw)
            step += 1
            rate = RATE * 0.5 * (1 + np.cos(np.pi * step / steps))
            for layer, gradient, moments in zip(layers, gradients, adam, strict=True):
                layer -= moments.step(gradient, rate, step)  # noqa: PLW2901  in its place
            told(step, steps)
    return LetterNetwork(kinds, tuple(layers))


def _gradients(
    layers: Sequence[Floats], x: Floats, wanted: NDArray[np.int64], draw: np.random.Generator
) -> list[Floats]:
    """Return the gradients of the mean cross-entropy of crops (n, pixels), with some of the hidden values dropped."""
    values, masks = [x], []
    for n in range(0, len(layers) - 2, 2):
        mask = (draw.random((len(x), layers[n].shape[1]), dtype=np.float32) > DROPPED) / np.float32(1 - DROPPED)
        values.append(np.maximum(values[-1] @ layers[n] + layers[n + 1], 0) * mask)
        masks.append(mask)
    logits = values[-1] @ layers[-2] + layers[-1]
    error = np.exp(logits - logits.max(axis=1, keepdims=True))
    error /= error.sum(axis=1, keepdims=True)
    error[np.arange(len(x)), wanted] -= 1
    error /= len(x)
    found: list[Floats] = []
    for n in range(len(layers) - 2, -1, -2):
        found[:0] = [values[n // 2].T @ error, error.sum(axis=0)]
        if n:
            error = (error @ layers[n].T) * (values[n // 2] > 0) * masks[n // 2 - 1]
    return found


def scores(network: LetterNetwork, glyphs: Glyphs, least: float) -> LetterScores:
    """Return what a network says of glyphs."""
    told = np.concatenate([
        network.probabilities(glyphs.crops[n : n + 4096].astype(np.float32) / np.float32(255))
        for n in range(0, len(glyphs.crops), 4096)
    ])  # fmt: skip
    own = np.array([network.kinds.index(kind) if kind in network.kinds else -1 for kind in glyphs.kinds])
    whole = np.array([kind != NOTHING for kind in glyphs.kinds])
    rows = np.arange(len(own))
    likely = np.where(own >= 0, told[rows, own], 0.0)
    other = told.copy()
    other[rows[own >= 0], own[own >= 0]] = 0
    other[:, network.kinds.index(NOTHING)] = 0
    wrong = other.max(axis=1) >= least
    return LetterScores(
        least,
        float((told.argmax(axis=1) == own)[whole].mean()),
        float((likely >= least)[whole].mean()),
        float(wrong[whole].mean()),
        float(wrong[~whole].mean()),
    )
