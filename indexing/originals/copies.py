"""The copies of the indexed files: a page drawn, a document marked up, in processes that can be killed.

A locked document's copy is locked, too. The passwords that open it are kept in memory, never on disk.
"""

from __future__ import annotations

import mmap
import weakref
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from io import BytesIO
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, TypeVar

from indexing.conversion import PAGES_SUFFIX
from indexing.errors import DocumentMissing, EncryptedFile, FileError
from indexing.settings import IndexingSettings
from indexing.storage import StorageRoot, StoredFile, as_root
from indexing.store import key_of_copy
from indexing.types import Document, Element, LayerWord, Mark, MarkedPdf, Mismatch, Region

if TYPE_CHECKING:
    from PIL import Image

    from indexing.workers import Job, Workers

T = TypeVar("T")

LINES = 8
"""The lines that are looked at in one go: of a long table others need not wait for all of it."""
LOOKS = 8000
"""The comparisons of a line with its page that are kept, the oldest of which goes first."""


_Look = tuple[Path, tuple[int, int, int] | None, str | None, int, tuple[LayerWord, ...]]
"""A line that is looked at: the file that shows it and its stamp, the password, the page, and the words."""


class Originals:
    """The source copies of a collection, at `place`, each named by its sha256."""

    def __init__(self, place: StorageRoot | Path, settings: IndexingSettings) -> None:
        """Keep the place, and the settings that limit time and memory of drawing."""
        self.place = as_root(place)
        self._patient = False
        self._settings = settings
        self._own = False
        self._release: Callable[[], object] = _nothing
        self.processes = 1
        self._passwords: list[str] = []
        self._opened_by: dict[str, str] = {}
        self._seen: dict[_Look, tuple[Mismatch, ...]] = {}
        self._lock = Lock()

    def path(self, document: Document) -> Path:
        """Return the copy of a document's file. Raises DocumentMissing where it is gone."""
        return self.place.local_copy(self._found(document))

    def _found(self, document: Document) -> StoredFile:
        found = self._copy(document)
        if found is None:
            raise DocumentMissing(f"the copy of {document.name} is missing from {self.place}: index it again")
        return found

    def _copy(self, document: Document) -> StoredFile | None:
        """Return the copy by the name that it has or, where the document's file is called otherwise now, had."""
        named = self.place.find(key_of_copy(document))
        found = [named] if named else self.place.files(f"{document.sha256}.")
        return next((file for file in found if not file.key.endswith((PAGES_SUFFIX, ".part"))), None)

    def pages(self, document: Document) -> Path | None:
        """Return the PDF that shows the pages of a document whose file has none of its own; None for others."""
        found = self.place.find(f"{document.sha256}{PAGES_SUFFIX}")
        return self.place.local_copy(found) if found else None

    def differs(self, document: Document) -> bool:
        """Return True where the copy of a document is not as long as its file was: a decrypted one is not."""
        return self._found(document).size != document.size

    def draw(self, document: Document, page: int, width: int) -> Image.Image:
        """Return the displayed page in RGB, `width` pixels wide.

        Raises DocumentMissing, EncryptedFile without its password, or the FileError that drawing ran into.
        """
        from PIL import Image

        self._check_page(document, page)
        png = self._unlocked(document, lambda job: self.workers.draw(job, page, width))
        return Image.open(BytesIO(png)).convert("RGB")

    def shown_stamp(self, document: Document) -> str:
        """Return what tells the file that shows a document's pages from another in its place. Raises DocumentMissing.

        That is its e-tag on an object store, and in a folder its size and the time at which it was written.
        """
        shown = self.place.find(f"{document.sha256}{PAGES_SUFFIX}") or self._found(document)
        return shown.tag or f"{shown.size} {self.place.local_copy(shown).stat().st_mtime_ns}"

    def compare(
        self, document: Document, page: int, lines: Sequence[Sequence[LayerWord]]
    ) -> tuple[tuple[Mismatch, ...], ...]:
        """Return, of each line, the words that a page shows otherwise, as OCR reads it. Raises as `draw` does."""
        self._check_page(document, page)
        some = [lines[n : n + LINES] for n in range(0, len(lines), LINES)]
        return self._unlocked(document, lambda job: tuple(m for own in some for m in self._compared(job, page, own)))

    def _compared(self, job: Job, page: int, lines: Sequence[Sequence[LayerWord]]) -> list[tuple[Mismatch, ...]]:
        """Look at lines, which takes tenths of a second, once each, while the file stays the same."""
        from indexing.workers import stamp_of

        shown = job.pages or job.path
        looks = [(shown, stamp_of(shown), job.password, page, tuple(line)) for line in lines]
        with self._lock:
            seen = {look: self._seen[look] for look in looks if look in self._seen}
        new = [look for look in dict.fromkeys(looks) if look not in seen]
        if new:
            found = dict(zip(new, self.workers.compare(job, page, [look[-1] for look in new]), strict=True))
            seen |= found
            with self._lock:
                self._seen |= found
                while len(self._seen) > LOOKS:
                    del self._seen[next(iter(self._seen))]
        return [seen[look] for look in looks]

    def see(self, document: Document, page: int, elements: Sequence[Element]) -> tuple[Region, ...]:
        """Return the paragraphs that a page, which has `elements`, shows. Raises as `draw` does."""
        self._check_page(document, page)
        return self._unlocked(document, lambda job: self.workers.see(job, page, elements))

    def by_processes(self, processes: int, *, patient: bool) -> Originals:
        """Return the same copies, with the passwords known now, drawn by so many processes of their own.

        Those that are `patient` stand back for all others.
        """
        twin = Originals(self.place, self._settings)
        twin._own, twin._patient, twin.processes = True, patient, processes
        twin._passwords, twin._opened_by = list(self._passwords), dict(self._opened_by)
        return twin

    def prepare(self, processes: int = 1) -> None:
        """Start what draws and compares, and have it load what it needs, without waiting for it.

        That is one process, or as many as are asked for before there is one, at most `drawing_workers`.
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
            return self._unlocked(document, lambda job: workers.annotate(job, tuple(marks)))

    def take_password(self, password: str) -> None:
        """Keep a password in memory, to be tried on locked documents until this object is gone."""
        if password not in self._passwords:
            self._passwords.append(password)

    def unlock(self, documents: Iterable[Document], password: str) -> list[Document]:
        """Keep a password in memory if it opens any of those documents that are still locked; return these."""
        from indexing.workers import Job, result_of

        opened: list[Document] = []
        for document in documents:
            copy = self._copy(document)
            if copy is None or document.sha256 in self._opened_by:
                continue
            path = self.place.local_copy(copy)
            if not _may_be_locked(path):
                continue
            try:
                pending = self.workers.open(Job(path, password, self._settings))
                found = result_of(pending, f"{document.name}: opening", "open_seconds", self._settings)
            except FileError:
                continue
            if found.locked:
                self._opened_by[document.sha256] = password
                opened.append(document)
        if opened:
            self.take_password(password)
        return opened

    def _unlocked(self, document: Document, task: Callable[[Job], T]) -> T:
        """Do a task with the copy of a document, by the password that opens it where it has one."""
        from indexing.workers import Job

        path, pages = self.path(document), self.pages(document)
        known = self._opened_by.get(document.sha256)
        for password in (known, *self._passwords):
            try:
                done = task(Job(path, password, self._settings, pages))
            except EncryptedFile:
                continue
            if password is not None:
                self._opened_by[document.sha256] = password
            return done
        raise EncryptedFile(
            f"{document.name} is locked, and its password is no longer known: enter it again, on the page "
            "with Unlock under Collections, on the command line with VOUCH_PASSWORD, --password-fd N or "
            "--password -"
        )

    def close(self) -> None:
        """End what draws pages, if it was started, unless other collections use it."""
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

        if self._own:
            workers = Workers(self.processes, self._settings, patient=self._patient)
            self._release = workers.stop
            weakref.finalize(self, workers.stop_from_finalizer)
            return workers
        lease = PoolLease(self._settings, self.processes)
        self._release = lease.end
        weakref.finalize(self, lease.end, in_finalizer=True)
        return lease.workers


def _nothing() -> None:
    """Release nothing, as nothing is held."""


def _may_be_locked(path: Path) -> bool:
    """Return False for a file that surely needs no password: it is no PDF, or never says how it is encrypted."""
    if path.suffix.lower() != ".pdf" or not path.stat().st_size:
        return False
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        return content.find(b"/Encrypt") >= 0
