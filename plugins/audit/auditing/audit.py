"""The audit of a bibliography: every entry is looked up in the sources and judged, and yielded as it is done.

Sources are asked in their order, and no further one once a record agrees; several entries are looked up at a time.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Generator, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed

from plugins.audit.auditing.cited_marks import MISSING_RESTS_ON, cited_numbers, missing_marks
from plugins.audit.auditing.judge import judge, with_findings
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
from plugins.audit.references import Bibliography, Reference

WORKERS = 4
"""The entries that are looked up at a time."""


def stream_audit(
    name: str,
    paper: Bibliography,
    sources: Sequence[RecordSource],
    *,
    workers: int = WORKERS,
) -> Generator[AuditEvent]:
    """Yield the entries, each as it is judged, and the whole audit last, in the order of the bibliography.

    `name` is the paper's.
    Closing it ends all work: no further source is asked. Raises what a source raises for files that cannot be read.
    """
    start, stop = time.monotonic(), threading.Event()
    by_number: dict[int, AuditedReference] = {}
    yield ReferencesFound(tuple(paper.references))
    pool = ThreadPoolExecutor(workers, "audit")
    try:
        waiting = [pool.submit(_audit_entry, reference, sources, stop) for reference in paper.references]
        for future in as_completed(waiting):
            entry = future.result()
            by_number[entry.reference.number] = entry
            yield ReferenceAudited(entry)
    finally:
        stop.set()
        pool.shutdown(wait=False, cancel_futures=True)
    entries = [by_number[reference.number] for reference in paper.references]
    numbers = cited_numbers(paper.marks, paper.references) if paper.marks else None
    missing = missing_marks(paper.marks, paper.references, paper.body) if entries else ()
    notes = (*paper.notes, *([MISSING_RESTS_ON] if missing else []), *_unreachable(entries))
    yield Audited(Audit(name, with_findings(entries, numbers), missing, notes, time.monotonic() - start))


def _audit_entry(reference: Reference, sources: Sequence[RecordSource], stop: threading.Event) -> AuditedReference:
    """Return the verdict after as many sources as it takes, or as were asked before the work ended."""
    lookups: list[Lookup] = []
    for source in sources:
        if stop.is_set():
            break
        lookups.append(source.look_up(reference))
        if (entry := judge(reference, lookups)).status == "real":
            return entry
    return judge(reference, lookups)


def _unreachable(entries: Iterable[AuditedReference]) -> list[str]:
    """Return a line for each source that could not be reached: for how many entries, and why the first time."""
    reasons: dict[str, list[str]] = {}
    for lookup in (lookup for entry in entries for lookup in entry.lookups):
        if lookup.outcome == "not reachable":
            reasons.setdefault(lookup.source, []).append(lookup.searched)
    return [
        f"{source} could not be reached for {len(why)} of the entries, which says nothing of them ({why[0][:300]})"
        for source, why in reasons.items()
    ]
