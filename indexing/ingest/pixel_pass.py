"""The second pass of a run: the pixels of the pages, once the texts of all files are there."""

from __future__ import annotations

import threading
import time
from contextlib import closing

from indexing.collection import Collection
from indexing.ingest.interrupt import held_interrupt
from indexing.ingest.report import OnProgress, Progress
from indexing.looks import read_pixels, unread_pixels

MOST_NAMED = 5
"""The most pages that a report names of those whose pixels could not be read."""


def read_pixels_after(
    collection: Collection, workers: int, on_progress: OnProgress | None, cancel: threading.Event | None
) -> tuple[bool, tuple[str, ...]]:
    """Read the pixels of all pages that were not read yet; return True if that was stopped, and notes about it.

    Ctrl-C and `cancel` stop it.
    """
    started, stopped, failed = time.monotonic(), False, list[str]()
    with held_interrupt() as pressed, closing(read_pixels(collection, workers)) as pages:
        for at in pages:
            if at.error:
                failed.append(at.error)
            if on_progress:
                on_progress(
                    Progress(at.document.name, 0, 0, at.done, at.total, time.monotonic() - started, at.document.path,
                             at.page, at.document.n_pages, pixels=True)
                )  # fmt: skip
            if stopped := pressed.is_set() or (cancel is not None and cancel.is_set()):
                break
    notes = [f"{error}; mode image cannot see it" for error in failed[:MOST_NAMED]]
    if len(failed) > MOST_NAMED:
        notes.append(f"and {len(failed) - MOST_NAMED} more pages that mode image cannot see")
    left = unread_pixels(collection) if stopped else 0
    if left:
        notes.append(
            f"all texts can be searched; {left} pages are still to be read for mode image: run vouch index again"
        )
    return stopped and left > 0, tuple(notes)
