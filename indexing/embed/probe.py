"""Probes that load the embedders of the settings: `vouch doctor` runs them, with one word each.

Each probe returns its finding, in words, or raises the IndexingError that says what to change.
"""

from __future__ import annotations

from pathlib import Path

from indexing.errors import CheckpointMissing
from indexing.settings import LOADED, IndexingSettings

_WORD = "proof"


def probe_text(settings: IndexingSettings) -> str:
    """Load the text embedder. Raises ModelDamaged."""
    from indexing.embed.minilm import MiniLM

    MiniLM(threads=1).embed_query(_WORD)
    return f"{settings.embedder} is loaded"


def probe_visual(settings: IndexingSettings) -> str:
    """Load the visual embedder, if the settings name one; weights are not fetched for it.

    Raises ExtraMissing, CheckpointMissing, CheckpointUnfit, ModelDamaged.
    """
    from indexing.embed.factory import visual_embedder
    from indexing.embed.minilm import MiniLM

    if settings.visual == "none":
        return "none: mode text only (indexing.visual)"
    if settings.visual in LOADED:
        _installed(settings)
    embedder = visual_embedder(settings, lambda: MiniLM(threads=1))
    assert embedder is not None  # noqa: S101  visual is not none
    embedder.embed_query(_WORD)
    what = f" with {settings.checkpoint}" if settings.visual in LOADED else ""
    return f"{settings.visual}{what} is loaded, on {embedder.device}"


def _installed(settings: IndexingSettings) -> None:
    """Raise the error that would keep the weights from being loaded, without fetching gigabytes to find out."""
    from indexing.embed.visual import require_extra

    require_extra(settings.visual)
    name = settings.checkpoint
    if "/" not in name or Path(name).expanduser().exists():
        return
    from huggingface_hub import try_to_load_from_cache

    if not isinstance(try_to_load_from_cache(name, "config.json"), str):
        raise CheckpointMissing(
            f"the weights {name} are not on this machine yet: `vouch index` fetches them, or fetch them now: "
            f"hf download {name}"
        )
