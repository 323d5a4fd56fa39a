"""A sentence and the page of its proof -> boxes around the areas most like it: the localizer of late interaction.

Every region that the visual embedder has of the page (recognised paragraphs, or the patches of a grid) weighs its
MaxSim with the sentence: the similarity map of ColPali (Faysse et al. 2024), of which each area that stands out becomes
a box. No text is read: where `WordLocalizer` aligns words, this localizer compares vectors. A map that is highest
elsewhere than at the element that was checked gives no box.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from indexing import BBox, Collection, Element
from rag.types import Located
from rag.usage import NO_USAGE

HIGH, SEED = 0.6, 0.85
"""The thresholds between the median (0) and the maximum (1) of the map: regions from HIGH on make areas, and an area is
boxed when its highest region reaches SEED.
"""
CONTRAST = 0.05
"""The least height of a map's maximum above its median, in cosines; a flatter map says nothing."""
TOUCHING = 0.004
"""The gap, as a share of the page, up to which regions are one area; patches of a grid touch."""
INSIDE = 0.5
"""The least share of the smaller of area and element that both cover."""


class PatchLocalizer:
    """The localizer that uses the vectors that a collection keeps of its pages' pixels."""

    usage = NO_USAGE
    notes: tuple[str, ...] = ()

    def __init__(self, collection: Collection) -> None:
        """Keep the collection; nothing is loaded yet."""
        self._collection = collection

    def __call__(self, sentence: str, element: Element, spans: Sequence[tuple[int, int]] = ()) -> Located:  # noqa: ARG002  vectors know no characters
        """Return the boxes of areas at the element; none where its page has no regions. Raises NoVisualEmbedder."""
        heat = self._collection.similarity_map(sentence, element.doc_id, element.page)
        weights = np.array([weight for _, weight in heat], np.float32)
        boxes = tuple(box for box in areas([box for box, _ in heat], weights) if _at(box, element.bbox))
        confidence = float(np.clip(weights.max(initial=0.0), 0.0, 1.0)) if boxes else 0.0
        return Located(element.id, element.page, boxes, (), confidence)


def areas(boxes: Sequence[BBox], weights: NDArray[np.float32]) -> list[BBox]:
    """Return boxes around the connected areas of a map that stand out, the highest first."""
    if not len(weights):
        return []
    middle, top = float(np.median(weights)), float(weights.max())
    if top - middle < CONTRAST:
        return []
    height = (weights - middle) / (top - middle)
    high = [n for n in np.argsort(-height, kind="stable").tolist() if height[n] >= HIGH]
    result: list[BBox] = []
    while high and height[high[0]] >= SEED:
        area = [high.pop(0)]
        for one in area:  # grows while it is walked
            near = [n for n in high if _touch(boxes[one], boxes[n])]
            area += near
            high = [n for n in high if n not in near]
        result.append(BBox.union(boxes[n] for n in area))
    return result


def _touch(a: BBox, b: BBox) -> bool:
    return a.x0 - TOUCHING <= b.x1 and b.x0 - TOUCHING <= a.x1 and a.y0 - TOUCHING <= b.y1 and b.y0 - TOUCHING <= a.y1


def _at(box: BBox, element: BBox) -> bool:
    """Return True if two boxes overlap by a share of at least INSIDE of the smaller one."""
    return box.overlap(element) >= INSIDE * min(box.area, element.area)
