"""The queue of files to be read into collections: a thread reads them in small batches.

Several files are read at once, but a batch is small, so that the next owner does not wait for hundreds of files, and
so that stopping one file costs little. Owners see their own files only. Independent of Gradio and of parsing.
"""

from __future__ import annotations

import itertools
import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from indexing import FileReport, IndexingError, IndexReport, Progress
from ui.access import acting_as
from ui.show import public_words
from ui.web.uploads.files import AcceptedFile
from ui.web.uploads.item import QueuedFile, State, next_batch, note_of

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
_LOG = logging.getLogger(__name__)


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
