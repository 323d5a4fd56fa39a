"""Vectors of length one, whose products are cosines."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def unit(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """Rows (n, d) at length one; a row of nothing stays what it is."""
    lengths: NDArray[np.float32] = np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), np.float32(1e-9))
    return (rows / lengths).astype(np.float32)
