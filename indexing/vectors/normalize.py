"""The normalisation of vectors to length one; their products are cosines."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def normalize(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return rows (n, d) at length one; a row of zeros stays as it is."""
    lengths: NDArray[np.float32] = np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), np.float32(1e-9))
    return (rows / lengths).astype(np.float32)
