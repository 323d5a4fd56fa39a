"""A visual embedder without a model: every page is a grid of patches, whose vectors say which of them they are of."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from indexing import BBox, ParsedPage, RegionVectors
from indexing.embed.protocol import QueryVectors, Seeking, VisualKind
from indexing.embed.visual.patch_grids import cells
from indexing.vectors.packing import Packing


def numbered(boxes: tuple[BBox, ...], each: int = 1, dim: int = 8) -> RegionVectors:
    """Regions of `each` vectors, all of whose components are the region's number, from 1."""
    rows = np.repeat(np.arange(1, len(boxes) + 1), each)[:, None] * np.ones((1, dim), np.float32)
    return RegionVectors(rows.astype(np.float32), np.full(len(boxes), each, np.int32), boxes)


@dataclass
class Patchwork:
    """Grids of two by two; `calls` counts the pages of each call."""

    visual_kind: VisualKind = "patches"
    dim: int = 8
    name: str = "patchwork"
    device: str = "cpu"
    batch_size: int = 3
    fingerprint: str = ""
    weights: str = ""
    calls: list[int] = field(default_factory=list)

    @property
    def packing(self) -> Packing:
        return Packing(self.dim, 8 if self.visual_kind == "space" else 4)

    def codebook(self) -> None:
        return

    def embed_pages(self, pages: Sequence[ParsedPage]) -> list[RegionVectors]:
        self.calls.append(len(pages))
        return [numbered(cells(2, 2), dim=self.dim) for _ in pages]

    def embed_query(self, question: str, seeking: Seeking = "any") -> QueryVectors:  # noqa: ARG002  it has no instruction
        return QueryVectors(np.full((1, self.dim), self.dim**-0.5, np.float32), np.ones(1, np.float32), (question,))
