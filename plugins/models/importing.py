"""Install a model from local files: a GGUF, the folder of a checkpoint, or what `vouch models pack` wrote."""

from __future__ import annotations

import re
import shutil
import tarfile
from collections.abc import Mapping
from fnmatch import fnmatch
from pathlib import Path

from plugins.models.catalogue import Entry, Role, catalogue
from plugins.models.errors import ModelsError
from plugins.models.library import MANIFEST, Manifest, check_space, complete, part_folder, sha256_of, unpack
from rag import RagError
from rag.llm import read_header

_OTHER_FORMS = "give a .gguf file, the folder of a checkpoint, or a file of vouch models pack"


def import_model(path: Path, name: str = "", vision: Path | None = None, role: Role | None = None) -> list[Manifest]:
    """Copy a model into the models folder; return its manifest, or those of all models in a packed file.

    `vision` is the vision part of a GGUF, `role` overrides that of a checkpoint's configuration. Raises ModelsError
    for other files, and if the disk is too small.
    """
    path = path.expanduser()
    if path.is_dir():
        files = {str(file.relative_to(path)): file for file in sorted(_needed_files(path))}
        return [_import_files(path, name or path.name, role or _role_of_folder(path), files)]
    if not path.is_file():
        raise ModelsError(f"there is no {path}: {_OTHER_FORMS}")
    if path.suffix.lower() == ".gguf":
        parts = {path.name: path} | ({_vision_name(vision): vision.expanduser()} if vision else {})
        try:
            kinds = [read_header(file).architecture for file in parts.values()]
        except RagError as error:
            raise ModelsError(str(error)) from None
        if kinds[0] == "clip" or any(kind != "clip" for kind in kinds[1:]):
            raise ModelsError("the model itself comes first, and its vision part (mmproj-...gguf) with --mmproj")
        return [_import_files(path.parent, name or path.stem, "writer", parts)]
    if tarfile.is_tarfile(path):
        return unpack(path)
    raise ModelsError(f"{path} is no model: {_OTHER_FORMS}")


def _import_files(folder: Path, name: str, role: Role, files: Mapping[str, Path]) -> Manifest:
    """Copy files of a folder into the library as the model `name`, in place of an older one; return its manifest."""
    short = re.sub(r"[^a-z0-9.-]+", "-", name.lower()).strip("-.")[:80]
    if not short:
        raise ModelsError(f"{name!r} is no name for a model: give one of small letters and digits with --name")
    size = sum(file.stat().st_size for file in files.values())
    check_space(size)
    part = part_folder(short)
    try:
        for relative, file in files.items():
            (part / relative).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, part / relative)
    except OSError:
        shutil.rmtree(part, ignore_errors=True)
        raise
    match = next((entry for entry in catalogue() if entry.name == short), None)
    manifest = Manifest(
        name=short,
        role=role,
        origin=str(folder),
        embedder=(match.embedder if match else "") or (_embedder_of(part) if role == "visual" else ""),
        settings=match.settings if match else {},
        licence=match.licence if match else "",
        files={relative: sha256_of(part / relative) for relative in files},
        disk=size,
    )
    complete(manifest)
    return manifest


def _vision_name(file: Path) -> str:
    """Return a file name by which the vision part of a model is recognized."""
    return file.name if "mmproj" in file.name.lower() else f"mmproj-{file.name}"


def _role_of_folder(folder: Path) -> Role:
    """Return the role of a checkpoint by its configuration. Raises ModelsError for a folder without one.

    The modules of an embedder of texts are a Transformer and Dense layers; a cross-encoder's are pooled before these,
    or score a language model's logits. A model that classifies gives a reranker's one score, or a verifier's classes.
    """
    if not any(folder.glob("*.safetensors")) and not any(folder.rglob("*.onnx")):
        raise ModelsError(f"{folder} has no weights as safetensors or ONNX: {_OTHER_FORMS}")
    modules = _text_of(folder / "modules.json")
    if modules:
        return "reranker" if "Pooling" in modules or "LogitScore" in modules else "text"
    config = _text_of(folder / "config.json")
    if "ForCausalLM" in config or "ForTokenClassification" in config:
        return "reranker" if "ForCausalLM" in config else "verifier"
    if "ForSequenceClassification" in config:
        return "reranker" if '"LABEL_0"' in config and '"1"' not in config else "verifier"
    return "visual"


def _text_of(file: Path) -> str:
    return file.read_text("utf-8", "replace") if file.is_file() else ""


def _needed_files(folder: Path) -> list[Path]:
    """Return the files of a folder that a checkpoint needs: weights and configurations, no code and no pickle.

    A manifest of ours and the `.cache` of huggingface_hub are left out.
    """
    patterns = (*Entry(name="any", role=_role_of_folder(folder), summary="", repo="").patterns, "*model_quantized.onnx")
    files = [path for path in folder.rglob("*") if path.is_file() and not path.is_symlink() and path.name != MANIFEST]
    names = {path: path.relative_to(folder) for path in files}
    return [
        path
        for path, name in names.items()
        if ".cache" not in name.parts and any(fnmatch(str(name), pattern) for pattern in patterns)
    ]


def _embedder_of(folder: Path) -> str:
    """Return the embedder that reads a visual checkpoint, by the name of its architecture."""
    config = _text_of(folder / "config.json")
    if "NVMMEmbed" in config:
        return "mm_embed"
    return "qwen3_vl_embedding" if "Qwen3VLForConditionalGeneration" in config else "colpali"
