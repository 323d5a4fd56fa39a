"""WriterLease: the right to write into a collection on an object store, held by one process at a time.

The lease is one object. It is made, renewed and taken over by writes that the store refuses unless the object is as the
writer last saw it (If-None-Match, If-Match), so that of two that want it one gets it. Its age is the difference of two
times of the store, that of the lease and that of an object written just now; the clocks of the machines do not count.
The owner renews it from a thread, and once more right before each commit: who has lost it learns so before it writes.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import threading
import time
from uuid import uuid4

from configs import parsed_json
from indexing.errors import CollectionError, CollectionLocked, StoreUnreachable, WriterReplaced
from indexing.storage.objects import ObjectMark, ObjectRoot

KEY = "writer.lease"
_CLOCK = "writer.clock"
SECONDS = 30.0
"""The seconds after which a lease that was not renewed is given to another."""
RENEWED_EVERY = 8.0
FRESH = 1.0
"""The seconds after a renewal for which a commit needs no other."""


class WriterLease:
    """The lease of the collection at `root`. Acquire it, `confirm` it before each commit, release it."""

    def __init__(self, root: ObjectRoot) -> None:
        """Keep the place; nothing is asked yet."""
        self._root = root
        self._owner = uuid4().hex
        self._mark: ObjectMark | None = None
        self._renewed = 0.0
        self._renewals = 0
        self._lost = False
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._renew_on, daemon=True)

    def acquire(self) -> None:
        """Take the lease, from an owner that is gone too. Raises CollectionLocked, StoreUnreachable, StoreDenied."""
        started = time.monotonic()
        self._mark = self._root.write_if(KEY, self._told(), None)
        if self._mark is None:
            self._mark = self._taken_over()
        if self._mark is None:
            raise CollectionLocked(
                f"collection {self._root.name!r} is being written by {_holder(self._root)}: wait for it, or "
                f"stop it; if it was killed, another process may write after {SECONDS:.0f} seconds"
            )
        self._renewed = started
        self._thread.start()

    def confirm(self) -> None:
        """Return while the lease is held, as the store says at this moment. Raises WriterReplaced."""
        with self._lock:
            if not self._lost and time.monotonic() - self._renewed > FRESH:
                self._renew()
            if self._lost:
                raise WriterReplaced(
                    f"collection {self._root.name!r} is being written by another process, because this one "
                    f"did not renew its lease for {SECONDS:.0f} seconds: nothing more was written; run the "
                    "same command again when the other has finished"
                )

    def release(self) -> None:
        """Give the lease back, if it is still held."""
        self._ended.set()
        with self._lock, contextlib.suppress(CollectionError):
            if self._mark is not None and not self._lost:
                self._root.write_if(KEY, b'{"released": true}', self._mark)
            self._lost = True

    def _told(self) -> bytes:
        self._renewals += 1
        return json.dumps(
            {"owner": self._owner, "renewal": self._renewals, "pid": os.getpid(), "host": socket.gethostname()}
        ).encode()

    def _renew(self) -> None:
        """Renew the lease, which is lost if another has it; a store that does not answer says nothing about that."""
        started = time.monotonic()
        mark = self._root.write_if(KEY, self._told(), self._mark)
        if mark is None:  # refused: by what this very process wrote, where an answer was lost and the write repeated
            try:
                content, mark = self._root.read_marked(KEY)
            except FileNotFoundError:
                content, mark = b"{}", None
            if _told_by(content).get("owner") != self._owner:
                self._lost = True
                return
        self._mark, self._renewed = mark, started

    def _renew_on(self) -> None:
        """Renew the lease until it is released or lost; a renewal that fails is tried again at the next commit."""
        while not self._ended.wait(RENEWED_EVERY):
            with self._lock, contextlib.suppress(CollectionError):
                if self._ended.is_set() or self._lost:
                    return
                self._renew()

    def _taken_over(self) -> ObjectMark | None:
        """Take a lease that was given back, or whose owner has not renewed it; None where it is held."""
        try:
            content, mark = self._root.read_marked(KEY)
        except FileNotFoundError:
            return self._root.write_if(KEY, self._told(), None)
        if not _told_by(content).get("released") and self._age() <= SECONDS:
            return None
        return self._root.write_if(KEY, self._told(), mark)

    def _age(self) -> float:
        """Return the seconds since the lease was renewed, by the clock of the store."""
        self._root.write(_CLOCK, self._owner.encode())
        now, renewed = self._root.changed_at(_CLOCK), self._root.changed_at(KEY)
        if now is None:
            raise StoreUnreachable(
                f"{self._root}: the object store lost what was just written: run the same command again"
            )
        return (now - renewed).total_seconds() if renewed else SECONDS + 1


def _told_by(content: bytes) -> dict[str, object]:
    try:
        told = parsed_json(content)
    except ValueError:
        return {}
    return told if isinstance(told, dict) else {}


def _holder(root: ObjectRoot) -> str:
    """Return the process that holds the lease."""
    with contextlib.suppress(FileNotFoundError):
        told = _told_by(root.read(KEY))
        if "pid" in told:
            return f"process {told['pid']} on {told.get('host')}"
    return "another process"
