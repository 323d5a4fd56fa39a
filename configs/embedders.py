"""The embedders by name: those of Vouch, then those of plugins. Their code is imported when one is first used."""

from __future__ import annotations

from typing import Literal

from vouch.hooks import EmbedderSpec, additions, with_added

_FACTORY = "indexing.embed.factory"
_VISION = ("torch", "torchvision", "transformers")

EMBEDDERS: tuple[EmbedderSpec, ...] = (
    EmbedderSpec("minilm", "text", "comes with Vouch; English", f"{_FACTORY}:minilm", "included"),
    EmbedderSpec(
        "colbert", "text", "a late-interaction checkpoint in PyLate's format", f"{_FACTORY}:colbert", "checkpoint", 4,
        file="modules.json",
    ),
    EmbedderSpec("openai", "text", "single vectors from an OpenAI-compatible server", f"{_FACTORY}:openai", "server"),
    EmbedderSpec("ocr_regions", "visual", "text read off the pixels", f"{_FACTORY}:ocr_regions", "included"),
    EmbedderSpec(
        "colpali", "visual", "one vector for each patch of a page", f"{_FACTORY}:colpali", "checkpoint", 4,
        (*_VISION, "peft", "colpali_engine"),
    ),
    EmbedderSpec(
        "mm_embed", "visual", "text and pixels in one space", f"{_FACTORY}:mm_embed", "checkpoint",
        packages=("torch", "transformers"),
    ),
    EmbedderSpec(
        "qwen3_vl_embedding", "visual", "text and pixels in one space", f"{_FACTORY}:qwen3_vl_embedding", "checkpoint",
        packages=_VISION,
    ),
)  # fmt: skip
"""The embedders of the core."""
NO_VISUAL = "none"
"""The name that stands for no visual embedder."""
READS_WORDS = "ocr_regions"
"""The visual embedder that embeds words."""


def embedders(kind: Literal["text", "visual"]) -> tuple[EmbedderSpec, ...]:
    """Return the embedders of texts or of page images, the default first."""
    return tuple(spec for spec in with_added(EMBEDDERS, additions("embedders")) if spec.kind == kind)


def embedder_spec(kind: Literal["text", "visual"], name: str) -> EmbedderSpec:
    """Return the embedder of a name. Raises KeyError."""
    return {spec.name: spec for spec in embedders(kind)}[name]


def loads_checkpoint(visual: str) -> bool:
    """Return True for a visual embedder whose model is in a checkpoint that the settings name."""
    return visual in {spec.name for spec in embedders("visual") if spec.weights == "checkpoint"}


def embeds_pages(visual: str) -> bool:
    """Return True for a visual embedder that embeds page images by a model of its own.

    It is False for "none", and for `ocr_regions`, whose vectors are the text embedder's, of text that OCR recognised.
    """
    return visual not in (NO_VISUAL, READS_WORDS)
