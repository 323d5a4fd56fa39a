"""The packing of vectors for storage, and their codes, which the first stages of search compare.

They come and go as component x 127. In four bits a component has 15 levels, two components a byte: 64 bytes a vector at
128 dimensions. The levels are as far apart as unit vectors of that many dimensions need them (`STEP` at 128); values
beyond 7 levels are cut, which components of a unit vector rarely are: no loss shows (docs/experiments/vectors.md). In
eight bits a row is stored as long as its bytes allow and compared by its direction, so that nothing is cut: a single
vector has no neighbours to make up for a component that is.

With a codebook (`indexing.embed.minilm`), the tokens of a page that share a code are replaced by their mean, which is
stored as the signs of its difference from the code with one size for all components: the one-bit residuals of ColBERTv2
(Santhanam et al. 2022), of means. They take 3.2 KB a page, its vectors 49 KB.

An embedder whose vectors were never measured has no codebook, and each page has a sketch, a few centroids of its own
vectors: nothing is trained over the collection, nothing is encoded again when it grows, and a page of few vectors is
its own sketch. It is spherical k-means, begun from rows spread evenly over the page, so that the same page always has
the same sketch. It was measured in docs/adr/0011 on token vectors, for want of others.
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


RESIDUAL_STEP = 1 / 2048
"""The unit of a residual's size, which is stored in a byte; components of unit vectors are rarely 0.12 off."""
ROUNDS = 4
"""The rounds of k-means of a sketch."""


@dataclass(frozen=True, slots=True)
class TokenCodes:
    """The `codes` (c,) of a page, each once, in order, and the `residuals` (c, d / 8 + 1) of each.

    Bit k of byte b is the sign of component k * d / 8 + b, and the last byte their size.
    """

    codes: NDArray[np.uint16]
    residuals: NDArray[np.uint8]


def encode_tokens(vectors: NDArray[np.int8], codebook: NDArray[np.float32]) -> TokenCodes:
    """Return the codes of token vectors (n, d), component x 127, in a codebook (c, d) of unit vectors; 8 divides d."""
    rows = vectors.astype(np.float32)
    nearest = (rows @ codebook.T).argmax(axis=1) if len(rows) else np.zeros(0, np.int64)
    dim = codebook.shape[1]
    codes, owner = np.unique(nearest, return_inverse=True)
    sums = np.zeros((len(codes), dim), np.float32)
    np.add.at(sums, owner, rows)
    off = normalize(sums) - codebook[codes]
    signs = np.packbits((off > 0).reshape(len(codes), 8, dim // 8), axis=1, bitorder="little")[:, 0]
    sizes = np.clip(np.rint(np.abs(off).mean(axis=1) / RESIDUAL_STEP), 0, 255)
    return TokenCodes(codes.astype(np.uint16), np.column_stack([signs, sizes]).astype(np.uint8))


def rows_for(dim: int) -> int:
    """Return the most centroids of a sketch: 64 at 128 dimensions (4 KB), fewer of longer vectors, at least 4."""
    return max(4, min(64, 8192 // dim))


def sketch(vectors: NDArray[Any], most: int) -> NDArray[np.float32]:
    """Return at most `most` centroids (k, d), of length 127, of the vectors (n, d) of a page; none of no vectors."""
    points = vectors.astype(np.float32)
    if len(points) <= most:
        return points
    units = normalize(points)
    centres = units[np.linspace(0, len(units) - 1, most).round().astype(int)]
    for _ in range(ROUNDS):
        nearest = (units @ centres.T).argmax(axis=1)
        order = np.argsort(nearest, kind="stable")
        groups, starts = np.unique(nearest[order], return_index=True)
        centres[groups] = normalize(np.add.reduceat(units[order], starts, axis=0))
    return (np.unique(centres, axis=0) * np.float32(127)).astype(np.float32)
