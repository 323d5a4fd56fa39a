"""The similarity map of ColPali (Faysse et al. 2024): the MaxSim of each region of a page with a text."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexing.embed import SCALE, QueryVectors, RegionVectors
from indexing.types import BBox

WHOLE = 0.999
"""The share of its page from which a region has no particular place and is left out of maps."""


def regions_on_page(vectors: NDArray[Any], boxes: NDArray[np.float32], counts: NDArray[np.int32]) -> RegionVectors:
    """Return the regions of `Snapshot.visual_vectors` that have a box on the page, with their vectors."""
    page_boxes = [BBox.from_page(x0, y0, x1, y1, 1.0, 1.0) for x0, y0, x1, y1 in boxes.tolist()]
    mask = [box is not None and box.area < WHOLE for box in page_boxes]
    rows = np.repeat(np.array(mask, bool), counts)
    local_boxes = tuple(box for box, keep in zip(page_boxes, mask, strict=True) if box is not None and keep)
    return RegionVectors(vectors[rows], counts[np.array(mask, bool)], local_boxes)


def region_scores(regions: RegionVectors, query: QueryVectors) -> NDArray[np.float32]:
    """Return MaxSim (r,) of every region with the query: the weighted mean, over its tokens, of the best cosine."""
    warmth = np.zeros(len(regions.boxes), np.float32)
    owning = np.flatnonzero(regions.counts)
    if not len(owning) or not len(query.vectors):
        return warmth
    cosines = regions.vectors.astype(np.float32) @ query.vectors.T / np.float32(SCALE)
    starts = (np.cumsum(regions.counts) - regions.counts)[owning]
    warmth[owning] = np.maximum.reduceat(cosines, starts, axis=0) @ query.weights
    return warmth
