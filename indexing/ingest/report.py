"""The progress of a run of indexing, the report at its end, and the files that a source of documents names for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from indexing.errors import FileError
from indexing.metadata import Metadata

Status = Literal["indexed", "replaced", "skipped", "renamed", "failed"]
Copy = Literal["", "locked", "decrypted", "exchanged"]


@dataclass(frozen=True, slots=True)
class Progress:
    """The state of a run: the name of the current file and the counts so far. `pages_total` grows as files are opened.

    After the texts of all files come the `pixels` of their pages, with counts of their own. `path` is that of the
    current file, of whose `pages` `page` are done; `report` is its outcome, once known.
    """

    file: str
    files_done: int
    files_total: int
    pages_done: int
    pages_total: int
    seconds: float
    path: str = ""
    page: int = 0
    pages: int = 0
    report: FileReport | None = None
    reused: int = 0
    """The pages done that an earlier run, which was stopped, had embedded."""
    pixels: bool = False

    @property
    def pages_per_second(self) -> float:
        """The pages parsed, embedded and stored per second since the start, without those of an earlier run."""
        return max(self.pages_done - self.reused, 0) / self.seconds if self.seconds > 0 else 0.0

    @property
    def seconds_left(self) -> float:
        """The estimated seconds for the remaining pages of the open files; 0 before any page is done."""
        rate = self.pages_per_second
        return (self.pages_total - self.pages_done) / rate if rate > 0 else 0.0


OnProgress = Callable[[Progress], None]


@dataclass(frozen=True, slots=True)
class Failure:
    """A page (or, with page None, a whole file) that could not be indexed: the error's name and its message."""

    page: int | None
    error: str
    message: str


@dataclass(frozen=True, slots=True)
class FileReport:
    """The outcome for one file. `hidden` words of its text layer were left out because its pages do not show them.

    `other_name` is the name that a renamed document had until now, or, of a file that is skipped, the other name under
    which the collection shows the same document.
    """

    path: str
    name: str
    status: Status
    pages: int = 0
    elements: int = 0
    seconds: float = 0.0
    doc_id: str = ""
    failures: tuple[Failure, ...] = ()
    hidden: int = 0
    other_name: str = ""
    copy: Copy = ""
    """How the collection stores the file of a document that needs a password; "" if the document needs none."""
    notes: tuple[str, ...] = ()
    """Sentences about the rendition of a file that has no pages of its own."""

    def reason(self, failure: Failure) -> str:
        """Return a failure's message without the file and the page, where these are displayed anyway."""
        message = failure.message.removeprefix(f"{self.path}: ").removeprefix(f"{self.name}: ")
        return message if failure.page is None else message.removeprefix(f"page {failure.page} ")


def failed_file(path: Path, error: Exception, seconds: float = 0.0) -> FileReport:
    """Return the report of a file that could not be read."""
    failure = Failure(None, type(error).__name__, str(error))
    return FileReport(str(path), path.name, "failed", seconds=seconds, failures=(failure,))


def kept_as_read(files: Sequence[FileReport], ocr: str | None) -> tuple[str, ...]:
    """Return a note if `ocr`, the mode of the run, was not applied to documents that were already indexed."""
    indexed_ids = {f.doc_id for f in files if f.status in ("indexed", "replaced")}
    if ocr is None or all(f.status not in ("skipped", "renamed") or f.doc_id in indexed_ids for f in files):
        return ()
    again = f"to read them with ocr {ocr}, remove them with vouch remove, then index them again"
    return (f"documents already in the collection were not read again: {again}",)


def unseen_words(files: Sequence[FileReport]) -> tuple[str, ...]:
    """Return a note for each file whose text layer has words that its pages do not show."""
    return tuple(
        f"{f.name}: {f.hidden} word{'s' * (f.hidden > 1)} in its text layer left out, because its pages do "
        "not show them"
        for f in files
        if f.hidden and f.status in ("indexed", "replaced")
    )


def renditions(files: Sequence[FileReport]) -> tuple[str, ...]:
    """Return the notes about the renditions of files without pages of their own."""
    return tuple(f"{f.name}: {note}" for f in files if f.status in ("indexed", "replaced") for note in f.notes)


def locked_copies(files: Sequence[FileReport]) -> tuple[str, ...]:
    """Return a note for each document that needs a password: how the collection stores its file."""
    names = {
        "locked": "its file remains locked: to see its pages later, give the password again; its text can be read in "
        "the collection",
        "decrypted": "a decrypted copy of its file is kept in the collection (keep_decrypted)",
        "exchanged": "its copy in the collection was a decrypted one; now it is the original file",
    }
    return tuple(f"{f.name}: {names[f.copy]}" for f in files if f.copy)


@dataclass(frozen=True, slots=True)
class IndexReport:
    """The outcome of a run. `cancelled` is set if it was stopped before its end; `notes` are further remarks."""

    collection: str
    files: tuple[FileReport, ...]
    seconds: float
    cancelled: bool = False
    notes: tuple[str, ...] = ()

    @property
    def exit_code(self) -> int:
        """The exit code: 0 all well, 1 some files or pages failed, 2 nothing usable came out, 130 stopped."""
        if self.cancelled:
            return 130
        if not any(f.status != "failed" for f in self.files):
            return 2
        return 1 if any(f.failures for f in self.files) else 0

    def to_json(self) -> dict[str, Any]:
        """Return plain values for `--json`."""
        return asdict(self) | {"exit_code": self.exit_code}


@dataclass(frozen=True, slots=True)
class UnreadFile:
    """A file that a source names but that cannot be read, and why."""

    path: Path
    error: FileError


@dataclass(frozen=True, slots=True)
class SourceFiles:
    """The files to index with the metadata of each, those that cannot be read, and notes for the report.

    It is what `DocumentSource.read` of a plugin returns.
    """

    records: Mapping[Path, Metadata] = field(default_factory=dict)
    unread: tuple[UnreadFile, ...] = ()
    notes: tuple[str, ...] = ()

    def added_to(self, report: IndexReport) -> IndexReport:
        """Return the report of a run over these files, with the unread files and the notes added."""
        failures = (failed_file(one.path, one.error) for one in self.unread)
        return replace(report, files=(*report.files, *failures), notes=(*report.notes, *self.notes))
