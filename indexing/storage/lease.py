"""WriterLease: the right to write into a collection on an object store, held by one process at a time.

The lease is one object. It is created, renewed and taken over by conditional writes (If-None-Match, If-Match), so that
only one of two processes gets it. Its age is the difference of two times of the store, that of the lease and that of an
object written just now; the clocks of the machines do not matter. The owner renews it from a thread, and again before
each commit, so that a process that has lost it notices before it writes.
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
"""The seconds after which another process can take over a lease that was not renewed."""
RENEWAL_SECONDS = 8.0
FRESH = 1.0
"""The seconds after a renewal in which a commit needs no further one."""


class WriterLease:
    """The lease of the collection at `root`. Acquire it, `confirm` it before each commit, release it."""

    def __init__(self, root: ObjectRoot) -> None:
        """Keep the place; no request is sent yet."""
        self._root = root
        self._owner = uuid4().hex
        self._mark: ObjectMark | None = None
        self._renewal_time = 0.0
        self._renewals = 0
        self._lost = False
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._renew_on, daemon=True)

    def acquire(self) -> None:
        """Take the lease, also from a dead owner. Raises CollectionLocked, StoreUnreachable, StoreDenied."""
        start = time.monotonic()
        self._mark = self._root.write_if(KEY, self._next_content(), None)
        if self._mark is None:
            self._mark = self._take_over()
        if self._mark is None:
            raise CollectionLocked(
                f"collection {self._root.name!r} is being written by {_holder(self._root)}: wait for it, or "
                f"stop it; if it was killed, another process may write after {SECONDS:.0f} seconds"
            )
        self._renewal_time = start
        self._thread.start()

    def confirm(self) -> None:
        """Check with the store that the lease is still held. Raises WriterReplaced."""
        with self._lock:
            if not self._lost and time.monotonic() - self._renewal_time > FRESH:
                self._renew()
            if self._lost:
                raise WriterReplaced(
                    f"collection {self._root.name!r} is being written by another process, because this one "
                    f"did not renew its lease for {SECONDS:.0f} seconds: nothing more was written; run the "
                    "same command again when the other has finished"
                )

    def release(self) -> None:
        """Give the lease back, if it is still held."""
        self._stop.set()
        with self._lock, contextlib.suppress(CollectionError):
            if self._mark is not None and not self._lost:
                self._root.write_if(KEY, b'{"released": true}', self._mark)
            self._lost = True

    def _next_content(self) -> bytes:
        self._renewals += 1
        return json.dumps(
            {"owner": self._owner, "renewal": self._renewals, "pid": os.getpid(), "host": socket.gethostname()}
        ).encode()

    def _renew(self) -> None:
        """Renew the lease; mark it as lost if another process has it, but not if the store does not answer."""
        start = time.monotonic()
        mark = self._root.write_if(KEY, self._next_content(), self._mark)
        if mark is None:  # refused: by what this very process wrote, where an answer was lost and the write repeated
            try:
                content, mark = self._root.read_with_mark(KEY)
            except FileNotFoundError:
                content, mark = b"{}", None
            if _parse_content(content).get("owner") != self._owner:
                self._lost = True
                return
        self._mark, self._renewal_time = mark, start

    def _renew_on(self) -> None:
        """Renew the lease until it is released or lost; a renewal that fails is tried again at the next commit."""
        while not self._stop.wait(RENEWAL_SECONDS):
            with self._lock, contextlib.suppress(CollectionError):
                if self._stop.is_set() or self._lost:
                    return
                self._renew()

    def _take_over(self) -> ObjectMark | None:
        """Take a lease that was released, or that its owner has not renewed; None if it is held."""
        try:
            content, mark = self._root.read_with_mark(KEY)
        except FileNotFoundError:
            return self._root.write_if(KEY, self._next_content(), None)
        if not _parse_content(content).get("released") and self._age() <= SECONDS:
            return None
        return self._root.write_if(KEY, self._next_content(), mark)

    def _age(self) -> float:
        """Return the seconds since the lease was renewed, by the clock of the store."""
        self._root.write(_CLOCK, self._owner.encode())
        now, renewal = self._root.modification_time(_CLOCK), self._root.modification_time(KEY)
        if now is None:
            raise StoreUnreachable(
                f"{self._root}: the object store lost what was just written: run the same command again"
            )
        return (now - renewal).total_seconds() if renewal else SECONDS + 1


def _parse_content(content: bytes) -> dict[str, object]:
    try:
        fields = parsed_json(content)
    except ValueError:
        return {}
    return fields if isinstance(fields, dict) else {}


def _holder(root: ObjectRoot) -> str:
    """Return the process that holds the lease."""
    with contextlib.suppress(FileNotFoundError):
        fields = _parse_content(root.read(KEY))
        if "pid" in fields:
            return f"process {fields['pid']} on {fields.get('host')}"
    return "another process"
