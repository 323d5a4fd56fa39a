"""The logistic regression with a ridge, for the few coefficients of answering, by Newton's method; no dependency."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def fit(x: Array, y: Array, weights: Array | None = None, ridge: float = 20.0) -> Array:
    """Return coefficients (f,) for values (n, f), the first of which is 1, and outcomes (n,) of 0 or 1.

    The ridge works on standardized values and leaves the first alone; coefficients are for the values as they are.
    """
    w = np.ones(len(y)) if weights is None else weights
    centre, scale = x.mean(axis=0), x.std(axis=0)
    centre[0], scale[0] = 0.0, 1.0
    scale[scale == 0] = 1.0
    raw: Array = newton((x - centre) / scale, y, w, ridge) / scale
    raw[0] -= float((centre[1:] * raw[1:]).sum())
    return raw


def newton(x: Array, y: Array, weights: Array, ridge: float) -> Array:
    """Fit the same with a ridge that works on the values as they are."""
    penalty = np.diag([1e-6] + [ridge] * (x.shape[1] - 1))
    beta = np.zeros(x.shape[1])
    for _ in range(50):
        p = probability(x, beta)
        gradient = x.T @ (weights * (y - p)) - penalty @ beta
        step = np.linalg.solve((x * (weights * p * (1 - p))[:, None]).T @ x + penalty, gradient)
        beta += step
        if np.abs(step).max() < 1e-8:
            break
    return beta


def probability(x: Array, coefficients: Array) -> Array:
    """Return (n,) probabilities of 1."""
    return np.asarray(1 / (1 + np.exp(-np.clip(x @ coefficients, -30, 30))))


def held_out(x: Array, y: Array, folds: NDArray[np.int64], weights: Array | None = None, ridge: float = 20.0) -> Array:
    """Return (n,) probabilities, each from coefficients fitted on the other folds (n,)."""
    w = np.ones(len(y)) if weights is None else weights
    found = np.zeros(len(y))
    for fold in np.unique(folds):
        out = folds == fold
        found[out] = probability(x[out], fit(x[~out], y[~out], w[~out], ridge))
    return found
