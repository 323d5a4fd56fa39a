"""A file in the upload queue: its state, the choice of the next files to read, and its outcome. Pure."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from indexing import Failure, FileReport
from ui.access import Actor, present_actor
from ui.show import count_of

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
