"""The packing of vectors for storage: four bits a component for multi-vectors, eight for single vectors.

They come and go as component x 127. In four bits a component has 15 levels, two components a byte: 64 bytes a vector at
128 dimensions. The levels are as far apart as unit vectors of that many dimensions need them (`STEP` at 128); values
beyond 7 levels are cut, which components of a unit vector rarely are: no loss shows (docs/experiments/vectors.md). In
eight bits a row is stored as long as its bytes allow and compared by its direction, so that nothing is cut: a single
vector has no neighbours to make up for a component that is.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

STEP = 5
MOST = 7

_LEVELS = np.arange(256)
_UNPACKED = ((np.stack([_LEVELS & 15, _LEVELS >> 4], axis=1) - 8).astype(np.int8) * np.int8(STEP)).view(np.uint16)[:, 0]
"""The two components in each byte (256,), side by side."""


def normalize(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return rows (n, d) at length one; a row of zeros stays as it is."""
    lengths: NDArray[np.float32] = np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), np.float32(1e-9))
    return (rows / lengths).astype(np.float32)


def pack(vectors: NDArray[Any]) -> bytes:
    """Pack rows (n, d) in units of a 127th, d even, as n * d / 2 bytes."""
    levels = (np.clip(np.rint(vectors / STEP), -MOST, MOST) + 8).astype(np.uint8)
    return (levels[:, ::2] | levels[:, 1::2] << 4).tobytes()


def unpack(data: bytes | NDArray[np.uint8], dim: int) -> NDArray[np.int8]:
    """Return the rows (n, dim) that `pack` packed, to the nearest level."""
    raw = np.frombuffer(data, np.uint8) if isinstance(data, bytes) else data.ravel()
    return np.take(_UNPACKED, raw).view(np.int8).reshape(-1, dim)


@dataclass(frozen=True, slots=True)
class Packing:
    """The packing of the vectors of one view: the number of components, and the bits of each."""

    dim: int
    bits: Literal[4, 8] = 4

    @property
    def width(self) -> int:
        """The bytes of a vector."""
        return self.dim * self.bits // 8

    @property
    def spread(self) -> float:
        """The factor by which components are multiplied before they are packed in four bits: 1 at 128 dimensions."""
        return math.sqrt(self.dim / 128)

    def pack(self, vectors: NDArray[Any]) -> bytes:
        """Pack rows (n, dim), component x 127, as n * width bytes."""
        if self.bits == 4:
            return pack(vectors if self.dim == 128 else vectors * np.float32(self.spread))
        longest = np.maximum(np.abs(vectors).max(axis=1, keepdims=True, initial=0), 1e-9)
        packed: NDArray[np.int8] = np.rint(vectors * (127 / longest)).astype(np.int8)
        return packed.tobytes()

    def rows(self, data: bytes | NDArray[np.uint8]) -> NDArray[Any]:
        """Return the vectors (n, dim) that `pack` packed, component x 127, with the precision of storage."""
        if self.bits == 4:
            vectors = unpack(data, self.dim)
            return vectors if self.dim == 128 else vectors / np.float32(self.spread)
        raw = np.frombuffer(data, np.int8) if isinstance(data, bytes) else data.ravel().view(np.int8)
        return normalize(raw.reshape(-1, self.dim).astype(np.float32)) * np.float32(127)


MULTI_VECTORS = Packing(128)
"""The packing of MiniLM's vectors."""
