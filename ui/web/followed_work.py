"""Work of the page: made on a thread of its own, followed by any number of viewers, stopped with what is done by then.

An answer and an audit are such: events come of a generator, and what is known after each is a moment.
"""

from __future__ import annotations

import logging
import secrets
import threading
from collections.abc import Callable, Iterator
from contextvars import copy_context
from typing import Any, Generic, Protocol, TypeVar

from indexing import IndexingError
from rag import RagError
from ui.errors import UiError
from ui.show import State, public_words

UNEXPECTED = "Something unexpected went wrong. Nothing was lost. The server's terminal says more."
_LOG = logging.getLogger(__name__)


def begin_thread(work: Callable[..., object], *arguments: object, name: str) -> None:
    """Begin work on a thread of its own, in the name of whoever asks here: it may no more than they."""
    threading.Thread(target=copy_context().run, args=(work, *arguments), name=name, daemon=True).start()


class WorkMoment(Protocol):
    """The progress of work at one moment; it never changes, and a new one takes its place."""

    @property
    def state(self) -> State:
        """How far it is."""
        ...

    def after(self, event: Any) -> Any:
        """Return what is known once `event` has happened."""
        ...

    def end(self, state: State, error: str = "") -> Any:
        """Return what is known when it ends before it was done."""
        ...


M = TypeVar("M", bound=WorkMoment)


class FollowedWork(Generic[M]):
    """A piece of work, and what is known of it at the moment. Every method may be called from any thread."""

    def __init__(self, first: M) -> None:
        """Keep what is known before anything happened; nothing happens before `run`."""
        self.id = secrets.token_hex(8)
        self._now = first
        self._changed = threading.Condition()
        self._stop = False

    @property
    def now(self) -> M:
        """The progress so far."""
        return self._now

    @property
    def is_stopped(self) -> bool:
        """True once `stop` was called."""
        return self._stop

    def run(self, events: Iterator[Any]) -> None:
        """Take `events` to their end, or until `stop`, and close them. Never raises: a failure is part of `now`."""
        try:
            for event in events:
                if self._stop:
                    break
                self.tell(self._now.after(event))
            if self._now.state == "busy":
                self.tell(self._now.end("stopped"))
        except (IndexingError, RagError, UiError, OSError) as error:
            self.tell(self._now.end("failed", public_words(error)))
        except Exception:  # noqa: BLE001 - the edge of the process: logged, and told without a trace
            _LOG.exception("%s failed", type(self).__name__)
            self.tell(self._now.end("failed", UNEXPECTED))
        finally:
            if close := getattr(events, "close", None):
                close()

    def stop(self) -> None:
        """Show no more than there is now; the work behind it ends with its next step."""
        with self._changed:
            self._stop = True
            if self._now.state == "busy":
                self._now = self._now.end("stopped")
            self._changed.notify_all()

    def follow(self) -> Iterator[M]:
        """Yield the present moment, then each that differs from the one before, up to the last."""
        seen: M | None = None
        while True:
            with self._changed:
                while self._now is seen:
                    self._changed.wait()
                seen = self._now
            yield seen
            if seen.state != "busy":
                return

    def tell(self, moment: M) -> None:
        """Take a moment for the present one, and tell those who follow; what comes after a stop is not shown."""
        with self._changed:
            if self._stop and self._now.state == "stopped":
                return
            self._now = moment
            self._changed.notify_all()
