"""The queue of files to be read into collections, in small batches, and its folder, which a restart clears.

Several files are read at once, but a batch is small, so that the next owner does not wait for hundreds of files, and
so that stopping one file costs little. Owners see their own files only. Independent of Gradio and of parsing.
"""

from __future__ import annotations

import itertools
import logging
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from filelock import FileLock, Timeout

from indexing import Failure, FileReport, IndexingError, IndexReport, Progress
from ui.access import Actor, acting_as, present_actor
from ui.show import count_of, public_words
from ui.web.uploads.files import AcceptedFile

_FILES, _LOCK = "files", "lock"
_PRIVATE = 0o700
_LOG = logging.getLogger(__name__)


class WaitingFolder:
    """The folder `files` of a queue; `left` are the names of files that an earlier server had not read.

    `keeps` is True if the files stay when it is closed. If another server uses the folder, or none is given, it is a
    temporary one, which is deleted then.
    """

    def __init__(self, folder: Path | None = None) -> None:
        """Lock `folder`, which is created if absent, and delete the files left in it."""
        self._temporary: tempfile.TemporaryDirectory[str] | None = None
        self._lock = _acquire_lock(folder) if folder is not None else None
        if folder is None or self._lock is None:
            self._temporary = tempfile.TemporaryDirectory(prefix="vouch-reading-")
            folder = Path(self._temporary.name)
        self.files = folder.resolve() / _FILES
        self.left = tuple(sorted(path.name for path in self.files.rglob("*") if path.is_file()))
        for entry in folder.resolve().iterdir():
            if entry.is_dir() and not entry.is_symlink():
                shutil.rmtree(entry, ignore_errors=True)
        self.files.mkdir(mode=_PRIVATE, exist_ok=True)

    @property
    def keeps(self) -> bool:
        """True if files stay when this server ends."""
        return self._lock is not None

    def close(self) -> None:
        """Delete a temporary folder; unlock the given one."""
        if self._temporary is not None:
            self._temporary.cleanup()
        if self._lock is not None:
            self._lock.release()


def _acquire_lock(folder: Path) -> FileLock | None:
    """Acquire the lock of a folder; None if another server holds it, or the folder is not writable."""
    try:
        folder.mkdir(mode=_PRIVATE, parents=True, exist_ok=True)
        lock = FileLock(folder / _LOCK, timeout=0, mode=0o600)
        lock.acquire()
    except Timeout:
        return None
    except OSError as error:
        _LOG.warning("files that wait end with this server: %s", error.strerror)
        return None
    return lock


State = Literal["waiting", "reading", "done", "failed", "cancelled"]
BATCH_FILES = 8
BATCH_BYTES = 64 * 1024 * 1024
_SHOWN_FAILURES = 3
_COPIES = {
    "locked": "stays locked: its pages are shown until Vouch stops; after that, Unlock asks for the password again",
    "decrypted": "stored without its password",
    "exchanged": "its stored copy differed from this file and was replaced",
}


@dataclass(frozen=True, slots=True)
class QueuedFile:
    """A queued file: `page` of `pages` are read (0: not known yet), `note` is its outcome.

    `path` is None if nothing is left to read. `ended` is a monotonic time, 0 before. An upload is identified by its
    name and the uploader's `account` ("" for none), another file by its path; `by` is its uploader in the audit log.
    """

    id: str
    owner: str
    collection: str
    name: str
    size: int
    path: Path | None
    state: State = "waiting"
    note: str = ""
    page: int = 0
    pages: int = 0
    password: str | None = field(default=None, repr=False)
    ended: float = 0.0
    uploaded: bool = True
    account: str = ""
    by: Actor | None = field(default_factory=present_actor, repr=False, compare=False)

    @property
    def batch_key(self) -> tuple[str, str | None, bool, str, Actor | None]:
        """The key of a batch: only files with the same key are read together."""
        return self.collection, self.password, self.uploaded, self.account, self.by

    @property
    def can_retry(self) -> bool:
        """True if reading can be tried again."""
        return self.state in ("failed", "cancelled") and self.path is not None

    @property
    def open(self) -> bool:
        """True while it is to be read, or being read."""
        return self.state in ("waiting", "reading")


def next_batch(items: Iterable[QueuedFile], last_owner: str) -> tuple[QueuedFile, ...]:
    """Return the files to read next: of one owner, with one `batch_key`, few enough to be done soon; () for none.

    Owners take turns: `last_owner`, whose files were read last, comes last.
    """
    waiting = [item for item in items if item.state == "waiting"]
    if not waiting:
        return ()
    owners = list(dict.fromkeys(item.owner for item in waiting))
    after = owners.index(last_owner) + 1 if last_owner in owners else 0
    own = [item for item in waiting if item.owner == owners[after % len(owners)]]
    alike = [i for i in own if i.batch_key == own[0].batch_key][:BATCH_FILES]
    sizes = itertools.accumulate(item.size for item in alike)
    return tuple(
        item for n, (item, total) in enumerate(zip(alike, sizes, strict=True)) if not n or total <= BATCH_BYTES
    )


def note_of(file: FileReport) -> str:
    """Return the outcome of a file as text: `7 pages, 64 parts` and its first failures."""
    note = f"was already there, as {file.other_name}" if file.other_name else "was already there"
    notes = {"replaced": "replaced the earlier version", "skipped": note, "renamed": f"was {file.other_name} before"}
    parts = [notes.get(file.status, "")]
    if file.status in ("indexed", "replaced"):
        parts.insert(0, f"{count_of(file.pages, 'page')}, {count_of(file.elements, 'part')}")
        parts += [f"{count_of(file.hidden, 'word')} left out, since no page shows it"] if file.hidden else []
    parts += [_COPIES[file.copy]] if file.copy else []
    parts += [_failure_text(f, file) for f in file.failures[:_SHOWN_FAILURES]]
    if len(file.failures) > _SHOWN_FAILURES:
        parts.append(f"and {len(file.failures) - _SHOWN_FAILURES} pages more")
    return "; ".join(part for part in parts if part)


def _failure_text(failure: Failure, file: FileReport) -> str:
    """Return a failure's message for the page: without the file's name, and without advice for the command line."""
    if failure.error == "EncryptedFile":
        return "locked: enter the right password above, then try again"
    text = file.reason(failure)
    return f"page {failure.page}: {text}" if failure.page is not None else text


Reader = Callable[
    [str, Sequence[Path], str | None, bool, str, Callable[[Progress], None], threading.Event], IndexReport
]
"""A function that reads files into a collection. It takes the name of the collection, the paths, the password of locked
files, whether documents are identified by name (else by path), the account ("" for none), a callback for progress, and
an event that cancels.
"""

GATHER_SECONDS = 0.25
MOST_KEPT = 300
"""The most finished files of one owner that the queue remembers, the newest."""
KEPT_SECONDS = 3600.0
"""The seconds for which a failed file can be tried again; then it is deleted."""
_UNEXPECTED = "something unexpected went wrong; the server's terminal says more. Try again"


class UploadQueue:
    """The queue of one running page. Every method may be called from any thread."""

    def __init__(
        self,
        read: Reader,
        release: Callable[[Path], None],
        clock: Callable[[], float] = time.monotonic,
        *,
        keeps: bool = False,
    ) -> None:
        """Keep the parts; `release` deletes a file that is not needed any more, if it is an upload.

        With `keeps`, closing the queue does not delete the unread files.
        """
        self._read = read
        self._release = release
        self._keeps = keeps
        self._clock = clock
        self._items: dict[str, QueuedFile] = {}
        self._changed = threading.Condition()
        self._ids = itertools.count(time.time_ns())  # no file of an earlier server has the same
        self._thread: threading.Thread | None = None
        self._stop = threading.Event()
        self._moment = threading.Event()
        self._batch: tuple[str, ...] = ()
        self._unwanted_ids: set[str] = set()
        self._last_owner = ""
        self._closed = False

    def add(
        self,
        owner: str,
        collection: str,
        files: Sequence[AcceptedFile],
        password: str | None = None,
        *,
        uploaded: bool = True,
        account: str = "",
    ) -> tuple[QueuedFile, ...]:
        """Queue files, and return them; one without a path is only listed, with its note. `account`: "" for none."""
        with self._changed:
            self._forget_old()
            items = []
            for file in files:
                number = str(next(self._ids))
                item = QueuedFile(
                    number, owner, collection, file.name, file.size, file.path, uploaded=uploaded, account=account
                )
                if file.path is None:
                    over: State = "done" if file.archive else "failed"
                    item = replace(item, state=over, note=file.note, ended=self._clock())
                else:
                    item = replace(item, password=password)
                self._replace_item(item)
                items.append(item)
            self._start()
        return tuple(items)

    def items(self, owner: str) -> tuple[QueuedFile, ...]:
        """Return an owner's files, in the order in which they were added."""
        with self._changed:
            return tuple(item for item in self._items.values() if item.owner == owner)

    def waiting(self, owner: str | None) -> tuple[int, int]:
        """Return the number of an owner's files that still exist (unread, or failed), and their bytes; None: of all."""
        with self._changed:
            items = [item for item in self._items.values() if owner in (None, item.owner)]
        files = [item for item in items if item.path is not None]
        return len(files), sum(item.size for item in files)

    def bytes_to_read(self, collection: str | None = None, account: str | None = None) -> int:
        """Return the bytes of the unread files, if given only of a collection or of an account."""
        with self._changed:
            return sum(
                item.size
                for item in self._items.values()
                if item.open and collection in (None, item.collection) and account in (None, item.account)
            )

    def follow(self, owner: str) -> Iterator[tuple[QueuedFile, ...]]:
        """Yield an owner's files now and after changes, at most every GATHER_SECONDS, until all are read."""
        last_items: tuple[QueuedFile, ...] | None = None
        while True:
            with self._changed:
                while self.items(owner) == last_items and not self._closed:
                    self._changed.wait()
                last_items = self.items(owner)
            yield last_items
            if self._closed or not any(item.open for item in last_items):
                return
            self._moment.wait(GATHER_SECONDS)

    def cancel(self, owner: str, item_id: str) -> None:
        """Cancel an owner's unread file, or stop the batch in which it is being read."""
        with self._changed:
            item = self._owned_item(owner, item_id)
            if item is None or not item.open:
                return
            if item.id in self._batch:
                self._unwanted_ids.add(item.id)
                self._stop.set()
                self._replace_item(replace(item, note="stopping"))
            else:
                self._end(item, "cancelled", "not read")

    def cancel_all(self, owner: str) -> None:
        """Cancel all of an owner's unread files."""
        for item in self.items(owner):
            self.cancel(owner, item.id)

    def retry(self, owner: str, item_id: str, password: str | None = None) -> None:
        """Queue a failed or cancelled file again, with a password if it needs one."""
        with self._changed:
            item = self._owned_item(owner, item_id)
            if item is not None and item.can_retry:
                secret = password or item.password
                # To the end of the queue, as others have waited longer, and under a new id: the batch in which it
                # failed may still run, and its reports are those of the first try.
                del self._items[item.id]
                number = str(next(self._ids))
                item = replace(item, id=number, state="waiting", note="", page=0, pages=0, ended=0.0, password=secret)
                self._replace_item(item)
                self._start()

    def forget(self, owner: str, item_id: str) -> None:
        """Forget one finished file of an owner; if it failed or was cancelled, the file is deleted."""
        with self._changed:
            item = self._owned_item(owner, item_id)
            if item is not None and not item.open:
                self._drop(item)

    def clear(self, owner: str) -> None:
        """Forget an owner's finished files; those that failed or were cancelled are deleted."""
        with self._changed:
            for item in self.items(owner):
                if not item.open:
                    self._drop(item)

    def sweep(self) -> None:
        """Delete failed files that were not tried again in time, and forget the oldest finished ones."""
        with self._changed:
            self._forget_old()

    def close(self) -> None:
        """Stop reading, and forget all files. Complete documents stay in their collections.

        Files are deleted, except, if the queue `keeps`, unread ones: the next server reports these.
        """
        with self._changed:
            self._closed = True
            self._stop.set()
            self._moment.set()
            self._changed.notify_all()
            thread = self._thread
        if thread is not None:
            thread.join(timeout=20)
        with self._changed:
            for item in list(self._items.values()):
                if item.open and self._keeps:
                    del self._items[item.id]
                else:
                    self._drop(item)

    # ---- the thread that reads

    def _start(self) -> None:
        if self._thread is None and not self._closed:
            self._thread = threading.Thread(target=self._work, name="reading", daemon=True)
            self._thread.start()

    def _work(self) -> None:
        while True:
            with self._changed:
                batch = () if self._closed else next_batch(self._items.values(), self._last_owner)
                self._batch = tuple(item.id for item in batch)
                self._last_owner = batch[0].owner if batch else ""
                self._unwanted_ids.clear()
                self._stop.clear()
                if not batch:
                    self._thread = None
                    return
            self._read_batch(batch)

    def _read_batch(self, batch: Sequence[QueuedFile]) -> None:
        """Read a batch; afterwards each file has ended, or waits again because another one was stopped."""
        first = batch[0]
        by_path = {str(item.path): item.id for item in batch}
        paths = [item.path for item in batch if item.path is not None]

        def on_progress(progress: Progress) -> None:
            self._take_progress(by_path, progress)

        try:
            with acting_as(first.by):
                report = self._read(
                    first.collection, paths, first.password, first.uploaded, first.account, on_progress, self._stop
                )
            for file in report.files:
                self._take_report(by_path.get(file.path), file)
            trouble = "" if report.cancelled else "was not read; try again"
        except (IndexingError, OSError) as error:
            trouble = public_words(error)
        except Exception:  # noqa: BLE001 - the boundary of the process: logged; the page shows no traceback
            _LOG.exception("reading failed")
            trouble = _UNEXPECTED
        self._settle(batch, trouble)

    def _settle(self, batch: Sequence[QueuedFile], trouble: str) -> None:
        """Set the outcome of the files of a batch that have no report: cancelled, failed (`trouble`), or waiting."""
        with self._changed:
            for item_id in (item.id for item in batch):
                item = self._items.get(item_id)
                if item is None or not item.open:
                    continue
                if item_id in self._unwanted_ids:
                    self._end(item, "cancelled", "stopped; nothing was kept")
                elif trouble and not self._closed:
                    self._end(item, "failed", trouble)
                else:
                    self._replace_item(replace(item, state="waiting", page=0, pages=0, note=""))
            self._batch = ()

    def _take_progress(self, by_path: dict[str, str], progress: Progress) -> None:
        """Update a file's page numbers; set the outcome of a failed file at once, of others by the final report."""
        file = progress.report
        if file is not None:
            if file.status == "failed":
                self._take_report(by_path.get(progress.path), file)
            return
        with self._changed:
            item = self._items.get(by_path.get(progress.path, ""))
            if item is not None and item.open:
                self._replace_item(replace(item, state="reading", page=progress.page, pages=progress.pages))

    def _take_report(self, item_id: str | None, file: FileReport) -> None:
        """Set the outcome of a file by its report."""
        with self._changed:
            item = self._items.get(item_id or "")
            if item is None or not item.open:
                return
            state: State = "failed" if file.status == "failed" else "done"
            self._end(replace(item, page=file.pages, pages=max(item.pages, file.pages)), state, note_of(file))

    def _end(self, item: QueuedFile, state: State, note: str) -> None:
        path = item.path
        if state == "done" and path is not None:
            self._release(path)
            path = None
        self._replace_item(replace(item, state=state, note=note, path=path, ended=self._clock()))

    def _replace_item(self, item: QueuedFile) -> None:
        """Replace an item by its new state; every change goes through here, with the lock held."""
        self._items[item.id] = item
        self._changed.notify_all()

    def _owned_item(self, owner: str, item_id: str) -> QueuedFile | None:
        item = self._items.get(item_id)
        return item if item is not None and item.owner == owner else None

    def _drop(self, item: QueuedFile) -> None:
        del self._items[item.id]
        self._changed.notify_all()
        if item.path is not None:
            self._release(item.path)

    def _forget_old(self) -> None:
        """Delete failed files that were not tried again in time, and forget all but each owner's newest files."""
        ended_items = [item for item in self._items.values() if item.ended]
        late = self._clock() - KEPT_SECONDS
        owners = {item.owner for item in ended_items}
        kept_ids = {i.id for owner in owners for i in [e for e in ended_items if e.owner == owner][-MOST_KEPT:]}
        for item in ended_items:
            if item.id not in kept_ids or (item.ended < late and item.path is not None):
                self._drop(item)
