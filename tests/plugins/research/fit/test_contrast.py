"""Training of the axes: the gradient is that of the loss, and what is trained finds what it could not find before."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from plugins.research.fit.contrast import (
    Schedule,
    TrainingQuestion,
    TrainingText,
    loss_and_gradient,
    reciprocal_rank,
    train,
)

WIDE, NARROW = 12, 5


def unit(draw: np.random.Generator, count: int) -> NDArray[np.float32]:
    rows = draw.normal(size=(count, WIDE)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def made(seed: int, groups: int = 4, each: int = 3) -> tuple[list[TrainingQuestion], list[TrainingText]]:
    """Texts that differ in their first half only, in which questions are like theirs; the other half is noise."""
    draw = np.random.default_rng(seed)
    asked, texts = [], []
    for n in range(groups * each):
        core = draw.normal(size=(3, WIDE // 2))
        group = str(n // each)

        def around(count: int, core: NDArray[np.float64] = core) -> NDArray[np.float32]:
            noise = draw.normal(size=(count, WIDE // 2))
            rows = np.concatenate([core[:count] + draw.normal(size=(count, WIDE // 2)) * 0.1, noise], axis=1)
            return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)

        texts.append(TrainingText(around(3), group))
        asked.append(TrainingQuestion(around(2), np.array([0.7, 0.3], np.float32), n, group, "made"))
    return asked, texts


def axes(seed: int = 0) -> NDArray[np.float32]:
    return np.random.default_rng(seed).normal(size=(WIDE, NARROW)).astype(np.float32)


def test_the_gradient_is_that_of_the_loss() -> None:
    asked, texts = made(2)
    right = [q.text for q in asked]
    start = axes().astype(np.float64)
    loss, gradient = loss_and_gradient(start, asked, texts, right)
    assert loss > 0
    step = 1e-6
    for at in [(0, 0), (3, 2), (7, 4), (11, 1)]:
        moved = [start.copy(), start.copy()]
        moved[0][at] += step
        moved[1][at] -= step
        up, down = (loss_and_gradient(each, asked, texts, right)[0] for each in moved)
        assert gradient[at] == pytest.approx((up - down) / (2 * step), rel=1e-3, abs=1e-5)


def test_training_puts_the_text_first_that_answers() -> None:
    asked, texts = made(3, groups=20)
    unseen, others = made(4, groups=20)
    everything = list(range(len(others)))

    def found(by: NDArray[np.float32]) -> float:
        return float(np.mean([reciprocal_rank(by, q, others, everything) for q in unseen]))

    start = axes()
    after = train(start, asked, texts, Schedule(120, batch=16, rate=0.02, seed=1))
    assert found(after) > found(start) + 0.2


def test_the_same_seed_trains_the_same() -> None:
    asked, texts = made(5)
    losses: list[float] = []
    first = train(axes(), asked, texts, Schedule(5, batch=4, seed=7), lambda _, loss: losses.append(loss))
    assert len(losses) == 5
    assert np.array_equal(first, train(axes(), asked, texts, Schedule(5, batch=4, seed=7)))
    assert not np.array_equal(first, train(axes(), asked, texts, Schedule(5, batch=4, seed=8)))
