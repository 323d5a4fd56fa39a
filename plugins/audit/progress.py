"""The progress of checks and audits: what is known at a moment, the latest work of each visitor, and its view."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Generic, TypeVar

from plugins.audit.auditing import Audit, Audited, AuditEvent, ReferenceAudited, ReferencesFound
from ui.show import clean, shorten

if TYPE_CHECKING:
    from plugins.audit.auditing import AuditedReference
    from plugins.audit.references import Reference
    from rag import Answer
    from ui.show import Moment, State

_NAME_CHARS = 80
T = TypeVar("T")


class LatestWork(Generic[T]):
    """A value for each of the last `most` visitors. Every method may be called from any thread."""

    def __init__(self, most: int) -> None:
        """Keep nothing yet."""
        self._most = most
        self._values: OrderedDict[str, T] = OrderedDict()
        self._lock = threading.Lock()

    def put(self, visitor: str, value: T | None) -> list[T]:
        """Keep the value of a visitor, None for none; return those that are let go: the earlier one, and the oldest."""
        with self._lock:
            old_values = [self._values.pop(visitor)] if visitor in self._values else []
            if value is not None:
                self._values[visitor] = value
            while len(self._values) > self._most:
                old_values.append(self._values.popitem(last=False)[1])
            return old_values

    def of(self, visitor: str) -> T | None:
        """Return the value of a visitor, None without one."""
        with self._lock:
            return self._values.get(visitor)


@dataclass(frozen=True, slots=True)
class WorkView:
    """The HTML of the two places of a tab, None for one to be left as it is; `busy` can be stopped."""

    current: str
    evidence: str | None
    busy: bool


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
        note = f"Stopped after {len(self.done):,} of {total:,} entries: the others were not looked up."
        entries = tuple(self.done[number] for number in sorted(self.done))
        return Audit(name, entries, notes=() if self.state == "busy" else (note,))

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


def checked_answer(moment: Moment, name: str, notes: tuple[str, ...] = ()) -> Answer:
    """Return what is checked of a text by now; one that was stopped says in its notes how far it came.

    Its question is the one that was asked, or `name`; `notes` are those on how the text was read.
    """
    so_far = moment.so_far
    title = so_far.question or f"Check of {shorten(clean(name), _NAME_CHARS)}"
    if moment.answer is not None:
        return replace(so_far, question=title, notes=(*notes, *so_far.notes))
    sentences = dict(sorted(moment.checked.items()))
    if len(sentences) < len(moment.drafted):
        notes = (*notes, f"Stopped after {len(sentences):,} of {len(moment.drafted):,} statements.")
    return replace(so_far, question=title, sentences=tuple(sentences.values()), notes=notes, method="vanilla")
