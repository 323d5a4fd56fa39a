"""Adam: a step down a gradient, by the means of the gradients so far and of their squares, in numpy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

BETA1, EPSILON = 0.9, 1e-8
"""The share of the mean gradient that is kept at each step; what keeps the quotient finite."""
Floats = NDArray[np.float32]


@dataclass(slots=True)
class Adam:
    """The means for one array of parameters, zeros of its shape at first; `beta2` of that of the squares is kept."""

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
