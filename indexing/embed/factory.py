"""Make the embedders of the settings, and say how the vectors of each are stored.

Heavy packages are only imported for the chosen embedder. Probes load the embedders of the settings and embed one word,
for `vouch doctor`: they return a message, or raise the IndexingError that says what to change.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from configs import NO_VISUAL, embedder_spec, embeds_pages, loads_checkpoint
from indexing.embed.protocol import EmbedderContext
from indexing.embed.record import EmbedderRecord, TextRecord
from indexing.errors import CheckpointMissing, CollectionOutdated, EmbedderMismatch
from indexing.settings import IndexingSettings
from indexing.vectors import MULTI_VECTORS, Packing
from vouch.hooks import load

if TYPE_CHECKING:
    from indexing.embed.minilm import MiniLM
    from indexing.embed.protocol import TextEmbedder, VisualEmbedder

_SHARED: WeakValueDictionary[tuple[int, int], MiniLM] = WeakValueDictionary()
"""The MiniLM by process and threads, as long as a collection has it: a forked process needs threads of its own."""
_loading = threading.Lock()


def text_embedder(settings: IndexingSettings, *, dim: int = 0, threads: int = 0) -> TextEmbedder:
    """Return the text embedder of the settings; `dim` is that of its vectors, 0 where it is not known yet.

    `threads` is for MiniLM. Raises ModelDamaged, CheckpointMissing, CheckpointUnfit, EmbeddingServerFailed.
    """
    embedder: TextEmbedder = load(embedder_spec("text", settings.embedder).load)(
        EmbedderContext(settings, dim, threads)
    )
    return embedder


def visual_embedder(settings: IndexingSettings, text: Callable[[], TextEmbedder]) -> VisualEmbedder | None:
    """Return the visual embedder of the settings; its model is loaded when it first embeds something.

    Raises ExtraMissing, CheckpointMissing, CheckpointUnfit.
    """
    if settings.visual == NO_VISUAL:
        return None
    context = EmbedderContext(settings, text=text)
    embedder: VisualEmbedder = load(embedder_spec("visual", settings.visual).load)(context)
    return embedder


def minilm(context: EmbedderContext) -> MiniLM:
    """Return the MiniLM of this process, which all open collections share: the model takes 100 MB."""
    from indexing.embed.minilm import MiniLM

    with _loading:
        key = os.getpid(), context.threads
        model = _SHARED.get(key)
        if model is None:
            model = _SHARED[key] = MiniLM(context.threads)
        return model


def colbert(context: EmbedderContext) -> TextEmbedder:
    """Return the embedder of a late-interaction checkpoint."""
    from indexing.embed.text import ColBERT

    return ColBERT(context.settings)


def openai(context: EmbedderContext) -> TextEmbedder:
    """Return the client of a server that embeds texts."""
    from indexing.embed.text import ServedEmbedder

    return ServedEmbedder(context.settings, context.dim)


def ocr_regions(context: EmbedderContext) -> VisualEmbedder:
    """Return the embedder of the text that OCR reads off pages."""
    from indexing.embed.ocr_regions import OcrRegions

    if context.text is None:
        raise ValueError("ocr_regions needs a text embedder")
    return OcrRegions(context.text())


def colpali(context: EmbedderContext) -> VisualEmbedder:
    """Return the embedder of a checkpoint of the ColPali family."""
    from indexing.embed.visual import ColPali

    return ColPali(context.settings)


def mm_embed(context: EmbedderContext) -> VisualEmbedder:
    """Return the embedder of a checkpoint of MM-Embed."""
    from indexing.embed.visual import MMEmbed

    return MMEmbed(context.settings)


def qwen3_vl_embedding(context: EmbedderContext) -> VisualEmbedder:
    """Return the embedder of a checkpoint of Qwen3-VL-Embedding."""
    from indexing.embed.visual import Qwen3VLEmbedding

    return Qwen3VLEmbedding(context.settings)


def new_record(settings: IndexingSettings) -> EmbedderRecord:
    """Return the record of a collection with these settings. Raises as `visual_embedder` does."""
    text = _new_text_record(settings)
    if not embeds_pages(settings.visual):
        return EmbedderRecord(settings.visual, text=text)
    embedder = load(embedder_spec("visual", settings.visual).load)(EmbedderContext(settings))
    return EmbedderRecord(
        settings.visual, embedder.weights, embedder.fingerprint, embedder.dim, settings.token_pooling, text
    )  # fmt: skip


def _new_text_record(settings: IndexingSettings) -> TextRecord:
    """Return the record of the text embedder that the settings name."""
    if settings.embedder == "minilm":
        from indexing.embed.minilm import MiniLM

        return TextRecord(fingerprint=MiniLM.fingerprint)
    embedder = text_embedder(settings)
    return TextRecord(settings.embedder, embedder.weights, embedder.fingerprint, embedder.dim, settings.text_languages)


def text_packing_of(record: EmbedderRecord) -> Packing:
    """Return the packing of the vectors of a collection's text."""
    if record.text.name == "minilm":
        return MULTI_VECTORS
    return Packing(record.text.dim, embedder_spec("text", record.text.name).bits)


def packing_of(record: EmbedderRecord) -> Packing | None:
    """Return the packing of the vectors of a collection's pixels; None if they are the text embedder's."""
    if not embeds_pages(record.visual):
        return None
    return Packing(record.dim, embedder_spec("visual", record.visual).bits)


def check_same_text(embedder: TextEmbedder, record: TextRecord, collection: str) -> None:
    """Raise EmbedderMismatch if weights or dimensions differ from those that the collection was made with.

    For minilm raise CollectionOutdated instead: another version of Vouch had other axes.
    """
    if record.name == "minilm":
        if embedder.fingerprint != record.fingerprint:
            raise CollectionOutdated(
                f"the texts of collection {collection!r} were embedded by another version of Vouch, whose "
                "vectors this one cannot compare with its own: embed them again with vouch reindex "
                f"--collection {collection}"
            )
    elif (embedder.fingerprint, embedder.dim) != (record.fingerprint, record.dim):
        raise EmbedderMismatch(
            f"collection {collection!r} was made with the text embedder {record.name} and the weights of "
            f"{record.checkpoint!r}, which differ from those of {embedder.weights!r}: give the same checkpoint "
            "(--checkpoint), or change it with vouch reindex"
        )


def check_same(embedder: VisualEmbedder | None, record: EmbedderRecord, collection: str) -> None:
    """Raise EmbedderMismatch if the weights differ from those that the collection was made with."""
    if embedder is not None and record.fingerprint and embedder.fingerprint != record.fingerprint:
        raise EmbedderMismatch(
            f"collection {collection!r} was made with the weights of {record.checkpoint!r}, which differ from "
            "those found now: give the same checkpoint (--checkpoint), or change it with vouch reindex"
        )


def probe_text(settings: IndexingSettings) -> str:
    """Return a message once the text embedder works; no weights are downloaded. Raises as `text_embedder` does."""
    _text_embedder_offline(settings).embed_query("proof")
    weights = embedder_spec("text", settings.embedder).weights
    weights_text = f" with {settings.text_checkpoint}" if weights != "included" else ""
    return f"{settings.embedder}{weights_text} {'answers' if weights == 'server' else 'is loaded'}"


def probe_visual(settings: IndexingSettings) -> str:
    """Return a message once the visual embedder works, or if the settings name none; no weights are downloaded.

    Raises ExtraMissing, CheckpointMissing, CheckpointUnfit, ModelDamaged.
    """
    if settings.visual == "none":
        return "none, so only mode text works (indexing.visual)"
    if loads_checkpoint(settings.visual):
        from indexing.embed.visual import require_extra

        require_extra(settings.visual)
        _check_downloaded(settings.checkpoint, embedder_spec("visual", settings.visual).file)
    embedder = visual_embedder(settings, lambda: _text_embedder_offline(settings))
    assert embedder is not None  # noqa: S101  visual is not none
    embedder.embed_query("proof")
    weights_text = f" with {settings.checkpoint}" if loads_checkpoint(settings.visual) else ""
    return f"{settings.visual}{weights_text} is loaded, on {embedder.device}"


def _text_embedder_offline(settings: IndexingSettings) -> TextEmbedder:
    spec = embedder_spec("text", settings.embedder)
    if spec.weights == "checkpoint":
        _check_downloaded(settings.text_checkpoint, spec.file)
    return text_embedder(settings, threads=1)


def _check_downloaded(name: str, file: str) -> None:
    """Raise CheckpointMissing if `name` is a repository of the hub whose `file` is not on this machine."""
    if "/" not in name or Path(name).expanduser().exists():
        return
    from huggingface_hub import try_to_load_from_cache

    try:
        path = try_to_load_from_cache(name, file)
    except ValueError:  # not a name on the hub, which the embedder reports
        return
    if not isinstance(path, str):
        raise CheckpointMissing(
            f"the weights {name} are not on this machine yet: `vouch index` fetches them, or fetch them now: "
            f"hf download {name}"
        )
