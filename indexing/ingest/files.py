"""Find the files to index, and decide for each if it is new, another version, indexed already, or renamed."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from indexing.errors import FileError, FileMissing, NameTaken, NotReadable, TooLarge
from indexing.ingest.file_in_work import FileInWork
from indexing.ingest.report import FileReport, Status, failed_file
from indexing.metadata import FileRecords
from indexing.parse import identify, readable_formats
from indexing.settings import IndexingSettings
from indexing.store import Writer
from indexing.types import upload_key


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file to index, or the reason why it cannot be.

    A file that was attached to another, its `parent`, has a `key` for its document: `path` is that of a copy.
    """

    path: Path
    error: FileError | None = None
    key: str = ""
    parent: FileInWork | None = None


def find_files(paths: Sequence[Path], settings: IndexingSettings) -> list[FoundFile]:
    """Return the files at `paths` and in their folders, in order of names, without hidden ones and links to outside."""
    files: dict[Path, FoundFile] = {}
    for path in paths:
        for item in map(_check_name, _walk(path)):
            files.setdefault(item.path, item)
            if len(files) > settings.max_files:
                raise TooLarge(f"more than {settings.max_files} files: index subfolders one by one, or raise max_files")
    return list(files.values())


def _walk(path: Path) -> Iterator[FoundFile]:
    """Yield the file at a path, or the files in the folder; with an error what cannot be indexed."""
    try:
        is_dir = path.is_dir()
        exists = is_dir or path.exists()
    except (OSError, ValueError) as error:
        yield FoundFile(path, NotReadable(f"{path!s}: cannot be accessed ({error}): check the name"))
        return
    if not exists:
        is_address = str(path).startswith(("http:", "https:"))
        step = "save the web page as a PDF and index that" if is_address else "check the spelling"
        yield FoundFile(path, FileMissing(f"{path}: no such file or folder: {step}"))
        return
    if not is_dir:
        yield FoundFile(path.absolute())
        return
    root = path.resolve()
    errors: list[OSError] = []
    for folder, folders, names in os.walk(root, onerror=errors.append):
        folders[:] = sorted(f for f in folders if not f.startswith("."))
        for name in sorted(names):
            file = Path(folder) / name
            if name.startswith(".") or not _has_known_extension(file):
                continue
            if file.is_symlink() and root not in file.resolve().parents:
                yield FoundFile(file, NotReadable(f"{file}: a link to outside the folder: give its target directly"))
                continue
            yield FoundFile(file)
    for failure in errors:
        message = f"{failure.filename}: cannot be opened ({failure.strerror}): change its permissions"
        yield FoundFile(Path(failure.filename), NotReadable(message))


def _has_known_extension(path: Path) -> bool:
    """Return True for a file whose extension Vouch reads."""
    return path.suffix.lower() in readable_formats()


def _check_name(file: FoundFile) -> FoundFile:
    """Return the file, or one with NotReadable if its name is not UTF-8 and can be neither stored nor printed."""
    name = os.fsencode(file.path).decode("utf-8", "replace")
    if name == str(file.path):
        return file
    return FoundFile(Path(name), NotReadable(f"{name}: its name is not UTF-8: rename it"))


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file in hexadecimal digits. Raises OSError."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@dataclass(frozen=True, slots=True)
class Arrived:
    """A file that is to be indexed: its path, its SHA-256, and the path that its document gets (`key`)."""

    path: Path
    sha256: str
    key: str
    status: Status


@dataclass(slots=True)
class ArrivingFiles:
    """The check of each file of a run, in order; `begun` has the names of files to index by SHA-256."""

    writer: Writer
    settings: IndexingSettings
    by_name: bool
    account: str
    records: FileRecords
    begun: dict[str, str] = field(default_factory=dict)

    def check(self, file: FoundFile) -> Arrived | FileReport:
        """Return the file if it is to be indexed, else its report: unreadable, already indexed, or its name taken."""
        start = time.monotonic()
        path = file.path
        try:
            if file.error:
                raise file.error
            identify(path, self.settings)
            sha256 = sha256_of(path)
        except (FileError, OSError) as error:
            return failed_file(path, error, time.monotonic() - start)
        key = file.key or (upload_key(path.name, self.account) if self.by_name else str(path))
        state = self.writer.document_state(sha256[:16], key)
        former = self.begun.get(sha256) or (path.name if file.key else self._follow_renamed(path, sha256))
        if state == "same" or sha256 in self.begun:
            self.writer.drop_other(sha256[:16], file.key or str(path))
            self._update_metadata(path, sha256[:16])
            return self._known_report(path, sha256[:16], former)
        if state == "new" and (conflict := self._name_conflict(path)):
            return failed_file(path, conflict, time.monotonic() - start)
        self.begun[sha256] = path.name
        return Arrived(path, sha256, key, "indexed" if state == "new" else "replaced")

    def _update_metadata(self, path: Path, doc_id: str) -> None:
        """Store the metadata that the records of this run have for a document that is already indexed."""
        document = self.writer.document(doc_id)
        if document is not None:
            self.writer.describe(doc_id, self.records.complete_metadata(document.metadata, path))

    def _name_conflict(self, path: Path) -> NameTaken | None:
        """Return the error of an upload that has the name of another person's document; None without a conflict."""
        other = self.writer.uploaded_document(path.name) if self.by_name else None
        if other is None:
            return None
        whom = f"{other.brought_by} brought" if other.brought_by else "was uploaded without an account"
        then = "give yours another name, or have the other removed first"
        return NameTaken(f"{path.name}: a document of this name already exists, which {whom}: {then}")

    def _follow_renamed(self, path: Path, sha256: str) -> str:
        """Rename a document whose file was renamed; return its name before that, or the file's if there is no document.

        A file was renamed if its former path no longer has its content. The path of an upload (`by_name`) means
        nothing.
        """
        document = self.writer.document(sha256[:16])
        if document is None:
            return path.name
        former = Path(document.path)
        if not self.by_name and former.is_absolute() and former != path and not _has_content(former, sha256):
            self.writer.drop_other(document.id, str(path))
            self.writer.rename(document.id, path.name, str(path))
        return document.name

    def _known_report(self, path: Path, doc_id: str, former: str) -> FileReport:
        """Return the report of a file whose document is in the collection, before this run under the name `former`."""
        document = self.writer.document(doc_id)
        name, other = path.name, former if former != path.name else ""
        renamed = other and document is not None and document.name == name
        exchanged = not self.settings.keep_decrypted and self.writer.exchange_copy(doc_id, path)
        return FileReport(
            str(path), name, "renamed" if renamed else "skipped", doc_id=doc_id, other_name=other,
            copy="exchanged" if exchanged else "",
        )  # fmt: skip


def _has_content(path: Path, sha256: str) -> bool:
    """Return True if the file exists and has that SHA-256."""
    try:
        return path.is_file() and sha256_of(path) == sha256
    except OSError:
        return False
