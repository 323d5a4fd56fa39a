"""One audit of the page: the paper, and how far it is."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from plugins.audit.auditing import Audit, Audited, AuditEvent, ReferenceAudited, ReferencesFound
from ui.show import State
from ui.web import FollowedWork

if TYPE_CHECKING:
    from plugins.audit.auditing import AuditedReference
    from plugins.audit.references import Reference


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

    def end(self, state: State, error: str = "") -> AuditMoment:
        """Return the progress of an audit that ends before it is done."""
        return replace(self, state=state, error=error)


class AuditRun(FollowedWork[AuditMoment]):
    """One paper on its way to an audit."""

    def __init__(self, name: str, path: Path, collection: str | None) -> None:
        """Keep the paper; nothing happens before `run`."""
        super().__init__(AuditMoment())
        self.name = name
        self.path = path
        self.collection = collection
