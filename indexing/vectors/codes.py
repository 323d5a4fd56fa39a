"""The codes of a page's vectors, which the first stages of search compare: codes of a codebook, or a sketch.

With a codebook (`indexing.embed.minilm`), the tokens of a page that share a code are replaced by their mean, which is
stored as the signs of its difference from the code with one size for all components: the one-bit residuals of ColBERTv2
(Santhanam et al. 2022), of means. They take 3.2 KB a page, its vectors 49 KB.

An embedder whose vectors were never measured has no codebook, and each page has a sketch, a few centroids of its own
vectors: nothing is trained over the collection, nothing is encoded again when it grows, and a page of few vectors is
its own sketch. It is spherical k-means, begun from rows spread evenly over the page, so that the same page always has
the same sketch. It was measured in docs/adr/0011 on token vectors, for want of others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexing.vectors.packing import normalize

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
