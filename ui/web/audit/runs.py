"""One audit of the page: made on a thread of its own, followed by any number of viewers, stopped with what is done."""

from __future__ import annotations

import logging
import secrets
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from indexing import IndexingError
from rag import RagError
from rag.audit import Audit, Audited, AuditEvent, ReferenceAudited, ReferencesFound
from ui.errors import UiError
from ui.show import State

if TYPE_CHECKING:
    from rag.audit import AuditedReference
    from rag.references import Reference

_UNEXPECTED = "Something went wrong that should not have. Nothing was lost. The terminal says more."
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class AuditMoment:
    """The progress of an audit at one moment: the entries that were found, and those that were judged, by number.

    `references` is None until the bibliography was read.
    """

    state: State = "busy"
    references: tuple[Reference, ...] | None = None
    done: dict[int, AuditedReference] = field(default_factory=dict)
    audit: Audit | None = None
    error: str = ""

    def so_far(self, name: str) -> Audit:
        """Return what is judged by now; one that was stopped says in its notes how far it came."""
        if self.audit is not None:
            return self.audit
        total = len(self.references or ())
        left = f"Stopped after {len(self.done):,} of {total:,} entries: the others were not looked up."
        return Audit(name, tuple(self.done[n] for n in sorted(self.done)), (), (left,) if self.state != "busy" else ())

    def after(self, event: AuditEvent) -> AuditMoment:
        """Return the progress once `event` has happened."""
        match event:
            case ReferencesFound(references):
                return replace(self, references=references)
            case ReferenceAudited(reference):
                return replace(self, done=self.done | {reference.reference.number: reference})
            case Audited(audit):
                return replace(self, audit=audit, state="done")


class AuditRun:
    """One paper on its way to an audit. Every method may be called from any thread."""

    def __init__(self, name: str, path: Path, collection: str | None) -> None:
        """Keep the paper; nothing happens before `run`."""
        self.id = secrets.token_hex(8)
        self.name = name
        self.path = path
        self.collection = collection
        self._now = AuditMoment()
        self._changed = threading.Condition()
        self._stop = False

    @property
    def now(self) -> AuditMoment:
        """The progress so far."""
        return self._now

    def run(self, events: Iterator[AuditEvent]) -> None:
        """Take `events` to their end, or until `stop`, and close them. Never raises: a failure is part of `now`."""
        try:
            for event in events:
                if self._stop:
                    break
                self._tell(self._now.after(event))
            if self._now.state == "busy":
                self._tell(replace(self._now, state="stopped"))
        except (IndexingError, RagError, UiError, OSError) as error:
            self._tell(replace(self._now, state="failed", error=str(error)))
        except Exception:  # noqa: BLE001 - the edge of the process: logged, and told without a trace
            _LOG.exception("auditing failed")
            self._tell(replace(self._now, state="failed", error=_UNEXPECTED))
        finally:
            if close := getattr(events, "close", None):
                close()

    def stop(self) -> None:
        """Show no more than there is now; the work behind it ends with its next step."""
        with self._changed:
            self._stop = True
            if self._now.state == "busy":
                self._now = replace(self._now, state="stopped")
            self._changed.notify_all()

    def follow(self) -> Iterator[AuditMoment]:
        """Yield the present moment, then each that differs from the one before, up to the last."""
        seen: AuditMoment | None = None
        while True:
            with self._changed:
                while self._now is seen:
                    self._changed.wait()
                seen = self._now
            yield seen
            if seen.state != "busy":
                return

    def _tell(self, moment: AuditMoment) -> None:
        with self._changed:
            if self._stop and self._now.state == "stopped":
                return  # what comes after a stop is not shown
            self._now = moment
            self._changed.notify_all()
