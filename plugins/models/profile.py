"""Put a model into the person's own profile, which every command reads where no other is named."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from indexing import IndexingError, IndexingSettings, probe_text, probe_visual
from plugins.models.errors import ModelsError
from plugins.models.library import Manifest, missing_files, models_folder
from rag import ModelSettings, Profile, RagError, own_profile
from rag.llm import Message, limit_context, probe_server, served_model

_HEAD = """\
# Your own profile: commands use it where no other is named with --profile. Written by `vouch models use`.
# All keys are explained in rag/settings.py, rag/llm/settings.py and indexing/settings.py.
"""
_QUESTION = "The ferry leaves at nine and takes two hours. When does it arrive? Answer in one short sentence."


def uses(profile: Profile, manifest: Manifest) -> bool:
    """Return True where a profile uses a model that is here."""
    folder = str(models_folder() / manifest.name)
    indexing, model = profile.indexing, profile.rag.model
    named = [indexing.text_checkpoint, indexing.checkpoint, *([model.gguf] if model else [])]
    return any(name == folder or name.startswith(f"{folder}/") for name in named)


def try_model(manifest: Manifest, on_finding: Callable[[str], None]) -> str:
    """Load a model, let a writer write the answers from now on, and return what was measured, in words.

    `on_finding` gets what was found out, a line each. Raises ModelsError where the model cannot be loaded; nothing is
    changed then.
    """
    if gone := missing_files(manifest):
        raise ModelsError(f"{manifest.name} lacks {gone[0]}: fetch it again with vouch models get {manifest.name}")
    folder = models_folder() / manifest.name
    try:
        if manifest.role == "writer":
            changes, speed = _try_writer(manifest, folder, on_finding)
            on_finding(f"written: {write_changes(changes)}")
            return speed
        began = time.perf_counter()
        settings = IndexingSettings.model_validate(embedder_keys(manifest))
        on_finding(probe_text(settings) if manifest.role == "text" else probe_visual(settings))
        return f"loads in {time.perf_counter() - began:.1f} s"
    except (RagError, IndexingError, ValidationError) as error:
        raise ModelsError(f"{manifest.name} cannot be used ({error}); nothing was changed") from None


def embedder_keys(manifest: Manifest) -> dict[str, Any]:
    """Return the settings of indexing with an embedder that is here."""
    folder = str(models_folder() / manifest.name)
    if manifest.role == "text":
        return {"embedder": "colbert", "text_checkpoint": folder, **manifest.settings}
    return {"visual": manifest.embedder or "colpali", "checkpoint": folder, **manifest.settings}


def reindex_options(manifest: Manifest) -> list[str]:
    """Return the options with which `vouch index` and `vouch reindex` use an embedder that is here."""
    keys = embedder_keys(manifest)
    if manifest.role == "text":
        return ["--text", keys["embedder"], "--checkpoint", keys["text_checkpoint"]]
    return ["--visual", keys["visual"], "--checkpoint", keys["checkpoint"]]


def use_quotes() -> Path:
    """Let answers be quotes again; the rest of the profile stays."""
    return write_changes({"rag": {"method": "quote", "model": None}})


def write_changes(changes: dict[str, dict[str, Any]]) -> Path:
    """Merge keys into the person's profile, None removes one, and replace the file in one step.

    A profile that somebody else wrote is kept beside it as `profile.yaml.before`. Raises ModelsError.
    """
    path = own_profile()
    try:
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        values = yaml.safe_load(text) or {}
        for section, keys in changes.items():
            merged = {**(values.get(section) or {}), **keys}
            values[section] = {key: value for key, value in merged.items() if value is not None}
        Profile.model_validate(values)
    except (yaml.YAMLError, UnicodeDecodeError, AttributeError, ValidationError) as error:
        reason = " ".join(str(error).split())[:200]
        raise ModelsError(f"{path} cannot be extended ({reason}): correct it there, or remove it") from None
    path.parent.mkdir(parents=True, exist_ok=True)
    if text and not text.startswith(_HEAD):  # somebody's own, whose comments would be lost
        path.with_suffix(".yaml.before").write_text(text, encoding="utf-8")
    with tempfile.NamedTemporaryFile("w", dir=path.parent, suffix=".yaml", encoding="utf-8", delete=False) as file:
        file.write(_HEAD + yaml.safe_dump(values, sort_keys=False, allow_unicode=True))
    Path(file.name).replace(path)
    return path


def _try_writer(
    manifest: Manifest, folder: Path, on_finding: Callable[[str], None]
) -> tuple[dict[str, dict[str, Any]], str]:
    """Load a model that writes and probe it; return the keys of the profile and the speed."""
    ggufs = sorted(str(folder / name) for name in manifest.files if name.endswith(".gguf"))
    eyes = [name for name in ggufs if "mmproj" in Path(name).name.lower()]
    weights = [name for name in ggufs if name not in eyes]
    if not weights:
        raise ModelsError(f"{manifest.name} has no GGUF file: import the model's file with vouch models import")
    keys: dict[str, Any] = {"gguf": weights[0], "name": manifest.name, **manifest.settings}
    if eyes:
        keys["mmproj"] = eyes[0]
    settings = limit_context(ModelSettings.model_validate(keys))
    for finding in probe_server(settings):
        settings = finding.settings
        on_finding(f"{finding.about}: {finding.says}")
    speed = _speed(settings)
    on_finding(speed)
    model = keys | settings.model_dump(include={"images", "structured", "context_tokens"})
    rag: dict[str, Any] = {"model": model, "method": "vanilla", "mode": None if settings.images else "text"}
    return {"rag": rag}, speed


def _speed(settings: ModelSettings) -> str:
    """Ask one short question, and say how fast the model writes on this machine."""
    model = served_model(settings)
    try:
        began = time.perf_counter()
        reply = model.complete([Message("user", (_QUESTION,))], max_tokens=64)
        seconds = time.perf_counter() - began
    finally:
        model.close()
    tokens = reply.usage.completion_tokens
    return f"speed: {tokens} tokens written in {seconds:.1f} s on this machine"
