"""The audit of a paper: its references are read, each is looked up in the sources, judged, and yielded when done.

Sources are asked in their order, and no further one once a record agrees; several entries are looked up at a time.
"""

from __future__ import annotations

import re
import tempfile
import threading
import time
from collections.abc import Generator, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TYPE_CHECKING

from configs import did_you_mean
from indexing import Collection, Home, default_home
from plugins.audit.auditing.cited_marks import MISSING_RESTS_ON, cited_numbers, missing_marks
from plugins.audit.auditing.judge import judge, with_findings
from plugins.audit.auditing.online import online_sources
from plugins.audit.auditing.sources import (
    FORMS,
    CollectionDocuments,
    RecordIndex,
    index_path,
    list_indexes,
    read_records,
)
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
from plugins.audit.errors import NoBibliography, NoSuchBibliography
from plugins.audit.references import BibliographicFields, Bibliography, Reference, references_of
from rag import AuditSettings

if TYPE_CHECKING:
    from rag import Profile


MOST_ENTRIES = 10_000
"""The most entries of a file of records that are audited."""
_BIBTEX = re.compile(r"^\s{0,20}@\w{1,40}\s{0,20}[{(]", re.MULTILINE)


def pasted_name(entries: str) -> str:
    """Return the name of a file for entries that were pasted, whose suffix says what they are."""
    return "entries.bib" if _BIBTEX.search(entries) else "entries.txt"


def audit_paper(
    path: Path,
    profile: Profile,
    *,
    name: str = "",
    collection: Collection | None = None,
    bibliographies: Sequence[Path] = (),
    home: Home | None = None,
    password: str | None = None,
) -> Generator[AuditEvent]:
    """Yield the events of the audit of a paper, or of a bibliography alone; closing it ends all work.

    `bibliographies` are files of records to look in; then come the sources that the settings choose: those added to
    `home` (that of `indexing`, where none is given), and the documents of `collection`. Raises NoBibliography,
    DocumentUnreadable, BibliographyUnreadable, NoSuchBibliography, and the FileError of the paper.
    """
    paper = bibliography_of_file(path, password)
    with ExitStack() as stack:
        sources: list[RecordSource] = []
        if bibliographies:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="vouch-audit-")))
            index = RecordIndex(folder / "the bibliography given.sqlite", make=True)
            stack.callback(index.close)
            index.add(list(bibliographies))
            sources.append(index)
        sources += sources_of(profile.audit, collection, home, stack)
        yield from stream_audit(name or path.name, paper, sources)


def bibliography_of_file(path: Path, password: str | None = None) -> Bibliography:
    """Return the references of a paper or, of a file of records (BibTeX, RIS, CSL-JSON), its records as they stand.

    Raises NoBibliography where there are none, and what the readers of the forms raise.
    """
    if path.suffix.lower() not in FORMS:
        return references_of(path, password)
    entries: list[Reference] = []
    notes: tuple[str, ...] = ()
    with closing(read_records(path)) as records:  # type: ignore[type-var]  # a generator has `close`
        for number, record in enumerate(records, 1):
            if number > MOST_ENTRIES:
                notes = (f"Only the first {MOST_ENTRIES:,} entries were audited: the rest is left out.",)
                break
            entries.append(Reference(number, _format_fields(record.fields), record.fields, record.key))
    if not entries:
        raise NoBibliography(f"{path.name}: no entries were found: give a file with entries, or a paper")
    return Bibliography(tuple(entries), notes=notes)


def _format_fields(fields: BibliographicFields) -> str:
    """Return the fields of a record as a line that people read."""
    authors = ", ".join(fields.authors) + (" et al." if fields.et_al else "")
    identifier = fields.doi or fields.arxiv or fields.url
    parts = (authors, fields.title, fields.venue, fields.year, identifier)
    return ". ".join(part.rstrip(".") for part in parts if part)


def sources_of(
    settings: AuditSettings,
    collection: Collection | None = None,
    home: Home | None = None,
    stack: ExitStack | None = None,
) -> tuple[RecordSource, ...]:
    """Return the sources in the order in which they are asked; `stack` closes them, if it is given.

    The documents are those of the collection, the bibliographies those of `home` (by default that of all collections).
    The network is asked where the settings name a service, and nothing is asked yet. Raises NoSuchBibliography for a
    name of the settings that is not there, and BibliographyUnreadable.
    """
    folder = home or default_home()
    stack = stack if stack is not None else ExitStack()
    sources: list[RecordSource] = []
    for path in _paths(settings, folder):
        index = RecordIndex(path)
        stack.callback(index.close)
        sources.append(index)
    if collection is not None:
        sources.append(CollectionDocuments(collection))
    for service in online_sources(settings, folder):
        stack.callback(service.close)
        sources.append(service)
    return tuple(sources)


def _paths(settings: AuditSettings, home: Path) -> list[Path]:
    """Return the files of the bibliographies that the settings name, all of them where they name none."""
    there = {path.stem: path for path in list_indexes(home)}
    if settings.bibliographies is None:
        return list(there.values())
    for name in settings.bibliographies:
        if name not in there:
            index_path(home, name)  # a name that none can have is told as such
            names = ", ".join(there) or "none yet"
            raise NoSuchBibliography(
                f"audit.bibliographies: there is no bibliography {name!r} (there are: {names}): create it "
                "with vouch bibliography add FILE --name "
                f"{name}{did_you_mean(name, list(there), lead=', or ')}"
            )
    return [there[name] for name in settings.bibliographies]


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
