"""Where collections live: their folders, what made them, who holds their lock, how large they are."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import cast

from indexing.errors import BadCollectionName, CollectionDamaged, DiskFull, EmbedderMismatch
from indexing.settings import IndexingSettings, Visual, default_home

FORMAT = 4
"""Of the files of a collection; another version's are indexed again."""
_NAME = re.compile(r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")


def list_collections(home: Path | None = None) -> tuple[str, ...]:
    """The names of all collections in `home`."""
    folder = home or default_home()
    return tuple(sorted(p.parent.name for p in folder.glob("*/collection.json"))) if folder.is_dir() else ()


def folder_of(name: str, home: Path | None) -> Path:
    """The folder of a collection; BadCollectionName for a name that cannot be one."""
    if not _NAME.fullmatch(name):
        raise BadCollectionName(
            f"{name!r} cannot name a collection: use up to 64 letters, digits, dots, dashes, underscores"
        )
    return (home or default_home()) / name


def made_with(path: Path, settings: IndexingSettings) -> Visual:
    """The visual embedder that a collection was made with. Raises EmbedderMismatch, CollectionDamaged."""
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
    if visual not in ("none", "ocr_regions"):
        raise EmbedderMismatch(
            f"collection {path.name!r} was made with the visual embedder {visual!r}, which this version of Vouch does "
            "not have: index into another collection"
        )
    return cast("Visual", visual)


def holder_of(path: Path) -> str:
    """Who wrote the note beside the lock."""
    try:
        held = json.loads(path.read_text())
        return f"process {held['pid']} on {held['host']}"
    except (OSError, ValueError, KeyError):
        return "another process"


def write_error(path: Path, error: OSError) -> DiskFull | CollectionDamaged:
    """What an error while writing means for the collection."""
    if error.errno == 28:
        return DiskFull(f"{path}: the disk is full: free some space and run the same command again")
    return CollectionDamaged(f"{path}: cannot be written ({error.strerror}): check the folder, or set VOUCH_HOME")


def size_of(path: Path) -> int:
    """Bytes of all files in a folder."""
    return sum(f.stat().st_size for f in path.rglob("*") if f.is_file()) if path.exists() else 0
