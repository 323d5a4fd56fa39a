"""Keep copies of the indexed files: draw and annotate their pages, verify text against them.

Verified lines are stored for whole pages (`indexing.deferred_reading`), as one bit a line, without any word of a
document. They are invalid if the file of the page or its lines have changed.

The copy of a locked document is locked, too. Passwords are kept in memory, never on disk.
"""

from __future__ import annotations

import mmap
import sqlite3
import threading
import weakref
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from hashlib import blake2b
from io import BytesIO
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from indexing.conversion import PAGES_SUFFIX
from indexing.errors import DocumentMissing, EncryptedFile, FileError
from indexing.settings import IndexingSettings
from indexing.storage import FolderRoot, StoredFile, as_root
from indexing.store import key_of_copy
from indexing.types import (
    SILENT_KINDS,
    BBox,
    Document,
    Element,
    LayerWord,
    Mark,
    MarkedPdf,
    Mismatch,
    Region,
    layer_lines,
)

if TYPE_CHECKING:
    from PIL import Image

    from indexing.workers import Job, Workers


LOOK = 2
"""The version of the comparison: results of an earlier one are not used."""
_FILE = "agreed.sqlite"
_SCHEMA = """
CREATE TABLE IF NOT EXISTS agreed (
  sha256 TEXT NOT NULL, page INTEGER NOT NULL, look INTEGER NOT NULL, digest BLOB NOT NULL, bits BLOB NOT NULL,
  PRIMARY KEY (sha256, page)) WITHOUT ROWID;
"""
_WHOLE = (BBox(0.0, 0.0, 1.0, 1.0),)

Line = tuple[LayerWord, ...]


def lines_of(elements: Iterable[Element]) -> tuple[Line, ...]:
    """Return the lines of a page that can be quoted: not those of headers, footers and the labels of pictures."""
    return layer_lines((e for e in elements if e.kind not in (*SILENT_KINDS, "picture")), _WHOLE)


class AgreedLines:
    """The verified lines of a collection. Safe for any thread, and for several processes.

    If its file cannot be read or written, lines are just compared again.
    """

    def __init__(self, folder: Path) -> None:
        """Keep the folder of the file, which is created when the first page is stored."""
        self._path = folder / _FILE
        self._lock = threading.Lock()
        self._rows: sqlite3.Connection | None = None

    def of(self, document: Document, stamp: str, page: int, lines: Sequence[Line]) -> tuple[Line, ...] | None:
        """Return those of the `lines` of a page (`lines_of`) that are verified; None if they were not compared yet.

        `stamp` is the `Originals.page_stamp` of the document.
        """
        if not self._path.is_file():
            return None
        query = "SELECT bits FROM agreed WHERE sha256 = ? AND page = ? AND look = ? AND digest = ?"
        try:
            with self._lock:
                row = self._open().execute(query, (document.sha256, page, LOOK, _digest(stamp, lines))).fetchone()
        except (sqlite3.Error, OSError):
            self.close()
            return None
        if row is None:
            return None
        bits = np.unpackbits(np.frombuffer(row[0], np.uint8), count=len(lines))
        return tuple(line for line, agrees in zip(lines, bits.tolist(), strict=True) if agrees)

    def keep(self, document: Document, stamp: str, page: int, lines: Sequence[Line], agree: Sequence[bool]) -> bool:
        """Store which `lines` of a page agree with its pixels; return False if that cannot be written (a full disk)."""
        bits = np.packbits(np.array(agree, bool)).tobytes()
        row = (document.sha256, page, LOOK, _digest(stamp, lines), bits)
        try:
            with self._lock, self._open() as rows:
                rows.execute("INSERT OR REPLACE INTO agreed VALUES (?, ?, ?, ?, ?)", row)
        except (sqlite3.Error, OSError):
            self.close()
            return False
        return True

    def forget_others(self, documents: Iterable[Document]) -> None:
        """Delete the lines of all documents but these."""
        if not self._path.is_file():
            return
        try:
            with self._lock, self._open() as rows:
                stored_hashes = {row[0] for row in rows.execute("SELECT DISTINCT sha256 FROM agreed")}
                obsolete = stored_hashes.difference(document.sha256 for document in documents)
                rows.executemany("DELETE FROM agreed WHERE sha256 = ?", [(sha256,) for sha256 in obsolete])
        except (sqlite3.Error, OSError):
            self.close()

    def close(self) -> None:
        """Close the file; the next call opens it again."""
        with self._lock:
            if self._rows is not None:
                self._rows.close()
            self._rows = None

    def _open(self) -> sqlite3.Connection:
        if self._rows is None:
            if not self._path.is_file():  # an existing one can be on a read-only disk
                self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                self._path.touch(mode=0o600)
            self._rows = sqlite3.connect(self._path, check_same_thread=False, timeout=20)
            weakref.finalize(self, self._rows.close)
            self._rows.executescript(_SCHEMA)
        return self._rows


def remaining_lines(lines: Sequence[Line], agreed_lines: Sequence[Line]) -> tuple[Line, ...]:
    """Return the lines that are not a part, some consecutive words, of a verified line."""
    starts: dict[LayerWord, list[tuple[Line, int]]] = {}
    for line in agreed_lines:
        for at, word in enumerate(line):
            starts.setdefault(word, []).append((line, at))
    return tuple(
        line for line in lines if not any(other[at : at + len(line)] == line for other, at in starts.get(line[0], ()))
    )


def _digest(stamp: str, lines: Sequence[Line]) -> bytes:
    """Return a hash of the stamp of a page's file and of its words with their boxes."""
    digest = blake2b(stamp.encode(), digest_size=16)
    for line in lines:
        digest.update(b"\n")
        for word in line:
            digest.update(word.text.encode("utf-8", "replace") + b"\0")
            digest.update(np.array(word.bbox.as_tuple(), np.float64).tobytes())
    return digest.digest()


T = TypeVar("T")

LINES = 8
"""The number of lines that are compared at a time, so that others need not wait for a long table."""
LOOKS = 8000
"""The number of cached comparisons of a line with its page; the oldest are evicted first."""


_Look = tuple[Path, tuple[int, int, int] | None, str | None, int, tuple[LayerWord, ...]]
"""The key of a comparison: the file that shows the line and its stamp, the password, the page, and the words."""


class Originals:
    """The source copies of a collection, at `place`, each named by its sha256."""

    def __init__(self, place: FolderRoot | Path, settings: IndexingSettings) -> None:
        """Keep the place, and the settings that limit time and memory of drawing."""
        self.place = as_root(place)
        self._patient = False
        self._settings = settings
        self._has_own_workers = False
        self._release: Callable[[], object] = _release_nothing
        self.processes = 1
        self._passwords: list[str] = []
        self._password_by_hash: dict[str, str] = {}
        self._mismatches: dict[_Look, tuple[Mismatch, ...]] = {}
        self._lock = Lock()

    def path(self, document: Document) -> Path:
        """Return the path of the copy of a document's file. Raises DocumentMissing."""
        return self.place.local_copy(self._require_copy(document))

    def _require_copy(self, document: Document) -> StoredFile:
        copy = self._copy(document)
        if copy is None:
            raise DocumentMissing(f"the copy of {document.name} is missing from {self.place}: index it again")
        return copy

    def _copy(self, document: Document) -> StoredFile | None:
        """Return the copy by the document's current name, else by its hash, as the file can have been renamed."""
        exact = self.place.find(key_of_copy(document))
        candidates = [exact] if exact else self.place.files(f"{document.sha256}.")
        return next((file for file in candidates if not file.key.endswith((PAGES_SUFFIX, ".part"))), None)

    def pages(self, document: Document) -> Path | None:
        """Return the path of the PDF of a document's rendition, or None."""
        rendition = self.place.find(f"{document.sha256}{PAGES_SUFFIX}")
        return self.place.local_copy(rendition) if rendition else None

    def differs(self, document: Document) -> bool:
        """Return True if the copy of a document differs in size from its file, as a decrypted one does."""
        return self._require_copy(document).size != document.size

    def draw(self, document: Document, page: int, width: int) -> Image.Image:
        """Return the displayed page in RGB, `width` pixels wide.

        Raises DocumentMissing, EncryptedFile without its password, or the FileError that drawing ran into.
        """
        from PIL import Image

        self._check_page(document, page)
        png = self._with_password(document, lambda job: self.workers.draw(job, page, width))
        return Image.open(BytesIO(png)).convert("RGB")

    def page_stamp(self, document: Document) -> str:
        """Return size and time of the copy or rendition of a document, to notice a change. Raises DocumentMissing."""
        file = self.place.find(f"{document.sha256}{PAGES_SUFFIX}") or self._require_copy(document)
        return f"{file.size} {self.place.local_copy(file).stat().st_mtime_ns}"

    def compare(
        self, document: Document, page: int, lines: Sequence[Sequence[LayerWord]]
    ) -> tuple[tuple[Mismatch, ...], ...]:
        """Return, for each line, the words that OCR reads differently on the page. Raises as `draw` does."""
        self._check_page(document, page)
        groups = [lines[n : n + LINES] for n in range(0, len(lines), LINES)]
        return self._with_password(
            document, lambda job: tuple(m for group in groups for m in self._compare_lines(job, page, group))
        )

    def _compare_lines(self, job: Job, page: int, lines: Sequence[Sequence[LayerWord]]) -> list[tuple[Mismatch, ...]]:
        """Compare lines with their page, which takes tenths of a second each; cache the results."""
        from indexing.workers import stamp_of

        file = job.pages or job.path
        keys = [(file, stamp_of(file), job.password, page, tuple(line)) for line in lines]
        with self._lock:
            results = {key: self._mismatches[key] for key in keys if key in self._mismatches}
        new = [key for key in dict.fromkeys(keys) if key not in results]
        if new:
            fresh = dict(zip(new, self.workers.compare(job, page, [key[-1] for key in new]), strict=True))
            results |= fresh
            with self._lock:
                self._mismatches |= fresh
                while len(self._mismatches) > LOOKS:
                    del self._mismatches[next(iter(self._mismatches))]
        return [results[key] for key in keys]

    def see(self, document: Document, page: int, elements: Sequence[Element]) -> tuple[Region, ...]:
        """Return the regions of a page with `elements`: the paragraphs that OCR reads on it. Raises as `draw` does."""
        self._check_page(document, page)
        return self._with_password(document, lambda job: self.workers.see(job, page, elements))

    def by_processes(self, processes: int, *, patient: bool) -> Originals:
        """Return another `Originals` of the same copies and passwords, with as many worker processes of its own.

        `patient` processes run at the lowest priority.
        """
        twin = Originals(self.place, self._settings)
        twin._has_own_workers, twin._patient, twin.processes = True, patient, processes
        twin._passwords, twin._password_by_hash = list(self._passwords), dict(self._password_by_hash)
        return twin

    def prepare(self, processes: int = 1) -> None:
        """Start the workers that draw and compare, and let them load their models, without waiting for them.

        The first call sets the number of `processes`, at most `drawing_workers`.
        """
        if "workers" not in self.__dict__:
            self.processes = processes
        for _ in range(self.workers.count):
            self.workers.prepare()

    def annotate(self, document: Document, marks: Sequence[Mark]) -> MarkedPdf:
        """Return a document as a PDF with `marks` on its pages.

        That of a locked document is locked, too. Raises DocumentMissing, for a page too, EncryptedFile without its
        password, or the FileError that the worker ran into (time and memory are limited).
        """
        from indexing.workers import Workers

        for mark in marks:
            self._check_page(document, mark.page)
        with Workers(1, self._settings) as workers:
            return self._with_password(document, lambda job: workers.annotate(job, tuple(marks)))

    def take_password(self, password: str) -> None:
        """Keep a password in memory, to be tried on locked documents for the life of this object."""
        if password not in self._passwords:
            self._passwords.append(password)

    def unlock(self, documents: Iterable[Document], password: str) -> list[Document]:
        """Keep a password in memory if it opens any of those documents that are still locked; return these."""
        from indexing.workers import Job, result_of

        unlocked_documents: list[Document] = []
        for document in documents:
            copy = self._copy(document)
            if copy is None or document.sha256 in self._password_by_hash:
                continue
            path = self.place.local_copy(copy)
            if not _may_be_locked(path):
                continue
            try:
                pending = self.workers.open(Job(path, password, self._settings))
                opened_file = result_of(pending, f"{document.name}: opening", "open_seconds", self._settings)
            except FileError:
                continue
            if opened_file.locked:
                self._password_by_hash[document.sha256] = password
                unlocked_documents.append(document)
        if unlocked_documents:
            self.take_password(password)
        return unlocked_documents

    def _with_password(self, document: Document, task: Callable[[Job], T]) -> T:
        """Return the result of a task on the copy of a document, with the password that opens it, or EncryptedFile."""
        from indexing.workers import Job

        path, pages = self.path(document), self.pages(document)
        usual = self._password_by_hash.get(document.sha256)
        for password in (usual, *self._passwords):
            try:
                result = task(Job(path, password, self._settings, pages))
            except EncryptedFile:
                continue
            if password is not None:
                self._password_by_hash[document.sha256] = password
            return result
        raise EncryptedFile(
            f"{document.name} is locked, and its password is no longer known: enter it again, on the page "
            "with Unlock under Collections, on the command line with VOUCH_PASSWORD, --password-fd N or "
            "--password -"
        )

    def close(self) -> None:
        """Release the workers that draw pages, if they were started; other collections can still use them."""
        if self.__dict__.pop("workers", None) is not None:
            self._release()

    @staticmethod
    def _check_page(document: Document, page: int) -> None:
        if not 1 <= page <= document.n_pages:
            raise DocumentMissing(f"{document.name} has {document.n_pages} pages, there is no page {page}")

    @cached_property
    def workers(self) -> Workers:
        """The processes that draw and compare, started with the first task: those that all open collections share."""
        from indexing.workers import PoolLease, Workers

        if self._has_own_workers:
            workers = Workers(self.processes, self._settings, patient=self._patient)
            self._release = workers.stop
            weakref.finalize(self, workers.stop_from_finalizer)
            return workers
        lease = PoolLease(self._settings, self.processes)
        self._release = lease.end
        weakref.finalize(self, lease.end, in_finalizer=True)
        return lease.workers


def _release_nothing() -> None:
    """Release nothing, as no workers were started."""


def _may_be_locked(path: Path) -> bool:
    """Return False for a file that certainly needs no password: not a PDF, or one without encryption."""
    if path.suffix.lower() != ".pdf" or not path.stat().st_size:
        return False
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        return content.find(b"/Encrypt") >= 0
