"""Put a model into the person's own profile, which every command reads where no other is named."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

from PIL import Image
from pydantic import ValidationError

from indexing import IndexingError, IndexingSettings, Page, ParsedPage
from indexing.embed import text_embedder, visual_embedder
from plugins.models.cross_encoder import CrossEncoder
from plugins.models.errors import ModelsError
from plugins.models.library import Manifest, missing_files, models_folder
from plugins.models.reranking import RERANKED
from plugins.models.verifier import probabilities
from rag import ModelSettings, Profile, ProfileError, RagError, VerifierSettings, extend_profile, own_profile
from rag.llm import Message, limit_context, probe_server, served_model

_PATIENCE = 300.0
"""The seconds that a server may take for a first answer: some load the model for it."""
_PASSAGE = "The ferry leaves the old pier at nine, calls at the island, and is back before noon on most days. " * 6
_TEXTS = 32  # passages that an embedder is timed with
_QUESTION = "The ferry leaves at nine and takes two hours. When does it arrive? Answer in one short sentence."


def uses(profile: Profile, manifest: Manifest) -> bool:
    """Return True if a profile uses an installed model."""
    folder = str(models_folder() / manifest.name)
    indexing, model = profile.indexing, profile.rag.model
    paths = [indexing.text_checkpoint, indexing.checkpoint, profile.rag.reranker, *([model.gguf] if model else [])]
    paths += [profile.rag.verifier.checkpoint] if profile.rag.verifier else []
    return any(name == folder or name.startswith(f"{folder}/") for name in paths)


Changes = dict[str, dict[str, Any]]
"""Keys of the sections of a profile with their new values; None removes one."""


def try_model(manifest: Manifest, on_finding: Callable[[str], None]) -> tuple[Changes, str]:
    """Load a model; return the keys of a profile that uses it ({} for an embedder), and its measured speed in words.

    `on_finding` is called with each result in words. Raises ModelsError where the model cannot be loaded.
    """
    if missing := missing_files(manifest):
        raise ModelsError(f"{manifest.name} lacks {missing[0]}: fetch it again with vouch models get {manifest.name}")
    try:
        if manifest.role == "writer":
            return try_writer(_writer_keys(manifest), on_finding)
        if manifest.role in ("reranker", "verifier"):
            return _try_cross_encoder(manifest)
        settings = IndexingSettings.model_validate(embedder_keys(manifest))
        return {}, _time_passages(settings) if manifest.role == "text" else _time_pages(settings, on_finding)
    except (RagError, IndexingError, ValidationError) as error:
        raise ModelsError(f"{manifest.name} cannot be used ({error}); nothing was changed") from None


def embedder_keys(manifest: Manifest) -> dict[str, Any]:
    """Return the indexing settings for an installed embedder."""
    folder = str(models_folder() / manifest.name)
    if manifest.role == "text":
        return {"embedder": "colbert", "text_checkpoint": folder, **manifest.settings}
    return {"visual": manifest.embedder or "colpali", "checkpoint": folder, **manifest.settings}


def reindex_options(manifest: Manifest) -> list[str]:
    """Return the options with which `vouch index` and `vouch reindex` use an installed embedder."""
    keys = embedder_keys(manifest)
    if manifest.role == "text":
        return ["--text", keys["embedder"], "--checkpoint", keys["text_checkpoint"]]
    return ["--visual", keys["visual"], "--checkpoint", keys["checkpoint"]]


QUOTES: Changes = {"rag": {"method": "quote", "model": None}}
"""The keys of a profile that quotes."""
WITHOUT: dict[str, Changes] = {"reranker": {"rag": {"reranker": None}}, "verifier": {"rag": {"verifier": None}}}
"""The keys of a profile that does without a model, by its role."""


def write_changes(changes: Changes) -> Path:
    """Merge keys into the person's profile, and return its path. Raises ModelsError."""
    try:
        return extend_profile(own_profile(), changes)
    except ProfileError as error:
        raise ModelsError(str(error)) from None


def merge(values: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keys of a section of a profile after changes to it."""
    return {key: value for key, value in {**values, **changes}.items() if value is not None}


def try_writer(keys: dict[str, Any], on_finding: Callable[[str], None], context: int = 0) -> tuple[Changes, str]:
    """Probe a model that writes; return the keys of a profile that uses it, and its speed in words.

    `keys` are those of ModelSettings; `context` is the context length that its server lists, 0 without one. Raises
    RagError where it does not answer, ValidationError for invalid keys.
    """
    settings = ModelSettings.model_validate(keys)
    settings = (
        limit_context(settings) if settings.gguf else settings.model_copy(update={"retries": 1, "timeout": _PATIENCE})
    )
    for finding in probe_server(settings, context):
        settings = finding.settings
        on_finding(f"{finding.about}: {finding.says}")
    speed = _speed(settings)
    on_finding(speed)
    model = keys | settings.model_dump(include={"images", "structured", "context_tokens", "max_output_tokens"})
    return {"rag": {"model": model, "method": "vanilla", "mode": None if settings.images else "text"}}, speed


def _writer_keys(manifest: Manifest) -> dict[str, Any]:
    """Return the keys of ModelSettings for an installed model. Raises ModelsError for one without weights."""
    folder = models_folder() / manifest.name
    ggufs = sorted(str(folder / name) for name in manifest.files if name.endswith(".gguf"))
    vision = [name for name in ggufs if "mmproj" in Path(name).name.lower()]
    weights = [name for name in ggufs if name not in vision]
    if not weights:
        raise ModelsError(f"{manifest.name} has no GGUF file: import the model's file with vouch models import")
    return {"gguf": weights[0], "name": manifest.name, **manifest.settings} | ({"mmproj": vision[0]} if vision else {})


def _try_cross_encoder(manifest: Manifest) -> tuple[Changes, str]:
    """Load a reranker or a verifier, and time what one question takes; a passage has some 150 tokens."""
    folder = str(models_folder() / manifest.name)
    model = CrossEncoder(folder)
    began = time.perf_counter()
    if manifest.role == "reranker":
        model.relevance(_QUESTION, [_PASSAGE] * RERANKED)
        speed = f"orders {RERANKED} passages in {time.perf_counter() - began:.1f} s on this machine"
        return {"rag": {"reranker": folder}}, speed
    settings = VerifierSettings.model_validate({"checkpoint": folder, **manifest.settings})
    probabilities([(_PASSAGE, _QUESTION)] * 6, settings)
    speed = f"checks an answer of six sentences in {time.perf_counter() - began:.1f} s on this machine"
    return {"rag": {"verifier": settings.model_dump()}}, speed


def _time_passages(settings: IndexingSettings) -> str:
    """Load an embedder of texts, and time it over passages of some 150 tokens."""
    embedder = text_embedder(settings)
    embedder.embed_query(_QUESTION)
    began = time.perf_counter()
    embedder.embed_passages([_PASSAGE] * _TEXTS)
    return f"embeds {_TEXTS / (time.perf_counter() - began):.2g} passages a second on this machine"


def _time_pages(settings: IndexingSettings, on_finding: Callable[[str], None]) -> str:
    """Load an embedder of page images, and time it over an upright page."""
    embedder = visual_embedder(settings, lambda: text_embedder(settings))
    assert embedder is not None  # noqa: S101  the settings name one
    embedder.embed_query(_QUESTION)
    on_finding(f"{settings.visual} is loaded, on {embedder.device}")
    side, png = settings.page_pixels, BytesIO()
    Image.new("RGB", (round(side * 0.7), side), "white").save(png, "PNG")
    began = time.perf_counter()
    embedder.embed_pages([ParsedPage(Page("", 1, 1, 1), (), (), png.getvalue())])
    return f"embeds a page in {time.perf_counter() - began:.2g} s on this machine"


def _speed(settings: ModelSettings) -> str:
    """Ask one short question; return in words how fast the model writes on this machine."""
    model = served_model(settings)
    try:
        began = time.perf_counter()
        reply = model.complete([Message("user", (_QUESTION,))], max_tokens=64)
        seconds = time.perf_counter() - began
    finally:
        model.close()
    tokens = reply.usage.completion_tokens
    return f"speed: {tokens} tokens written in {seconds:.1f} s on this machine"
