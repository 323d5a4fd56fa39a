"""Probes that load the embedders of the settings and embed one word, for `vouch doctor`.

Each probe returns a message, or raises the IndexingError that says what to change.
"""

from __future__ import annotations

from pathlib import Path

from configs import embedder_spec, loads_checkpoint
from indexing.embed.protocol import TextEmbedder
from indexing.errors import CheckpointMissing
from indexing.settings import IndexingSettings

_WORD = "proof"


def probe_text(settings: IndexingSettings) -> str:
    """Load the text embedder, or ask its server; no weights are fetched. Raises as `text_embedder` does."""
    _text(settings).embed_query(_WORD)
    weights = embedder_spec("text", settings.embedder).weights
    what = f" with {settings.text_checkpoint}" if weights != "included" else ""
    return f"{settings.embedder}{what} {'answers' if weights == 'server' else 'is loaded'}"


def probe_visual(settings: IndexingSettings) -> str:
    """Load the visual embedder, if the settings name one; weights are not fetched for it.

    Raises ExtraMissing, CheckpointMissing, CheckpointUnfit, ModelDamaged.
    """
    from indexing.embed.factory import visual_embedder

    if settings.visual == "none":
        return "none, so only mode text works (indexing.visual)"
    if loads_checkpoint(settings.visual):
        _check_installed(settings)
    embedder = visual_embedder(settings, lambda: _text(settings))
    assert embedder is not None  # noqa: S101  visual is not none
    embedder.embed_query(_WORD)
    what = f" with {settings.checkpoint}" if loads_checkpoint(settings.visual) else ""
    return f"{settings.visual}{what} is loaded, on {embedder.device}"


def _text(settings: IndexingSettings) -> TextEmbedder:
    from indexing.embed.factory import text_embedder

    spec = embedder_spec("text", settings.embedder)
    if spec.weights == "checkpoint":
        _check_downloaded(settings.text_checkpoint, spec.file)
    return text_embedder(settings, threads=1)


def _check_installed(settings: IndexingSettings) -> None:
    """Raise the error that loading the weights would raise, without downloading gigabytes."""
    from indexing.embed.visual import require_extra

    require_extra(settings.visual)
    _check_downloaded(settings.checkpoint, embedder_spec("visual", settings.visual).file)


def _check_downloaded(name: str, file: str) -> None:
    """Raise CheckpointMissing for weights of the hub whose `file` is not on this machine."""
    if "/" not in name or Path(name).expanduser().exists():
        return
    from huggingface_hub import try_to_load_from_cache

    try:
        path = try_to_load_from_cache(name, file)
    except ValueError:  # no name of the hub, which the embedder tells
        return
    if not isinstance(path, str):
        raise CheckpointMissing(
            f"the weights {name} are not on this machine yet: `vouch index` fetches them, or fetch them now: "
            f"hf download {name}"
        )
