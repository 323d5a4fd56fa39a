"""The files that a source of documents names, such as a library of references: what `DocumentSource.read` returns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from indexing.errors import FileError
from indexing.ingest.report import Failure, FileReport, IndexReport
from indexing.metadata import Metadata


@dataclass(frozen=True, slots=True)
class UnreadFile:
    """A file that a source names and that is not read, and why."""

    path: Path
    error: FileError


@dataclass(frozen=True, slots=True)
class SourceFiles:
    """The files to index with the metadata of each, those that cannot be read, and what else to know, in sentences."""

    records: Mapping[Path, Metadata] = field(default_factory=dict)
    unread: tuple[UnreadFile, ...] = ()
    notes: tuple[str, ...] = ()

    def added_to(self, report: IndexReport) -> IndexReport:
        """Return the report of a run over these files with those that could not be read, and the notes."""
        failed = (
            FileReport(
                str(one.path),
                one.path.name,
                "failed",
                failures=(Failure(None, type(one.error).__name__, str(one.error)),),
            )
            for one in self.unread
        )
        return replace(report, files=(*report.files, *failed), notes=(*report.notes, *self.notes))
