"""The home of collections: the places where they are kept, the records of what made them."""

from __future__ import annotations

import contextlib
import json
import os
import stat
from dataclasses import asdict
from pathlib import Path
from typing import Any

from configs import NO_VISUAL, embedder_spec, embedders, loads_checkpoint, parsed_json
from indexing.embed import EmbedderRecord, TextRecord
from indexing.errors import BadCollectionName, CollectionDamaged, CollectionOutdated, EmbedderMismatch
from indexing.identifiers import is_collection_name
from indexing.settings import MOST_SHARDS, IndexingSettings, default_home
from indexing.storage import FolderRoot, Home, ObjectRoot, StorageRoot, WriterLease, root_of, write_error
from indexing.types import Document
from vouch.hooks import names

PRIVATE_FOLDER, PRIVATE_FILE, _OTHERS = 0o700, 0o600, 0o077
"""The modes of what a collection is made of, and the bits that let other people in."""
_STATE = "state.sqlite"
_BESIDE = (".bibliographies", ".online", ".backups", _STATE, f"{_STATE}-wal", f"{_STATE}-shm")
"""The folders and files of ours that a home has beside its collections (plugins/audit, `indexing.backup`, ui/state)."""
FORMAT, VERSIONED = 6, 7
"""The version of the files of a collection; and of one whose tables were made anew: they lie in the folder of a
version, where an earlier Vouch would not look. Nothing else is different. An older one is brought up to date by `vouch
reindex`.
"""
FORMER, FORMER_VERSIONED = 4, 5
"""The same two formats, before MiniLM got the axes that it has: its vectors are not compared with those of today."""


RECORD = "collection.json"
"""The file that makes a place a collection."""


def list_collections(home: Home | None = None) -> tuple[str, ...]:
    """Return the names of all collections in `home`. Raises StoreUnreachable, StoreDenied."""
    root = root_of(home or default_home())
    names = filter(is_collection_name, root.folders())
    return tuple(sorted(name for name in names if root.below(name).exists(RECORD)))


def place_of(name: str, home: Home | None, cache_mb: int | None = None) -> StorageRoot:
    """Return the place of a collection; BadCollectionName for a name that cannot be one."""
    if not is_collection_name(name):
        raise BadCollectionName(
            f"{name!r} cannot name a collection: use up to 64 letters, digits, dots, dashes, underscores"
        )
    return root_of(home or default_home(), cache_mb).below(name)


def key_of_copy(document: Document) -> str:
    """Return the key of the copy of a document's file among the source copies."""
    kept_as = document.name if document.path.startswith(("https://", "http://")) else document.path
    return f"{document.sha256}{Path(kept_as).suffix.lower()}"


def record_content(made: EmbedderRecord) -> str:
    """Return the content of the file that makes a place a collection."""
    told: dict[str, Any] = {"format": VERSIONED if made.version else FORMAT, "embedder": made.text.name}
    told["visual"] = made.visual
    more = asdict(made)
    text, shards, version = (more.pop(name) for name in ("text", "shards", "version"))
    if version:
        told["version"] = version
    if shards > 1:
        told["shards"] = shards
    told["text"] = text
    return json.dumps(told | (more if loads_checkpoint(made.visual) else {}), indent=1) + "\n"


def write_made(place: StorageRoot, made: EmbedderRecord) -> None:
    """Make the place of a collection with its record, which is there whole or not at all. Raises DiskFull."""
    content = record_content(made)
    if isinstance(place, ObjectRoot):
        _write_on_store(place, content.encode())
    elif isinstance(place, FolderRoot):
        _write_in_folder(place.folder, content)


def _write_on_store(place: ObjectRoot, content: bytes) -> None:
    """Write a record where there is none, after what a deletion that was cut short left. Raises CollectionLocked."""
    lease = WriterLease(place)
    lease.acquire()
    try:
        if not place.exists(RECORD):
            for each in place.folders():
                place.below(each).clear()
            place.write_if(RECORD, content, None)
    finally:
        lease.release()


def _write_in_folder(path: Path, content: str) -> None:
    part = path / f"collection.{os.getpid()}.part"
    try:
        for folder in (path.parent, path, path / "sources"):
            folder.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
        part.write_text(content)
        part.replace(path / RECORD)
    except OSError as error:
        if isinstance(error, FileNotFoundError) and (path / RECORD).is_file():
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


def made_with(place: StorageRoot, settings: IndexingSettings) -> EmbedderRecord:
    """Read the record of what a collection was made with.

    Raises CollectionDamaged, CollectionOutdated, and EmbedderMismatch for settings that name another model; a
    collection without a model is opened by settings that name none.
    """
    made = _readable(place)
    text, shards = _text_made_with(place, made, made["embedder"], settings), made.get("shards", 1)
    version = made.get("version", 0)
    if type(shards) is not int or not 1 <= shards <= MOST_SHARDS:
        raise CollectionDamaged(
            f"{place}/{RECORD} names {shards!r} shards, which is not a valid number: restore it from a copy"
        )
    if type(version) is not int or (version > 0) != (made["format"] in (VERSIONED, FORMER_VERSIONED)):
        raise CollectionDamaged(
            f"{place}/{RECORD} names the version {version!r}, which is not valid: restore it from a copy"
        )
    visual = made.get("visual")
    if visual not in (NO_VISUAL, *names(embedders("visual"))):
        raise EmbedderMismatch(
            f"collection {place.name!r} was made with the visual embedder {visual!r}, which this version of Vouch does "
            "not have: index into another collection"
        )
    if loads_checkpoint(settings.visual) and settings.visual != visual:
        raise EmbedderMismatch(
            f"collection {place.name!r} was made with the visual embedder {visual!r}, the settings say "
            f"{settings.visual!r}: use the one it was made with, or change it with vouch reindex"
        )
    if not loads_checkpoint(visual):
        return EmbedderRecord(visual, text=text, shards=shards, version=version)
    try:
        known = EmbedderRecord(
            visual, str(made["checkpoint"]), str(made["fingerprint"]), int(made["dim"]),
            int(made["token_pooling"]), text, shards, version,
        )  # fmt: skip
    except (KeyError, TypeError, ValueError) as error:
        raise CollectionDamaged(f"{place}/collection.json lacks what {visual} needs ({error}): index again") from None
    return known


def _readable(place: StorageRoot) -> dict[str, Any]:
    """Return the record of a collection, as it is written, if this version of Vouch can open it."""
    try:
        made: dict[str, Any] = parsed_json(place.read(RECORD))
        version = made["format"], made["embedder"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise CollectionDamaged(f"{place}/{RECORD} cannot be read ({error}): index again under another name") from None
    if version[0] in range(1, FORMER):
        raise CollectionOutdated(
            f"{place} was made by an older version of Vouch (format {version[0]}): update it with vouch "
            f"reindex --collection {place.name}"
        )
    if version[0] not in (FORMAT, VERSIONED, FORMER, FORMER_VERSIONED):
        raise CollectionDamaged(
            f"{place} was made by a newer version of Vouch (format {version[0]}): install that version, or index again"
        )
    return made


def _text_made_with(place: StorageRoot, made: dict[str, Any], embedder: str, settings: IndexingSettings) -> TextRecord:
    """Return the record of the text embedder. Raises CollectionDamaged, and EmbedderMismatch as `made_with` does.

    Settings that do not name one take that of the collection.
    """
    named = "embedder" in settings.model_fields_set or settings.embedder != "minilm"
    if (named and embedder != settings.embedder) or embedder not in names(embedders("text")):
        raise EmbedderMismatch(
            f"collection {place.name!r} was made with the embedder {embedder!r}, the profile (or --text) says "
            f"{settings.embedder!r}: use {embedder!r}, or change it with vouch reindex"
        )
    if embedder == "minilm" and made["format"] in (FORMER, FORMER_VERSIONED):
        return TextRecord()
    try:
        kept = made["text"]
        known = TextRecord(
            embedder,
            str(kept["checkpoint"]),
            str(kept["fingerprint"]),
            int(kept["dim"]),
            tuple(map(str, kept.get("languages", ()))),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise CollectionDamaged(f"{place}/{RECORD} lacks what {embedder} needs ({error}): index again") from None
    if embedder_spec("text", embedder).weights == "server" and settings.text_checkpoint not in ("", known.checkpoint):
        raise EmbedderMismatch(
            f"collection {place.name!r} was made with the served model {known.checkpoint!r}, the settings say "
            f"{settings.text_checkpoint!r}: give the same model (--checkpoint), or change it with vouch "
            "reindex"
        )
    return known
