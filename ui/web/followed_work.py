"""Work in the background, such as an answer or an audit, whose progress any number of viewers can follow.

A generator yields events on a thread of its own; the progress after each event is a moment.
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
    """Call `work` with `arguments` on a new daemon thread, in this context: with the identity that acts here."""
    threading.Thread(target=copy_context().run, args=(work, *arguments), name=name, daemon=True).start()


class WorkMoment(Protocol):
    """The progress of work at one moment, immutable."""

    @property
    def state(self) -> State:
        """Whether the work is busy, done, stopped or failed."""
        ...

    def after(self, event: Any) -> Any:
        """Return the moment after `event`."""
        ...

    def end(self, state: State, error: str = "") -> Any:
        """Return the moment at which the work was stopped or failed, with what was done before."""
        ...


M = TypeVar("M", bound=WorkMoment)


class FollowedWork(Generic[M]):
    """Work in progress and its present moment. Every method may be called from any thread."""

    def __init__(self, first: M) -> None:
        """Keep the first moment; nothing is done before `run`."""
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
                self.set_moment(self._now.after(event))
            if self._now.state == "busy":
                self.set_moment(self._now.end("stopped"))
        except (IndexingError, RagError, UiError, OSError) as error:
            self.set_moment(self._now.end("failed", public_words(error)))
        except Exception:  # noqa: BLE001 - the boundary of the process: logged; the viewer sees no traceback
            _LOG.exception("%s failed", type(self).__name__)
            self.set_moment(self._now.end("failed", UNEXPECTED))
        finally:
            if close := getattr(events, "close", None):
                close()

    def stop(self) -> None:
        """End the progress as stopped at once; the thread ends with its next event."""
        with self._changed:
            self._stop = True
            if self._now.state == "busy":
                self._now = self._now.end("stopped")
            self._changed.notify_all()

    def follow(self) -> Iterator[M]:
        """Yield the present moment, then each later one as it comes, until the work has ended."""
        last: M | None = None
        while True:
            with self._changed:
                while self._now is last:
                    self._changed.wait()
                last = self._now
            yield last
            if last.state != "busy":
                return

    def set_moment(self, moment: M) -> None:
        """Set the present moment, and notify the followers; after `stop` it is ignored."""
        with self._changed:
            if self._stop and self._now.state == "stopped":
                return
            self._now = moment
            self._changed.notify_all()
