"""The sketch of a page: a few centroids of its own vectors, which the first stage of search scores.

An embedder with a codebook (`indexing.embed.minilm`) needs none. For one whose vectors nobody has seen before, each
page brings its own centroids: nothing is trained over the collection, nothing is encoded again when it grows, and a
page of few vectors is its own sketch. It is spherical k-means, begun from rows spread evenly over the page, so that the
same page always has the same sketch. It was measured in docs/adr/0011 on token vectors, for want of others.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexing.vectors.normalize import normalize

ROUNDS = 4


def rows_for(dim: int) -> int:
    """Return the number of a page's centroids: 64 at 128 dimensions (4 KB), fewer of longer vectors, at least 4."""
    return max(4, min(64, 8192 // dim))


def sketch(vectors: NDArray[Any], most: int) -> NDArray[np.float32]:
    """Return at most `most` centroids (k, d) of rows (n, d), at length 127; none of a page without rows."""
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
