"""The home of collections: their folders, the records of their embedders, and the lock of the only writer of each."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import stat
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from filelock import FileLock, Timeout
from pydantic import TypeAdapter, ValidationError

from configs import NO_VISUAL, embedder_spec, embedders, embeds_pages, loads_checkpoint, parsed_json
from indexing.embed import EmbedderRecord, TextRecord
from indexing.errors import BadCollectionName, CollectionDamaged, CollectionLocked, CollectionOutdated, EmbedderMismatch
from indexing.identifiers import is_collection_name
from indexing.settings import IndexingSettings, default_home
from indexing.storage import FolderRoot, Home, write_error
from indexing.types import FORMAT, VERSIONED, Document
from vouch.hooks import names


@contextlib.contextmanager
def write_lock(place: FolderRoot) -> Iterator[None]:
    """Hold the right to write to the collection at `place`; restrict its folder to its owner before and after.

    Raises CollectionLocked, which names the process that has the right.
    """
    folder = place.folder
    note = folder / "writer.json"
    lock = FileLock(folder / "writer.lock", timeout=0, mode=PRIVATE_FILE)
    try:
        lock.acquire()
    except Timeout:
        raise CollectionLocked(
            f"collection {folder.name!r} is being written by {_holder(note)}: wait for it, or stop it"
        ) from None
    except OSError as error:
        raise write_error(folder, error) from error
    try:
        with contextlib.suppress(OSError):  # on a full disk documents must still be removable; the note only informs
            note.write_text(json.dumps({"pid": os.getpid(), "host": socket.gethostname()}))
        make_private(folder)  # files that an earlier version, or a killed writer, left readable by others
        try:
            yield
        finally:
            make_private(folder)
        note.unlink(missing_ok=True)
    finally:
        lock.release()


def _holder(note: Path) -> str:
    """Return "process PID on HOST" by the note beside the lock, or "another process"."""
    try:
        holder = parsed_json(note.read_text())
        return f"process {holder['pid']} on {holder['host']}"
    except (OSError, ValueError, KeyError):
        return "another process"


PRIVATE_FOLDER, PRIVATE_FILE, _OTHERS = 0o700, 0o600, 0o077
"""The modes of the folders and files of a collection, and the permission bits of other users."""
_BESIDE = (
    ".bibliographies", ".online", ".backups", "state.sqlite", "state.sqlite-wal", "state.sqlite-shm",
)  # fmt: skip
"""The other folders and files of Vouch in a home (plugins/audit, plugins/backup, ui/state)."""
RECORD = "collection.json"
"""The file that makes a place a collection."""


def list_collections(home: Home | None = None) -> tuple[str, ...]:
    """Return the names of all collections in `home`."""
    root = FolderRoot(home or default_home())
    names = filter(is_collection_name, root.folders())
    return tuple(sorted(name for name in names if root.below(name).exists(RECORD)))


def place_of(name: str, home: Home | None) -> FolderRoot:
    """Return the folder of the collection with that name. Raises BadCollectionName."""
    if not is_collection_name(name):
        raise BadCollectionName(
            f"{name!r} cannot name a collection: use up to 64 letters, digits, dots, dashes, underscores"
        )
    return FolderRoot(home or default_home()).below(name)


def key_of_copy(document: Document) -> str:
    """Return the key of the copy of a document's file in the folder `sources`: its SHA-256 and extension."""
    name = document.name if document.path.startswith(("https://", "http://")) else document.path
    return f"{document.sha256}{Path(name).suffix.lower()}"


def record_content(record: EmbedderRecord) -> str:
    """Return a record as JSON, the content of the file `RECORD`."""
    fields = asdict(record)
    content = {"format": VERSIONED if record.version else FORMAT, "embedder": record.text.name}
    names = ("visual", "checkpoint", "fingerprint", "dim", "token_pooling") if record.dim else ("visual",)
    content |= {name: fields[name] for name in (*names, "text")}
    content |= {"version": record.version} if record.version else {}
    return json.dumps(content, indent=1) + "\n"


def write_record(place: FolderRoot, record: EmbedderRecord) -> None:
    """Create the place of a collection and write its record atomically. Raises DiskFull, CollectionLocked."""
    path, content = place.folder, record_content(record).encode()
    part = path / f"collection.{os.getpid()}.part"
    try:
        for folder in (path.parent, path, path / "sources"):
            folder.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
        part.write_bytes(content)
        part.replace(path / RECORD)
    except OSError as error:
        if isinstance(error, FileNotFoundError) and (path / RECORD).is_file():
            return  # another process has created it meanwhile, and deleted unfinished files
        raise write_error(path, error) from error
    make_private(path)


def make_private(path: Path) -> None:
    """Restrict the folder of a collection, its contents, and the home above it to their owner.

    A home that contains anything but collections keeps its mode; so do links, and files of other users.
    """
    with contextlib.suppress(OSError):
        others = (entry for entry in path.parent.iterdir() if entry.name not in _BESIDE)
        if all((entry / RECORD).is_file() for entry in others):
            _restrict(path.parent)
    for folder, _, files in os.walk(path):
        for each in (Path(folder), *(Path(folder, file) for file in files)):
            with contextlib.suppress(OSError):  # gone meanwhile, or not ours
                _restrict(each)


def _restrict(path: Path) -> None:
    mode = path.lstat().st_mode
    if mode & _OTHERS and not stat.S_ISLNK(mode):
        path.chmod(PRIVATE_FOLDER if stat.S_ISDIR(mode) else PRIVATE_FILE)


def read_record(place: FolderRoot, settings: IndexingSettings) -> EmbedderRecord:
    """Return the record of the embedders that a collection was made with.

    Raises CollectionDamaged, CollectionOutdated, and EmbedderMismatch for settings that name another model; a
    collection without a model is opened by settings that name none.
    """
    record = _parse_record(place)
    visual = record.visual
    _check_text(place, record.text, settings)
    if visual not in (NO_VISUAL, *names(embedders("visual"))):
        raise EmbedderMismatch(
            f"collection {place.name!r} was made with the visual embedder {visual!r}, which this version of Vouch does "
            "not have: index into another collection"
        )
    if embeds_pages(settings.visual) and settings.visual != visual:
        raise EmbedderMismatch(
            f"collection {place.name!r} was made with the visual embedder {visual!r}, the settings say "
            f"{settings.visual!r}: use the one it was made with, or change it with vouch reindex"
        )
    lacking = [name for name in ("checkpoint", "fingerprint", "dim") if not getattr(record, name)]
    if loads_checkpoint(visual) and lacking:
        raise CollectionDamaged(f"{place}/{RECORD} has no {lacking[0]}, which {visual} needs: index again")
    return record


def _parse_record(place: FolderRoot) -> EmbedderRecord:
    """Return the record in the file of a collection. Raises CollectionDamaged, CollectionOutdated."""
    try:
        content = place.read(RECORD)
        fields = parsed_json(content)
        number = fields["format"]
        if fields.get("shards", 1) != 1:
            raise CollectionOutdated(
                f"{place} is split into shards, which this version of Vouch does not read: index its documents again "
                "under another name"
            )
        is_present = number in (FORMAT, VERSIONED)
        record = TypeAdapter(EmbedderRecord).validate_json(content, strict=True) if is_present else None
    except (OSError, ValueError, KeyError, TypeError) as error:
        message = str(error)
        if isinstance(error, ValidationError):
            first = error.errors()[0]
            message = f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
        raise CollectionDamaged(
            f"{place}/{RECORD} cannot be read ({message}): restore it from a copy, or index again under another name"
        ) from None
    if record is not None:
        if (record.version > 0) == (number == VERSIONED):
            return record
        raise CollectionDamaged(
            f"{place}/{RECORD} names version {record.version} in format {number}: restore it from a copy"
        )
    if number in range(1, FORMAT):
        raise CollectionOutdated(
            f"{place} was made by an older version of Vouch (format {number}): index again under another name"
        )
    raise CollectionDamaged(
        f"{place} was made by a newer version of Vouch (format {number}): install that version, or index again"
    )


def _check_text(place: FolderRoot, record: TextRecord, settings: IndexingSettings) -> None:
    """Raise EmbedderMismatch if the settings name another text embedder than the record, or another served model."""
    is_named = "embedder" in settings.model_fields_set or settings.embedder != "minilm"
    if (is_named and record.name != settings.embedder) or record.name not in names(embedders("text")):
        raise EmbedderMismatch(
            f"collection {place.name!r} was made with the embedder {record.name!r}, the profile (or --text) says "
            f"{settings.embedder!r}: use {record.name!r}, or change it with vouch reindex"
        )
    served = embedder_spec("text", record.name).weights == "server"
    if served and settings.text_checkpoint not in ("", record.checkpoint):
        raise EmbedderMismatch(
            f"collection {place.name!r} was made with the served model {record.checkpoint!r}, the settings say "
            f"{settings.text_checkpoint!r}: give the same model (--checkpoint), or change it with vouch "
            "reindex"
        )
