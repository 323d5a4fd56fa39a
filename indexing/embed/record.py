"""The record of the models that a collection was made with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from indexing.settings import Visual


@dataclass(frozen=True, slots=True)
class EmbedderRecord:
    """The record of what a collection was made with, beside the text embedder.

    `fingerprint` and `dim` (of its vectors) are those of the model in `checkpoint`, for visual embedders that load one.
    """

    visual: Visual
    checkpoint: str = ""
    fingerprint: str = ""
    dim: int = 0
    token_pooling: int = 1

    def settings(self) -> dict[str, Any]:
        """Return the record as settings of the same names."""
        return {"visual": self.visual, "checkpoint": self.checkpoint, "token_pooling": self.token_pooling}
