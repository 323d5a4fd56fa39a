"""Decide for each file of a run if it is new, another version, indexed already, renamed, or another person's."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path

from indexing.errors import FileError, NameTaken
from indexing.ingest.files import FoundFile, sha256_of
from indexing.ingest.report import FileReport, Status, failed_file
from indexing.metadata import FileRecords
from indexing.parse import identify
from indexing.settings import IndexingSettings
from indexing.store import Writer
from indexing.types import upload_key


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
