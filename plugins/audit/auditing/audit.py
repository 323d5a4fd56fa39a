"""The audit of a bibliography: every entry is looked up in the sources, judged, and told as it is done.

Sources are asked in their order, and no further one once a record agrees; several entries are looked up at a time.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Generator, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from typing import Protocol

from plugins.audit.auditing.cited_claims import CitedClaims, claims_checked
from plugins.audit.auditing.judge import Arbiter, judge, with_findings
from plugins.audit.auditing.marks import cited_numbers, missing_marks
from plugins.audit.auditing.types import (
    Audit,
    Audited,
    AuditedReference,
    AuditEvent,
    Lookup,
    RecordSource,
    ReferenceAudited,
    ReferencesFound,
)
from plugins.audit.references import Reference
from rag.attribution.cited import CitationMark

WORKERS = 4
"""The entries that are looked up at a time."""


class AuditedPaper(Protocol):
    """A paper as it is audited: its references, the marks of its text, and what a reader should know of both."""

    @property
    def references(self) -> Sequence[Reference]:
        """The entries, in their order."""
        ...

    @property
    def marks(self) -> Sequence[CitationMark]:
        """The marks of the text; none where only a bibliography was given."""
        ...

    @property
    def notes(self) -> Sequence[str]:
        """Notes for the reader: entries that could not be split, pages that could not be read."""
        ...


@dataclass(frozen=True, slots=True)
class AuditOptions:
    """The options of an audit: a reader for what fields leave open, claims to check, seconds in all, entries at a time.

    `seconds` None is no limit. What is not looked up by then is unknown, and a note says so.
    """

    arbiter: Arbiter | None = None
    claims: CitedClaims | None = None
    seconds: float | None = None
    workers: int = WORKERS


@dataclass(slots=True)
class _Work:
    """The work on one paper: what is done, by number, and whether it should end."""

    started: float = field(default_factory=time.monotonic)
    ended: threading.Event = field(default_factory=threading.Event)
    done: dict[int, AuditedReference] = field(default_factory=dict)
    late: int = 0

    def left(self, seconds: float | None) -> float | None:
        """Return the seconds that are left, None without a limit."""
        return None if seconds is None else max(0.0, self.started + seconds - time.monotonic())


def stream_audit(
    name: str, paper: AuditedPaper, sources: Sequence[RecordSource], options: AuditOptions | None = None
) -> Generator[AuditEvent]:
    """Yield the entries, each as it is judged, and the whole audit last, in the order of the bibliography.

    `name` is the paper's. Closing it ends all work: no further source is asked. Raises what a source raises for files
    that cannot be read.
    """
    options = options or AuditOptions()
    work = _Work()
    yield ReferencesFound(tuple(paper.references))
    pool = ThreadPoolExecutor(max(1, options.workers), "audit")
    try:
        for audited in _as_done(pool, paper.references, sources, options, work):
            work.done[audited.reference.number] = audited
            yield ReferenceAudited(audited)
        _check_claims(paper.references, options, work)
    finally:
        work.ended.set()
        pool.shutdown(wait=False, cancel_futures=True)
    notes = [f"{work.late} entries were not looked up: the time was over"] if work.late else []
    seconds = time.monotonic() - work.started
    yield Audited(audit_of(name, paper, work.done.values(), seconds=seconds, notes=notes))


def audit_of(
    name: str, paper: AuditedPaper, done: Iterable[AuditedReference], *, seconds: float = 0.0, notes: Sequence[str] = ()
) -> Audit:
    """Return the audit of what is done, in the order of the bibliography; entries that are not done are told as a note.

    This is what remains of an audit that was stopped.
    """
    by_number = {audited.reference.number: audited for audited in done}
    entries = [by_number[ref.number] for ref in paper.references if ref.number in by_number]
    left = len(paper.references) - len(entries)
    stopped = [f"stopped: {left} of {len(paper.references)} entries were not audited"] if left else []
    cited = cited_numbers(paper.marks, paper.references) if paper.marks else None
    missing = missing_marks(paper.marks, paper.references) if paper.references else ()
    told = (*paper.notes, *notes, *sources_away(entries), *stopped)
    return Audit(name, with_findings(entries, cited), missing, told, seconds)


def sources_away(entries: Iterable[AuditedReference]) -> list[str]:
    """Return a line for each source that could not be reached: for how many entries, and why the first time."""
    away: dict[str, list[str]] = {}
    for entry in entries:
        for lookup in entry.lookups:
            if lookup.outcome == "not reachable":
                away.setdefault(lookup.source, []).append(lookup.searched)
    return [
        f"{source} could not be reached for {len(why)} of the entries, which says nothing of them ({why[0][:300]})"
        for source, why in away.items()
    ]


def _as_done(
    pool: ThreadPoolExecutor,
    references: Sequence[Reference],
    sources: Sequence[RecordSource],
    options: AuditOptions,
    work: _Work,
) -> Generator[AuditedReference]:
    """Yield the entries as they are judged; those that the time does not reach come last, unknown."""
    waiting: set[Future[AuditedReference | None]] = set()
    for reference in references:
        waiting.add(pool.submit(_audited, reference, sources, options.arbiter, work))
    told: set[int] = set()
    while waiting and work.left(options.seconds) != 0.0:
        finished, waiting = wait(waiting, work.left(options.seconds), FIRST_COMPLETED)
        for audited in filter(None, (future.result() for future in finished)):
            told.add(audited.reference.number)
            yield audited
    work.ended.set()
    for reference in references if waiting else ():
        if reference.number not in told:
            work.late += 1
            yield AuditedReference(reference, "unknown", "not looked up: the time was over")


def _audited(
    reference: Reference, sources: Sequence[RecordSource], arbiter: Arbiter | None, work: _Work
) -> AuditedReference | None:
    """Return the verdict after as many sources as it takes; None where the work ended meanwhile."""
    lookups: list[Lookup] = []
    for source in sources:
        if work.ended.is_set():
            return None
        lookups.append(source.look_up(reference.fields))
        audited = judge(reference, lookups)
        if audited.status == "real":
            return audited
    return None if work.ended.is_set() else judge(reference, lookups, arbiter)


def _check_claims(references: Sequence[Reference], options: AuditOptions, work: _Work) -> None:
    """Check the sentences that cite entries, and keep them with those, as long as there is time."""
    if options.claims is None:
        return
    for number, sentence in claims_checked(options.claims, references):
        if number in work.done:
            entry = work.done[number]
            work.done[number] = replace(entry, claims=(*entry.claims, sentence))
        if work.left(options.seconds) == 0.0:
            return
