"""Token pooling (Clavié et al. 2024): merge similar patch vectors into one, which keeps a box.

The engine clusters by Ward's method over the whole page, so white margins become one vector and print keeps its own.
The box of a merged vector is the rectangle around its patches if they fill it well, else the patch most like it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from indexing.types import BBox

FILLED = 0.5
"""The least share of the rectangle around merged patches that they must fill to stand for it."""


def pool_tokens(
    vectors: NDArray[np.float32], boxes: tuple[BBox, ...], factor: int
) -> tuple[NDArray[np.float32], tuple[BBox, ...]]:
    """Merge unit rows (n, d) with their boxes to about n / factor of them."""
    if len(vectors) < 2 * factor:
        return vectors, boxes
    import torch
    from colpali_engine.compression.token_pooling import HierarchicalTokenPooler

    output = HierarchicalTokenPooler().pool_embeddings(
        [torch.from_numpy(vectors)], return_dict=True, pool_factor=factor
    )
    groups = [members[0].numpy() for members in output.cluster_id_to_indices[0].values() if len(members[0])]
    rows: NDArray[np.float32] = output.pooled_embeddings[0].numpy()
    return rows, tuple(
        _place(vectors[own] @ vector, [boxes[n] for n in own]) for own, vector in zip(groups, rows, strict=True)
    )


def _place(likeness: NDArray[np.float32], boxes: list[BBox]) -> BBox:
    around = BBox.union(boxes)
    return around if sum(box.area for box in boxes) >= FILLED * around.area else boxes[int(likeness.argmax())]
