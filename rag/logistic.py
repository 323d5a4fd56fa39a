"""A logistic model: the probability of a vector of features under fitted coefficients."""

from __future__ import annotations

import math
from collections.abc import Sequence


def probability(values: Sequence[float], coefficients: Sequence[float]) -> float:
    """Return the probability, 0 to 1, of as many values as there are coefficients. Log-odds beyond 30 count as 30."""
    odds = sum(c * v for c, v in zip(coefficients, values, strict=True))
    return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, odds))))


def log_odds(probability: float) -> float:
    """Return the log-odds of a probability, limited to between -7 and 7."""
    p = min(max(probability, 0.001), 0.999)
    return math.log(p / (1.0 - p))
