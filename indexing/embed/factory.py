"""Settings -> embedders, and how the vectors of each are stored.

Nothing heavy is imported before it is chosen.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from indexing.embed.record import EmbedderRecord, TextRecord
from indexing.errors import CollectionOutdated, EmbedderMismatch
from indexing.settings import LOADED, IndexingSettings
from indexing.vectors import MULTI_VECTORS, Packing

if TYPE_CHECKING:
    from indexing.embed.minilm import MiniLM
    from indexing.embed.protocol import TextEmbedder, VisualEmbedder
    from indexing.embed.visual import ColPali, MMEmbed, Qwen3VLEmbedding
    from indexing.storage import StorageRoot

_SHARED: WeakValueDictionary[tuple[int, int], MiniLM] = WeakValueDictionary()
"""The MiniLM by process and threads, as long as a collection has it: a forked process needs threads of its own."""
_loading = threading.Lock()


def text_embedder(
    settings: IndexingSettings, collection: StorageRoot | None = None, *, dim: int = 0, threads: int = 0
) -> TextEmbedder:
    """Return the text embedder of the settings, with what the collection at a place has fitted to it.

    `dim` is that of its vectors, 0 where it is not known yet; `threads` is for MiniLM. Raises ModelDamaged,
    CheckpointMissing, CheckpointUnfit, EmbeddingServerFailed.
    """
    if settings.embedder == "minilm":
        return _minilm(threads)
    from indexing.embed.text import ColBERT, FitFile, ServedEmbedder

    if settings.embedder == "openai":
        return ServedEmbedder(settings, dim)
    return ColBERT(settings, FitFile(collection) if collection else None)


def _minilm(threads: int) -> MiniLM:
    """Return the MiniLM of this process, which all open collections share: the model takes 100 MB."""
    from indexing.embed.minilm import MiniLM

    with _loading:
        known = os.getpid(), threads
        loaded = _SHARED.get(known)
        if loaded is None:
            loaded = _SHARED[known] = MiniLM(threads)
        return loaded


def visual_embedder(settings: IndexingSettings, text: Callable[[], TextEmbedder]) -> VisualEmbedder | None:
    """Return the visual embedder of the settings; its model is loaded when it first embeds something.

    Raises ExtraMissing, CheckpointMissing, CheckpointUnfit.
    """
    if settings.visual == "none":
        return None
    if settings.visual == "ocr_regions":
        from indexing.embed.ocr_regions import OcrRegions

        return OcrRegions(text())
    return _with_a_model(settings)


def made_by(settings: IndexingSettings) -> EmbedderRecord:
    """Return the record of a collection with these settings. Raises as `visual_embedder` does."""
    text = _text_made_by(settings)
    if settings.visual not in LOADED:
        return EmbedderRecord(settings.visual, text=text, shards=settings.shards)
    embedder = _with_a_model(settings)
    return EmbedderRecord(
        settings.visual, embedder.checkpoint.name, embedder.fingerprint, embedder.dim, settings.token_pooling, text,
        settings.shards,
    )  # fmt: skip


def _text_made_by(settings: IndexingSettings) -> TextRecord:
    if settings.embedder == "minilm":
        from indexing.embed.minilm import MiniLM

        return TextRecord(fingerprint=MiniLM.fingerprint)
    embedder = text_embedder(settings)
    return TextRecord(settings.embedder, embedder.weights, embedder.fingerprint, embedder.dim, settings.text_languages)


def text_packing_of(made: EmbedderRecord) -> Packing:
    """Return how the vectors of a collection's text are stored."""
    if made.text.name == "minilm":
        return MULTI_VECTORS
    return Packing(made.text.dim, 8 if made.text.name == "openai" else 4)


def packing_of(made: EmbedderRecord) -> Packing | None:
    """Return how the vectors of a collection's pixels are stored; None where they are the text embedder's."""
    if made.visual not in LOADED:
        return None
    return Packing(made.dim, 4 if made.visual == "colpali" else 8)


def check_same_text(embedder: TextEmbedder, made: TextRecord, collection: str) -> None:
    """Raise EmbedderMismatch where weights or dimensions are not those that the collection was made with.

    For minilm CollectionOutdated: its axes come with Vouch, and have changed.
    """
    if made.name == "minilm":
        if embedder.fingerprint != made.fingerprint:
            raise CollectionOutdated(
                f"the texts of collection {collection!r} were embedded by another version of Vouch, whose "
                "vectors this one cannot compare with its own: embed them again with vouch reindex "
                f"--collection {collection}"
            )
    elif (embedder.fingerprint, embedder.dim) != (made.fingerprint, made.dim):
        raise EmbedderMismatch(
            f"collection {collection!r} was made with the text embedder {made.name} and the weights of "
            f"{made.checkpoint!r}, which differ from those of {embedder.weights!r}: give the same checkpoint "
            "(--checkpoint), or change it with vouch reindex"
        )


def check_same(embedder: VisualEmbedder | None, made: EmbedderRecord, collection: str) -> None:
    """Raise EmbedderMismatch where the weights are not those that the collection was made with."""
    if embedder is not None and made.fingerprint and embedder.fingerprint != made.fingerprint:
        raise EmbedderMismatch(
            f"collection {collection!r} was made with the weights of {made.checkpoint!r}, which differ from "
            "those found now: give the same checkpoint (--checkpoint), or change it with vouch reindex"
        )


def _with_a_model(settings: IndexingSettings) -> ColPali | MMEmbed | Qwen3VLEmbedding:
    """Return the embedder of settings that name one which loads a checkpoint."""
    if settings.visual == "colpali":
        from indexing.embed.visual import ColPali

        return ColPali(settings)
    if settings.visual == "mm_embed":
        from indexing.embed.visual import MMEmbed

        return MMEmbed(settings)
    from indexing.embed.visual import Qwen3VLEmbedding

    return Qwen3VLEmbedding(settings)
