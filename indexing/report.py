"""What a run of indexing did: progress while it runs, and the report at its end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

Status = Literal["indexed", "replaced", "skipped", "failed"]


@dataclass(frozen=True, slots=True)
class Progress:
    """A moment of a run: the file in hand (name only) and counts so far. `pages_total` grows as files are opened.

    `path` is that of the file in hand, of whose `pages` `page` are done; `report` what became of it, once known.
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
    """Pages done that an earlier run, which was stopped, had embedded."""

    @property
    def pages_per_second(self) -> float:
        """Pages parsed, embedded and stored per second since the start, without those that were embedded before."""
        return max(self.pages_done - self.reused, 0) / self.seconds if self.seconds > 0 else 0.0

    @property
    def seconds_left(self) -> float:
        """How long the pages of the files that are open will take; 0 before any is done."""
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
    """What became of one file. `hidden` words of its text layer were left out, as its pages do not show them."""

    path: str
    name: str
    status: Status
    pages: int = 0
    elements: int = 0
    seconds: float = 0.0
    doc_id: str = ""
    failures: tuple[Failure, ...] = ()
    hidden: int = 0

    def reason(self, failure: Failure) -> str:
        """The message of a failure of this file without the file and the page, for where they stand already."""
        said = failure.message.removeprefix(f"{self.path}: ").removeprefix(f"{self.name}: ")
        return said if failure.page is None else said.removeprefix(f"page {failure.page} ")


def kept_as_read(files: Sequence[FileReport], ocr: str | None) -> tuple[str, ...]:
    """That an OCR which was asked for (if one was) has no bearing on documents that were there before the run."""
    read = {f.doc_id for f in files if f.status in ("indexed", "replaced")}
    if ocr is None or all(f.status != "skipped" or f.doc_id in read for f in files):
        return ()
    return (f"what was there already stays as it was read: for ocr {ocr}, vouch remove it, then index it again",)


def unseen(files: Sequence[FileReport]) -> tuple[str, ...]:
    """Which files have words that no reader sees, a line each."""
    return tuple(
        f"{f.name}: {f.hidden} word{'s' * (f.hidden > 1)} in its text layer that its pages do not show: left out"
        for f in files
        if f.hidden and f.status in ("indexed", "replaced")
    )


@dataclass(frozen=True, slots=True)
class IndexReport:
    """What became of a run. `cancelled` is set when it was stopped before its end; `notes` are what else to know."""

    collection: str
    files: tuple[FileReport, ...]
    seconds: float
    cancelled: bool = False
    notes: tuple[str, ...] = ()

    @property
    def exit_code(self) -> int:
        """0 all well, 1 some files or pages failed, 2 nothing usable came out, 130 the run was stopped."""
        if self.cancelled:
            return 130
        if not any(f.status != "failed" for f in self.files):
            return 2
        return 1 if any(f.failures for f in self.files) else 0

    def to_json(self) -> dict[str, Any]:
        """Plain values for `--json`."""
        return asdict(self) | {"exit_code": self.exit_code}
