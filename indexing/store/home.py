"""The home of collections: their folders, the records of what made them, their sizes."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import stat
from dataclasses import asdict
from pathlib import Path
from typing import Any, cast, get_args
from uuid import uuid4

from indexing.embed import EmbedderRecord
from indexing.errors import BadCollectionName, CollectionDamaged, DiskFull, EmbedderMismatch
from indexing.settings import LOADED, IndexingSettings, Visual, default_home

PRIVATE_FOLDER, PRIVATE_FILE, _OTHERS = 0o700, 0o600, 0o077
"""The modes of what a collection is made of, and the bits that let other people in."""
_BESIDE = (".bibliographies", ".online")
"""The folders of ours that a home has beside its collections (rag/audit/)."""
FORMAT = 4
"""The version of the files of a collection; another version's are indexed again."""
_NAME = re.compile(r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")


def list_collections(home: Path | None = None) -> tuple[str, ...]:
    """Return the names of all collections in `home`."""
    folder = home or default_home()
    names = (p.parent.name for p in folder.glob("*/collection.json")) if folder.is_dir() else ()
    return tuple(sorted(name for name in names if _NAME.fullmatch(name)))


def folder_of(name: str, home: Path | None) -> Path:
    """Return the folder of a collection; BadCollectionName for a name that cannot be one."""
    if not _NAME.fullmatch(name):
        raise BadCollectionName(
            f"{name!r} cannot name a collection: use up to 64 letters, digits, dots, dashes, underscores"
        )
    return (home or default_home()) / name


def write_made(path: Path, embedder: str, made: EmbedderRecord) -> None:
    """Make the folder of a collection with its record, which is there whole or not at all. Raises DiskFull."""
    part = path / f"collection.{os.getpid()}.part"
    told: dict[str, Any] = {"format": FORMAT, "embedder": embedder, "visual": made.visual}
    try:
        for folder in (path.parent, path, path / "sources"):
            folder.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
        part.write_text(json.dumps(told | (asdict(made) if made.visual in LOADED else {}), indent=1) + "\n")
        part.replace(path / "collection.json")
    except OSError as error:
        if isinstance(error, FileNotFoundError) and (path / "collection.json").is_file():
            return  # another process has made it meanwhile, and swept what was half written
        raise write_error(path, error) from error
    make_private(path)


def make_private(path: Path) -> None:
    """Give the folder of a collection, all that is in it, and the home above it to their owner alone.

    A home that holds anything but collections is somebody's folder, whose mode is left alone; so are links, and what
    belongs to somebody else.
    """
    with contextlib.suppress(OSError):
        others = (entry for entry in path.parent.iterdir() if entry.name not in _BESIDE)
        if all((entry / "collection.json").is_file() for entry in others):
            _restrict(path.parent)
    for folder, _, files in os.walk(path):
        for each in (Path(folder), *(Path(folder, file) for file in files)):
            with contextlib.suppress(OSError):  # gone meanwhile, or not ours
                _restrict(each)


def _restrict(path: Path) -> None:
    mode = path.lstat().st_mode
    if mode & _OTHERS and not stat.S_ISLNK(mode):
        path.chmod(PRIVATE_FOLDER if stat.S_ISDIR(mode) else PRIVATE_FILE)


def made_with(path: Path, settings: IndexingSettings) -> EmbedderRecord:
    """Read the record of what a collection was made with.

    Raises CollectionDamaged, and EmbedderMismatch for settings that name another model; a collection without a model is
    opened by settings that name none.
    """
    try:
        made = json.loads((path / "collection.json").read_text())
        version, embedder = made["format"], made["embedder"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise CollectionDamaged(
            f"{path}/collection.json cannot be read ({error}): index again under another name"
        ) from None
    if version != FORMAT:
        raise CollectionDamaged(f"{path} was made by another version of Vouch (format {version}): index again")
    if embedder != settings.embedder:
        raise EmbedderMismatch(
            f"collection {path.name!r} was made with the embedder {embedder!r}, the profile says "
            f"{settings.embedder!r}: use a profile with {embedder!r}, or index into another collection"
        )
    visual = made.get("visual")
    if visual not in get_args(Visual):
        raise EmbedderMismatch(
            f"collection {path.name!r} was made with the visual embedder {visual!r}, which this version of Vouch does "
            "not have: index into another collection"
        )
    if settings.visual in LOADED and settings.visual != visual:
        raise EmbedderMismatch(
            f"collection {path.name!r} was made with the visual embedder {visual!r}, the settings say "
            f"{settings.visual!r}: use those it was made with, or index into another collection"
        )
    if visual not in LOADED:
        return EmbedderRecord(cast("Visual", visual))
    try:
        known = EmbedderRecord(
            cast("Visual", visual), str(made["checkpoint"]), str(made["fingerprint"]), int(made["dim"]),
            int(made["token_pooling"]),
        )  # fmt: skip
    except (KeyError, TypeError, ValueError) as error:
        raise CollectionDamaged(f"{path}/collection.json lacks what {visual} needs ({error}): index again") from None
    return known


def delete_folder(path: Path) -> None:
    """Delete the folder of a collection, which is gone at once: a kill leaves a hidden folder, which goes next time.

    Raises DiskFull where not even a name finds space.
    """
    gone = path.with_name(f".{path.name}.{uuid4().hex}.deleted")
    try:
        path.rename(gone)
    except OSError as error:
        raise write_error(path, error) from error
    for folder in path.parent.glob(".*.deleted"):
        shutil.rmtree(folder, ignore_errors=True)


def write_error(path: Path, error: OSError) -> DiskFull | CollectionDamaged:
    """Return the error that a failure while writing means for the collection."""
    if error.errno == 28:
        return DiskFull(f"{path}: the disk is full: free some space and run the same command again")
    return CollectionDamaged(f"{path}: cannot be written ({error.strerror}): check the folder, or set VOUCH_HOME")


def size_of(path: Path) -> int:
    """Return the bytes of all files in a folder."""
    return sum(f.stat().st_size for f in path.rglob("*") if f.is_file()) if path.exists() else 0
