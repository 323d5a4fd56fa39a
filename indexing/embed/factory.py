"""Settings -> visual embedders, and how the vectors of each are stored.

Nothing heavy is imported before it is chosen.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from indexing.errors import EmbedderMismatch
from indexing.home import Made
from indexing.packing import Packing
from indexing.settings import LOADED, IndexingSettings

if TYPE_CHECKING:
    from indexing.embed.colpali import ColPali
    from indexing.embed.minilm import MiniLM
    from indexing.embed.mm_embed import MMEmbed
    from indexing.embed.protocol import VisualEmbedder
    from indexing.embed.qwen3_vl_embedding import Qwen3VLEmbedding


def visual_embedder(settings: IndexingSettings, text: Callable[[], MiniLM]) -> VisualEmbedder | None:
    """The visual embedder of the settings; its model is loaded when it first embeds something.

    Raises ExtraMissing, CheckpointMissing, CheckpointUnfit.
    """
    if settings.visual == "none":
        return None
    if settings.visual == "ocr_regions":
        from indexing.embed.ocr_regions import OcrRegions

        return OcrRegions(text())
    return _with_a_model(settings)


def made_by(settings: IndexingSettings) -> Made:
    """What a collection with these settings is made with. Raises as `visual_embedder` does."""
    if settings.visual not in LOADED:
        return Made(settings.visual)
    embedder = _with_a_model(settings)
    return Made(settings.visual, embedder.checkpoint.name, embedder.fingerprint, embedder.dim, settings.token_pooling)


def packing_of(made: Made) -> Packing | None:
    """How the vectors of a collection's pixels are stored; None where they are the text embedder's."""
    if made.visual not in LOADED:
        return None
    return Packing(made.dim, 4 if made.visual == "colpali" else 8)


def check_same(embedder: VisualEmbedder | None, made: Made, collection: str) -> None:
    """Raise EmbedderMismatch where the weights are not those that the collection was made with."""
    if embedder is not None and made.fingerprint and embedder.fingerprint != made.fingerprint:
        raise EmbedderMismatch(
            f"collection {collection!r} was made with the weights of {made.checkpoint!r}, which are not those that are "
            "there now: name the same checkpoint (--checkpoint), or index into another collection"
        )


def _with_a_model(settings: IndexingSettings) -> ColPali | MMEmbed | Qwen3VLEmbedding:
    """The embedder of settings that name one which loads a checkpoint."""
    if settings.visual == "colpali":
        from indexing.embed.colpali import ColPali

        return ColPali(settings)
    if settings.visual == "mm_embed":
        from indexing.embed.mm_embed import MMEmbed

        return MMEmbed(settings)
    from indexing.embed.qwen3_vl_embedding import Qwen3VLEmbedding

    return Qwen3VLEmbedding(settings)
