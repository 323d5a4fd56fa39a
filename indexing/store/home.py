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
    """Return the key of a document's file among the source copies."""
    name = document.name if document.path.startswith(("https://", "http://")) else document.path
    return f"{document.sha256}{Path(name).suffix.lower()}"


def record_content(record: EmbedderRecord) -> str:
    """Return the content of the file that makes a place a collection."""
    content: dict[str, Any] = {"format": VERSIONED if record.version else FORMAT, "embedder": record.text.name}
    content["visual"] = record.visual
    more = asdict(record)
    text, shards, version = (more.pop(name) for name in ("text", "shards", "version"))
    if version:
        content["version"] = version
    if shards > 1:
        content["shards"] = shards
    content["text"] = text
    return json.dumps(content | (more if loads_checkpoint(record.visual) else {}), indent=1) + "\n"


def write_record(place: StorageRoot, record: EmbedderRecord) -> None:
    """Create the place of a collection and write its record atomically. Raises DiskFull."""
    content = record_content(record)
    if isinstance(place, ObjectRoot):
        _write_on_store(place, content.encode())
    elif isinstance(place, FolderRoot):
        _write_in_folder(place.folder, content)


def _write_on_store(place: ObjectRoot, content: bytes) -> None:
    """Write a record if there is none, after clearing the rest of an interrupted deletion. Raises CollectionLocked."""
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
    """Restrict the folder of a collection, its contents, and the home above it to their owner.

    A home that contains anything but collections keeps its mode; so do links, and files of other users.
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


def read_record(place: StorageRoot, settings: IndexingSettings) -> EmbedderRecord:
    """Return the record of the embedders that a collection was made with.

    Raises CollectionDamaged, CollectionOutdated, and EmbedderMismatch for settings that name another model; a
    collection without a model is opened by settings that name none.
    """
    content = _read_content(place)
    text, shards = _read_text_record(place, content, content["embedder"], settings), content.get("shards", 1)
    version = content.get("version", 0)
    if type(shards) is not int or not 1 <= shards <= MOST_SHARDS:
        raise CollectionDamaged(
            f"{place}/{RECORD} names {shards!r} shards, which is not a valid number: restore it from a copy"
        )
    if type(version) is not int or (version > 0) != (content["format"] in (VERSIONED, FORMER_VERSIONED)):
        raise CollectionDamaged(
            f"{place}/{RECORD} names the version {version!r}, which is not valid: restore it from a copy"
        )
    visual = content.get("visual")
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
        record = EmbedderRecord(
            visual, str(content["checkpoint"]), str(content["fingerprint"]), int(content["dim"]),
            int(content["token_pooling"]), text, shards, version,
        )  # fmt: skip
    except (KeyError, TypeError, ValueError) as error:
        raise CollectionDamaged(f"{place}/collection.json lacks what {visual} needs ({error}): index again") from None
    return record


def _read_content(place: StorageRoot) -> dict[str, Any]:
    """Return the parsed record file of a collection, if this version of Vouch can open it."""
    try:
        content: dict[str, Any] = parsed_json(place.read(RECORD))
        version = content["format"], content["embedder"]
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
    return content


def _read_text_record(
    place: StorageRoot, content: dict[str, Any], embedder: str, settings: IndexingSettings
) -> TextRecord:
    """Return the record of the text embedder. Raises CollectionDamaged, and EmbedderMismatch as `read_record` does.

    Settings that do not name one take that of the collection.
    """
    is_named = "embedder" in settings.model_fields_set or settings.embedder != "minilm"
    if (is_named and embedder != settings.embedder) or embedder not in names(embedders("text")):
        raise EmbedderMismatch(
            f"collection {place.name!r} was made with the embedder {embedder!r}, the profile (or --text) says "
            f"{settings.embedder!r}: use {embedder!r}, or change it with vouch reindex"
        )
    if embedder == "minilm" and content["format"] in (FORMER, FORMER_VERSIONED):
        return TextRecord()
    try:
        fields = content["text"]
        record = TextRecord(
            embedder,
            str(fields["checkpoint"]),
            str(fields["fingerprint"]),
            int(fields["dim"]),
            tuple(map(str, fields.get("languages", ()))),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise CollectionDamaged(f"{place}/{RECORD} lacks what {embedder} needs ({error}): index again") from None
    if embedder_spec("text", embedder).weights == "server" and settings.text_checkpoint not in ("", record.checkpoint):
        raise EmbedderMismatch(
            f"collection {place.name!r} was made with the served model {record.checkpoint!r}, the settings say "
            f"{settings.text_checkpoint!r}: give the same model (--checkpoint), or change it with vouch "
            "reindex"
        )
    return record
