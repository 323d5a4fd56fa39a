"""Token vectors in four bits a component: 64 bytes a token at 128 dimensions.

Vectors come and go as int8 (component x 127). A level is `STEP` of that, from -7 to 7, two levels a byte; what is
longer than 7 levels is cut (components of a unit vector in 128 dimensions rarely are). `python -m
evaluation.bench_vectors` measures what it costs: nothing that shows.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

STEP = 5
MOST = 7

_LEVELS = np.arange(256)
_UNPACKED = ((np.stack([_LEVELS & 15, _LEVELS >> 4], axis=1) - 8).astype(np.int8) * np.int8(STEP)).view(np.uint16)[:, 0]
"""(256,): the two components in each byte, side by side."""


def pack(vectors: NDArray[np.int8]) -> bytes:
    """Rows (n, d) of int8, d even, as n * d / 2 bytes."""
    levels = (np.clip(np.rint(vectors / STEP), -MOST, MOST) + 8).astype(np.uint8)
    return (levels[:, ::2] | levels[:, 1::2] << 4).tobytes()


def unpack(data: bytes | NDArray[np.uint8], dim: int) -> NDArray[np.int8]:
    """The rows (n, dim) that `pack` was given, to the nearest level."""
    raw = np.frombuffer(data, np.uint8) if isinstance(data, bytes) else data.ravel()
    return np.take(_UNPACKED, raw).view(np.int8).reshape(-1, dim)
