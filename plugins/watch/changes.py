"""The changes between a folder and a collection: files that are new, changed, moved or gone, found by their content.

Nothing here writes. Changes are found by comparing states, not by events: a file was moved if its content is gone from
one path and is at another, whatever events the system reported.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from indexing import BadSidecar, Document, FileMissing, FileRecords, IndexingSettings, Metadata
from indexing.ingest import FoundFile, find_files, records_of, sha256_of

ChangeKind = Literal["new", "changed", "moved", "told", "returned", "missing", "removed"]
READ: tuple[ChangeKind, ...] = ("new", "changed", "moved", "told", "returned")
"""The kinds of changes after which a file is passed to `build_index`."""


@dataclass(frozen=True, slots=True)
class FolderChange:
    """A file of the folder that differs from the collection. `path` is its path, `former` the earlier one if it moved.

    `told`: its sidecars changed. `returned`: it was missing and is back. `missing` and `removed`: it is gone, and its
    document is to be marked as missing, or removed.
    """

    kind: ChangeKind
    path: Path
    doc_id: str = ""
    former: Path | None = None


@dataclass(frozen=True, slots=True)
class FolderState:
    """The result of one comparison: what has changed, and what has to wait.

    `unsettled` are files that may still be written, or gone for too short a time; `wait` is the time in seconds until
    the first of them may be settled. `unreadable` are files that cannot be accessed, `problems` those of sidecars.
    `emptied` is True if no file is left in a folder that had some: perhaps it is not mounted.
    """

    changes: tuple[FolderChange, ...]
    unsettled: tuple[Path, ...] = ()
    wait: float = 0.0
    unreadable: tuple[FoundFile, ...] = ()
    problems: tuple[BadSidecar, ...] = ()
    records: Mapping[Path, Metadata] = field(default_factory=dict)
    emptied: bool = False
    files: int = 0


_Stamp = tuple[int, int, int]
"""The state of a file by which a change is noticed: its size, and its times in nanoseconds."""


@dataclass(slots=True)
class FolderLook:
    """Compares a folder with a collection; states and hashes of files are cached between comparisons.

    A file is settled when its size and times were the same for `settle` seconds; a path is gone when no file was
    there for as long. With `prune` documents of files that are gone are removed, not marked.
    """

    root: Path
    settings: IndexingSettings
    settle: float = 2.0
    prune: bool = False
    tags: Sequence[str] = ()
    untagged: Sequence[str] = ()
    _stamps: dict[Path, tuple[_Stamp, float]] = field(default_factory=dict)
    _digests: dict[Path, tuple[_Stamp, str]] = field(default_factory=dict)
    _failures: dict[Path, _Stamp] = field(default_factory=dict)
    _gone_since: dict[Path, float] = field(default_factory=dict)

    def note_failure(self, path: Path) -> None:
        """Note that a file could not be read: it is tried again only after it has changed."""
        stamp = _stamp(path)
        if stamp is not None:
            self._failures[path] = stamp

    def check(self) -> None:
        """Raise FileMissing if the folder does not exist."""
        if not self.root.is_dir():
            raise FileMissing(f"{self.root}: is not an existing folder: check the path, or restore it")

    def state(self, documents: Sequence[Document]) -> FolderState:
        """Compare the folder with the documents of the collection.

        Raises FileMissing if the folder does not exist, TooLarge if it has too many files.
        """
        self.check()
        files = find_files([self.root], self.settings)
        readable = [item.path for item in files if item.error is None]
        records = records_of(readable, [self.root])
        stable, waits = self._split_settled(readable)
        digests = {path: digest for path in stable if (digest := self._digest(path))}
        file_records = FileRecords(records.records, tuple(self.tags), tuple(self.untagged))
        changes = list(_content_changes(digests, documents, file_records))
        former_paths = {change.former for change in changes}
        ours = [d for d in documents if d.path.startswith(f"{self.root}{os.sep}") and not d.metadata.parent]
        emptied = bool(ours) and not readable
        others = [d for d in ours if Path(d.path) not in former_paths]
        changes += self._removals(others, waits, prune=self.prune and not emptied)
        return FolderState(
            tuple(changes),
            tuple(waits),
            max(0.05, min(waits.values())) if waits else 0.0,
            tuple(item for item in files if item.error is not None),
            records.problems,
            records.records,
            emptied,
            len(readable),
        )

    def _split_settled(self, paths: Sequence[Path]) -> tuple[list[Path], dict[Path, float]]:
        """Return the files that are not being written, and the seconds that each of the others must wait."""
        now, clock = time.monotonic(), time.time()
        stable: list[Path] = []
        waits: dict[Path, float] = {}
        stamps: dict[Path, tuple[_Stamp, float]] = {}
        for path in paths:
            stamp = _stamp(path)
            if stamp is None:
                continue
            before = self._stamps.get(path)
            stamps[path] = before if before is not None and before[0] == stamp else (stamp, now)
            age = clock - max(stamp[1:]) / 1e9
            remaining = self.settle - max(now - stamps[path][1], age)
            if remaining > 0:
                waits[path] = remaining
            elif self._failures.get(path) != stamp:
                self._failures.pop(path, None)
                stable.append(path)
        self._stamps = stamps
        return stable, waits

    def _digest(self, path: Path) -> str:
        """Return the SHA-256 of a file, read again when it has changed; "" where it cannot be read."""
        stamp, entry = self._stamps[path][0], self._digests.get(path)
        if entry is not None and entry[0] == stamp:
            return entry[1]
        try:
            digest = sha256_of(path)
        except OSError:
            self._failures[path] = stamp
            return ""
        self._digests[path] = stamp, digest
        return digest

    def _removals(self, ours: Sequence[Document], waits: dict[Path, float], *, prune: bool) -> Iterator[FolderChange]:
        """Yield the documents whose files are gone; those gone for too short a time go into `waits`."""
        now = time.monotonic()
        since: dict[Path, float] = {}
        for document in ours:
            path = Path(document.path)
            if not _is_gone(path):
                continue
            since[path] = self._gone_since.get(path, now)
            if document.metadata.missing and not prune:
                continue
            remaining = self.settle - (now - since[path])
            if remaining > 0:
                waits[path] = remaining
            else:
                yield FolderChange("removed" if prune else "missing", path, document.id)
        self._gone_since = since


def _content_changes(
    digests: Mapping[Path, str],
    documents: Sequence[Document],
    records: FileRecords,
) -> Iterator[FolderChange]:
    """Yield settled files that are new, changed, moved, returned, or have other sidecars than before."""
    by_path = {Path(d.path): d for d in documents if d.brought_by is None}
    by_digest = {d.sha256: d for d in documents}
    used_digests: set[str] = set()
    for path, digest in digests.items():
        document, same = by_path.get(path), by_digest.get(digest)
        if document is not None and document.sha256 == digest:
            if document.metadata.missing:
                yield FolderChange("returned", path, document.id)
            elif records.complete_metadata(document.metadata, path) != document.metadata:
                yield FolderChange("told", path, document.id)
        elif same is None:
            if digest not in used_digests:  # of two copies one is read
                used_digests.add(digest)
                yield FolderChange("changed" if document else "new", path, document.id if document else "")
        elif same.brought_by is None and digest not in used_digests and _has_left(Path(same.path), digest, digests):
            used_digests.add(digest)
            yield FolderChange("moved", path, same.id, Path(same.path))
        elif document is not None:
            yield FolderChange("changed", path, document.id)


def _has_left(former: Path, digest: str, digests: Mapping[Path, str]) -> bool:
    """Return True if a content is no longer at its former path."""
    if former in digests:
        return digests[former] != digest
    return _is_gone(former)


def _is_gone(path: Path) -> bool:
    """Return True if there is certainly no file at a path; False if that is unknown, as without access."""
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return True
    except (OSError, ValueError):
        return False
    return False


def _stamp(path: Path) -> _Stamp | None:
    try:
        stat = path.stat()
    except (OSError, ValueError):
        return None
    return stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns
