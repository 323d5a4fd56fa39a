"""A file that waits to be read into a collection: its state, the next one in turn, and its outcome. Pure."""

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
    """A file on its way: `page` of `pages` are read (0 while that is not known), `note` tells its outcome.

    `path` is None when nothing is left to be read. `ended` is a monotonic time. An upload is known by its name and the
    account that brought it ("" for none), another file by its path; `by` is whoever did, as the audit log names them.
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
    def sort(self) -> tuple[str, str | None, bool, str, Actor | None]:
        """The sort of a file: files of one sort are read together."""
        return self.collection, self.password, self.uploaded, self.account, self.by

    @property
    def again(self) -> bool:
        """True when it can be tried again."""
        return self.state in ("failed", "cancelled") and self.path is not None

    @property
    def open(self) -> bool:
        """True while it is to be read, or being read."""
        return self.state in ("waiting", "reading")


def next_batch(items: Iterable[QueuedFile], served: str) -> tuple[QueuedFile, ...]:
    """Return the files to read next: of one person, of one sort, few enough to be done soon.

    People take turns: the person whose files were read last (`served`) comes last.
    """
    waiting = [item for item in items if item.state == "waiting"]
    if not waiting:
        return ()
    owners = list(dict.fromkeys(item.owner for item in waiting))
    after = owners.index(served) + 1 if served in owners else 0
    own = [item for item in waiting if item.owner == owners[after % len(owners)]]
    alike = [i for i in own if i.sort == own[0].sort][:BATCH_FILES]
    sizes = itertools.accumulate(item.size for item in alike)
    return tuple(
        item for n, (item, total) in enumerate(zip(alike, sizes, strict=True)) if not n or total <= BATCH_BYTES
    )


def note_of(file: FileReport) -> str:
    """Return the outcome of a file, in words: `7 pages, 64 parts` and its failures."""
    there = f"was already there, as {file.other_name}" if file.other_name else "was already there"
    notes = {"replaced": "replaced the earlier version", "skipped": there, "renamed": f"was {file.other_name} before"}
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
    """Return a failure's text without what the file's row shows already or what needs a command line."""
    if failure.error == "EncryptedFile":
        return "locked: enter the right password above, then try again"
    text = file.reason(failure)
    return f"page {failure.page}: {text}" if failure.page is not None else text
