"""A collection that follows a folder: compare, update, wait for the next change, until it is stopped."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from indexing import Collection, CollectionLocked, FileMissing, Metadata
from indexing.ingest import FOLDER_SIDECAR, IndexReport, OnProgress, build_index, held_interrupt
from plugins.watch.changes import READ, ChangeKind, FolderChange, FolderLook, FolderState

MARKED: tuple[ChangeKind, ...] = ("missing", "removed", "returned", "moved")
"""The kinds of changes by which a document and its attachments are marked as missing, unmarked or removed."""
NoticeKind = Literal["change", "read", "problem", "current", "polling"]
LOOK_AGAIN = 300.0
"""The seconds after which the folder is compared although no event came: some systems lose events."""
LOCKED_AGAIN = 5.0
"""The seconds after which a collection that another process writes to is tried again."""
TICK = 1.0
"""The seconds between two checks of whether the folder was replaced, and between two polls."""
REST, MOST_REST = 4.0, 5.0
"""The pause after a comparison, as a multiple of its time and in seconds at most: a folder may change constantly."""
MOST_ROUNDS = 5
"""The most rounds of comparing and updating before new events are waited for."""
PATIENCE = 30.0
"""The seconds that a single run waits at least for files that are being written."""


@dataclass(frozen=True, slots=True)
class FolderNotice:
    """A line of the progress: a change that is about to be applied, the result of reading, or a problem.

    The text of `current` is the number of files, all up to date; that of `polling` is why the system cannot watch.
    """

    kind: NoticeKind
    text: str = ""
    change: FolderChange | None = None
    report: IndexReport | None = None


OnNotice = Callable[[FolderNotice], None]


@dataclass(slots=True)
class FolderFollower:
    """The following of one folder. `stop` ends it between two steps, and while pages are read."""

    collection: Collection
    look: FolderLook
    on_notice: OnNotice
    on_progress: OnProgress | None = None
    stop: threading.Event = field(default_factory=threading.Event)
    poll: bool = False
    password: str | None = field(default=None, repr=False)
    _reported_problems: set[str] = field(default_factory=set)
    _done: set[tuple[FolderChange, Metadata | None]] = field(default_factory=set)
    _is_current: bool = False

    def once(self) -> bool:
        """Bring the collection up to date and return True, or False where files were left or could not be read.

        Files that are being written are waited for, half a minute or ten times the time to settle. Raises the errors of
        `FolderLook.state`, such as FileMissing, and of `build_index`.
        """
        until = time.monotonic() + max(PATIENCE, 10 * self.look.settle)
        well = True
        with held_interrupt(self.stop):
            while True:
                state, readable = self._update()
                well = well and readable
                has_rest = bool(state.unsettled) and not self.stop.is_set()
                if not has_rest or time.monotonic() + state.wait > until:
                    break
                self._rest(state.wait)
        for path in state.unsettled if has_rest else ():
            self.on_notice(FolderNotice("problem", f"{path}: is still being written, and was not read yet"))
        self.on_notice(FolderNotice("current", str(state.files)))
        return well and not (has_rest or state.unreadable or state.problems)

    def follow(self) -> None:
        """Follow the folder until `stop` is set, or Ctrl-C, which lets the current step finish.

        A folder that goes away is waited for, and so is a collection that another process writes to.
        """
        with held_interrupt(self.stop):
            events = self._events()
            while not self.stop.is_set():
                start = time.monotonic()
                wait = self._look_once()
                if wait:
                    self._rest(wait)
                else:
                    self._rest(min(MOST_REST, REST * (time.monotonic() - start)))
                    next(events, None)

    def _look_once(self) -> float:
        """Bring up to date; return the seconds to wait, 0 to wait for the next file-system event."""
        try:
            state, _ = self._update()
        except CollectionLocked as error:
            self._report_problems({f"{error} (will be tried again)"})
            return LOCKED_AGAIN
        except FileMissing as error:
            self._report_problems({f"{error} (waiting for it)"})
            return max(1.0, self.look.settle)
        if not state.unsettled and not self._is_current:
            self._is_current = True
            self.on_notice(FolderNotice("current", str(state.files)))
        return state.wait

    def _rest(self, seconds: float) -> None:
        """Sleep until `stop` is set, at most so long; `stop.wait` could deadlock with the signal that sets it."""
        until = time.monotonic() + seconds
        while not self.stop.is_set() and (remaining := until - time.monotonic()) > 0:
            time.sleep(min(0.1, remaining))

    def _update(self) -> tuple[FolderState, bool]:
        """Apply changes until there are none; return the last state, and False if something failed.

        A change that persists after it was applied is not applied again.
        """
        well = True
        rounds = 0
        while True:
            rounds += 1
            state = self.look.state(self.collection.documents())
            self._report_problems(_problems_of(state, prune=self.look.prune))
            pairs = {(change, state.records.get(change.path)) for change in state.changes}
            new = [change for change, _ in sorted(pairs - self._done, key=lambda each: _order(each[0]))]
            if new and not self.stop.is_set():
                self._is_current = False
                well = self._apply(new, state) and well
            self._done = pairs
            if not new or self.stop.is_set() or rounds == MOST_ROUNDS:
                return state, well

    def _apply(self, changes: list[FolderChange], state: FolderState) -> bool:
        """Apply changes to the collection; return False if a file could not be read."""
        for change in changes:
            self.on_notice(FolderNotice("change", change=change))
        well = True
        paths = [change.path for change in changes if change.kind in READ]
        if paths:
            report = build_index(
                self.collection,
                paths,
                password=self.password,
                settings=self.look.settings,
                on_progress=self.on_progress,
                cancel=self.stop,
                records=state.records,
                tags=self.look.tags,
                untagged=self.look.untagged,
            )
            for file in report.files:
                if file.status == "failed":
                    self.look.note_failure(Path(file.path))
                    well = False
            self.on_notice(FolderNotice("read", report=report))
            if report.cancelled:
                self.stop.set()
                return well
        to_mark = [change for change in changes if change.kind in MARKED]
        if to_mark:
            self._mark(to_mark)
        return well

    def _mark(self, changes: list[FolderChange]) -> None:
        """Mark documents of missing files and their attachments, unmark them, or remove them, by the kind of change."""
        by_id = {d.id: d for d in self.collection.documents()}
        with self.collection.writer() as writer:
            for change in changes:
                family = [d for d in by_id.values() if change.doc_id in (d.id, d.metadata.parent)]
                for each in family:
                    if change.kind == "removed":
                        writer.remove(each.id)
                    else:
                        writer.describe(each.id, replace(each.metadata, missing=change.kind == "missing"))

    def _report_problems(self, lasting: set[str]) -> None:
        """Report each problem once as long as it lasts."""
        for text in sorted(lasting - self._reported_problems):
            self.on_notice(FolderNotice("problem", text))
        self._reported_problems = lasting

    def _events(self) -> Iterator[None]:
        """Yield whenever something may have changed, and some minutes after the last time.

        What changes between two events is kept for the next. Where the system cannot watch, as on some network mounts,
        the folder is polled.
        """
        while not self.stop.is_set():
            folder_id = _folder_id(self.look.root)
            try:
                yield from self._events_at(folder_id)
            except FileNotFoundError:
                yield  # the next comparison reports it
            except (OSError, RuntimeError) as error:
                if self.poll:
                    raise
                self.poll = True
                self.on_notice(FolderNotice("polling", str(error)))

    def _events_at(self, folder_id: tuple[int, int] | None) -> Iterator[None]:
        """Yield as `_events` does, as long as the folder is the same: a new one of its name is not watched."""
        import watchfiles

        last_look, first = time.monotonic(), True
        for changes in watchfiles.watch(
            self.look.root,
            watch_filter=self._matters,
            debounce=400,
            stop_event=self.stop,
            rust_timeout=int(TICK * 1000),
            yield_on_timeout=True,
            force_polling=self.poll or None,
            poll_delay_ms=int(TICK * 1000),
            raise_interrupt=True,
            ignore_permission_denied=True,
        ):
            # What changed before the watch began is seen by the look after the first tick.
            if changes or first or time.monotonic() - last_look > LOOK_AGAIN:
                yield
                last_look, first = time.monotonic(), False
            if _folder_id(self.look.root) != folder_id:
                yield
                return
        if not self.stop.is_set():
            yield

    def _matters(self, _: object, path: str) -> bool:
        """Return False for hidden files and folders below the folder, except sidecars."""
        try:
            below = Path(path).relative_to(self.look.root).parts
        except ValueError:
            return True
        return not any(part.startswith(".") and part != FOLDER_SIDECAR for part in below)


def _problems_of(state: FolderState, *, prune: bool) -> set[str]:
    """Return the problems of a folder that last, as sentences."""
    lasting = {str(problem) for problem in state.problems}
    lasting |= {str(item.error) for item in state.unreadable}
    if state.emptied and prune:
        lasting.add(
            "the folder is empty, perhaps because it is not mounted: no document was removed; use vouch "
            "remove to remove documents"
        )
    return lasting


def _order(change: FolderChange) -> tuple[int, Path]:
    """Return the sort key of a change: moves first, removals last."""
    order: tuple[ChangeKind, ...] = ("moved", "returned", "told", "changed", "new", "missing", "removed")
    return order.index(change.kind), change.path


def _folder_id(path: Path) -> tuple[int, int] | None:
    """Return the device and the inode of a folder; None if it does not exist."""
    try:
        stat = path.stat()
    except OSError:
        return None
    return stat.st_dev, stat.st_ino
