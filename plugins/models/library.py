"""The folder of the models on this machine: one folder each, with a manifest that has the hash of every file."""

from __future__ import annotations

import hashlib
import os
import shutil
import tarfile
from pathlib import Path, PurePosixPath
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from configs import did_you_mean
from indexing import default_home
from plugins.models.catalogue import BASE, Role, catalogue
from plugins.models.errors import ModelsError
from ui.show import size

VARIABLE = "VOUCH_MODELS"
"""The variable of the environment that names the folder of the models."""
MANIFEST = "manifest.json"
_PART = ".part"


class Manifest(BaseModel):
    """The manifest of an installed model. `files` has the SHA-256 of each file, by its path in the folder.

    `speed` is the measurement of the model's first use on this machine, in words.
    """

    model_config = ConfigDict(extra="ignore", frozen=True)

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9.-]{0,79}$")
    role: Role
    origin: str = ""
    revision: str = ""
    licence: str = ""
    embedder: str = ""
    settings: dict[str, Any] = Field(default_factory=dict)
    files: dict[str, str] = Field(default_factory=dict)
    disk: int = 0
    speed: str = ""

    @field_validator("files")
    @classmethod
    def _check_paths(cls, files: dict[str, str]) -> dict[str, str]:
        """Refuse paths outside the folder of the model."""
        for name in files:
            if PurePosixPath(name).is_absolute() or ".." in PurePosixPath(name).parts:
                raise ValueError(f"{name} is outside of the folder")
        return files


def models_folder() -> Path:
    """Return the folder of the models: $VOUCH_MODELS, else `models` beside the collections on this machine."""
    folder = os.environ.get(VARIABLE)
    return Path(folder).expanduser() if folder else default_home() / "models"


def installed_models() -> tuple[Manifest, ...]:
    """Return the installed models, by name. A folder without a readable manifest is left out."""
    manifests = (_read_manifest(folder) for folder in sorted(models_folder().glob("*")) if folder.suffix != _PART)
    return tuple(manifest for manifest in manifests if manifest)


def installed_model(name: str) -> tuple[Manifest, Path]:
    """Return an installed model and its folder. Raises ModelsError."""
    models = {manifest.name: manifest for manifest in installed_models()}
    if name not in models:
        is_known = name in {entry.name for entry in catalogue()}
        nearest = "" if is_known else did_you_mean(name, list(models))
        raise ModelsError(
            f"the model {name!r} is not here{nearest}: vouch models {f'get {name}' if is_known else 'lists them'}"
        )
    return models[name], models_folder() / name


def missing_files(manifest: Manifest) -> list[str]:
    """Return the files of an installed model that are missing."""
    return [name for name in manifest.files if not (models_folder() / manifest.name / name).is_file()]


def part_folder(name: str) -> Path:
    """Create and return the folder in which a model is assembled; `complete` renames it."""
    folder = models_folder() / f"{name}{_PART}"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def complete(manifest: Manifest) -> Path:
    """Write the manifest into the assembled folder and rename that to the model's name, replacing an older one."""
    part, target = part_folder(manifest.name), models_folder() / manifest.name
    for cache in (part / ".cache", part / BASE / ".cache"):  # what huggingface_hub resumes from
        shutil.rmtree(cache, ignore_errors=True)
    (part / MANIFEST).write_text(manifest.model_dump_json(indent=2), encoding="utf-8")
    if target.exists():
        shutil.rmtree(target)
    part.rename(target)
    return target


def write_manifest(manifest: Manifest) -> None:
    """Replace the manifest of an installed model."""
    path = models_folder() / manifest.name / MANIFEST
    temporary = path.with_suffix(".new")
    temporary.write_text(manifest.model_dump_json(indent=2), encoding="utf-8")
    temporary.replace(path)


def remove(name: str) -> int:
    """Delete a model and what an unfinished fetch left of it; return the bytes that are freed. Raises ModelsError."""
    # a name is compared with those that are there: as a path, ".." would be the folder of all collections
    folders = [folder for folder in models_folder().glob("*") if folder.name in (name, f"{name}{_PART}")]
    if not folders:
        installed_model(name)
    size = sum(file.stat().st_size for folder in folders for file in folder.rglob("*") if file.is_file())
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)
    return size


def check_space(need: int) -> None:
    """Raise ModelsError if the disk of the models has less free space than `need` bytes."""
    folder = models_folder()
    folder.mkdir(parents=True, exist_ok=True)
    free = shutil.disk_usage(folder).free
    if need > free:
        raise ModelsError(
            f"{size(need)} are needed in {folder}, and {size(free)} are free: make room, or set "
            f"{VARIABLE} to a folder on another disk"
        )


def pack(names: list[str], target: Path) -> int:
    """Write models into one tar file; return its bytes. Raises ModelsError for one not installed or incomplete."""
    if target.exists():
        raise ModelsError(f"{target} already exists: name another file with --to")
    manifests = [installed_model(name)[0] for name in names]
    for manifest in manifests:
        if lacks := missing_files(manifest):
            raise ModelsError(f"{manifest.name} lacks {lacks[0]}: fetch it again with vouch models get {manifest.name}")
    try:
        with tarfile.open(target, "w") as archive:
            for manifest in manifests:
                for file in (MANIFEST, *manifest.files):
                    archive.add(models_folder() / manifest.name / file, f"{manifest.name}/{file}")
    except OSError:  # such as a full disk: the file is incomplete
        target.unlink(missing_ok=True)
        raise
    return target.stat().st_size


def unpack(archive_path: Path) -> list[Manifest]:
    """Install the models of a file that `pack` wrote, each checked against the hashes in its manifest.

    Raises ModelsError for a file that is damaged, holds something else, or does not fit on the disk.
    """
    roots: set[str] = set()
    try:
        with tarfile.open(archive_path) as archive:
            members = [member for member in archive if member.isfile()]
            check_space(sum(member.size for member in members))
            roots = {PurePosixPath(member.name).parts[0] for member in members}
            for member in members:
                name = PurePosixPath(member.name)
                if name.is_absolute() or ".." in name.parts or len(name.parts) < 2:
                    raise ModelsError(f"{archive_path} has a file outside of a model's folder: it was not packed by us")
                member.name = str(PurePosixPath(f"{name.parts[0]}{_PART}", *name.parts[1:]))
                archive.extract(member, models_folder(), filter="data")
    except (tarfile.TarError, EOFError, OSError) as error:
        for root in roots:
            shutil.rmtree(models_folder() / f"{root}{_PART}", ignore_errors=True)
        raise ModelsError(
            f"{archive_path} cannot be taken ({error}): make room, or copy the file that vouch models pack wrote again"
        ) from None
    return [_install_unpacked(root, archive_path) for root in sorted(roots)]


def _install_unpacked(name: str, source: Path) -> Manifest:
    """Check the files of an unpacked model by its manifest, and install it. Raises ModelsError."""
    part = models_folder() / f"{name}{_PART}"
    manifest = _read_manifest(part)
    if manifest is None or manifest.name != name:
        shutil.rmtree(part, ignore_errors=True)
        raise ModelsError(f"{source} has no manifest for {name!r}: pack it again with vouch models pack")
    for file, digest in manifest.files.items():
        if not (part / file).is_file() or sha256_of(part / file) != digest:
            shutil.rmtree(part, ignore_errors=True)
            raise ModelsError(f"{file} of {name} in {source} is damaged: copy the file again")
    complete(manifest)
    return manifest


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file, as 64 hex digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _read_manifest(folder: Path) -> Manifest | None:
    try:
        return Manifest.model_validate_json((folder / MANIFEST).read_bytes())
    except (OSError, ValidationError):
        return None
