"""How warm each region of a page is for a text: the similarity map of ColPali (Faysse et al. 2024)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexing.embed.protocol import SCALE, QueryVectors, RegionVectors
from indexing.types import BBox

WHOLE = 0.999
"""A region that covers this much of its page stands nowhere in particular and is left out of maps."""


def located(vectors: NDArray[Any], boxes: NDArray[np.float32], counts: NDArray[np.int32]) -> RegionVectors:
    """The regions of a page that stand somewhere on it, with their vectors, out of what `Snapshot.seen` gives."""
    placed = [BBox.from_page(x0, y0, x1, y1, 1.0, 1.0) for x0, y0, x1, y1 in boxes.tolist()]
    kept = [box is not None and box.area < WHOLE for box in placed]
    rows = np.repeat(np.array(kept, bool), counts)
    shown = tuple(box for box, keep in zip(placed, kept, strict=True) if box is not None and keep)
    return RegionVectors(vectors[rows], counts[np.array(kept, bool)], shown)


def heat(seen: RegionVectors, query: QueryVectors) -> NDArray[np.float32]:
    """MaxSim (r,) of every region with the query: the weighted mean, over its tokens, of the best cosine."""
    warmth = np.zeros(len(seen.boxes), np.float32)
    owning = np.flatnonzero(seen.counts)
    if not len(owning) or not len(query.vectors):
        return warmth
    cosines = seen.vectors.astype(np.float32) @ query.vectors.T / np.float32(SCALE)
    starts = (np.cumsum(seen.counts) - seen.counts)[owning]
    warmth[owning] = np.maximum.reduceat(cosines, starts, axis=0) @ query.weights
    return warmth
