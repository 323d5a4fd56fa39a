"""The logistic model behind every probability of ours; its coefficients stand with the features that they weigh."""

from __future__ import annotations

import math
from collections.abc import Sequence


def probability(values: Sequence[float], coefficients: Sequence[float]) -> float:
    """0 to 1, of as many values as there are coefficients. Log-odds beyond 30 count as 30."""
    odds = sum(c * v for c, v in zip(coefficients, values, strict=True))
    return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, odds))))
