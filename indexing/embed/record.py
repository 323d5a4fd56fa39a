"""The record of the models that a collection was made with."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field
from pydantic.dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TextRecord:
    """The record of a text embedder.

    `checkpoint` and `fingerprint` are those of its weights, or the model's name and nothing where a server has them; of
    minilm the fingerprint is that of its axes. `dim` is that of its vectors, 0 for minilm; `languages` are those that
    it reads, empty if unknown.
    """

    name: str = "minilm"
    checkpoint: str = ""
    fingerprint: str = ""
    dim: Annotated[int, Field(ge=0)] = 0
    languages: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EmbedderRecord:
    """The record of what a collection was made with.

    `fingerprint` and `dim` (of its vectors) are those of the model in `checkpoint`, for visual embedders that load one;
    `version` is the number of the folder that has its tables, 0 if they were never reindexed.
    """

    visual: str
    checkpoint: str = ""
    fingerprint: str = ""
    dim: Annotated[int, Field(ge=0)] = 0
    token_pooling: Annotated[int, Field(ge=1)] = 1
    text: TextRecord = Field(default_factory=TextRecord)
    version: Annotated[int, Field(ge=0)] = 0

    def settings(self) -> dict[str, Any]:
        """Return the values of `IndexingSettings` with which the collection was made, by name."""
        return {
            "embedder": self.text.name,
            "text_checkpoint": self.text.checkpoint,
            "text_languages": self.text.languages,
            "visual": self.visual,
            "checkpoint": self.checkpoint,
            "token_pooling": self.token_pooling,
        }
