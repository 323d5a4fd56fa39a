"""Findings on a whole bibliography: two entries of one work, and entries that the text never cites."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from plugins.audit.auditing.judge.authors import compare_authors
from plugins.audit.auditing.judge.fields import is_distinct
from plugins.audit.auditing.judge.normal_form import letters_of
from plugins.audit.auditing.sources import bare_arxiv, bare_doi, same_identifier
from plugins.audit.auditing.types import AuditedReference, ReferenceFinding
from plugins.audit.references import Reference


def with_findings(
    entries: Sequence[AuditedReference], cited: Collection[int] | None = None
) -> tuple[AuditedReference, ...]:
    """Return the entries with what is told of them as a whole: duplicates, and those that are never cited.

    `cited` are the numbers of the entries that the text cites; None where the text is not known, or has no marks that
    could be read.
    """
    twins = duplicates([entry.reference for entry in entries])
    results = []
    for entry in entries:
        more: list[ReferenceFinding] = []
        if first := twins.get(entry.reference.number):
            more.append(ReferenceFinding("duplicate", f"the same work as entry {first}"))
        if cited is not None and entry.reference.number not in cited:
            more.append(ReferenceFinding("never-cited", "the text never cites it"))
        results.append(replace(entry, findings=(*entry.findings, *more)) if more else entry)
    return tuple(results)


def duplicates(references: Sequence[Reference]) -> dict[int, int]:
    """Return the number of the first entry of the same work, for each later one.

    Two entries are of one work where they share a DOI or an arXiv identifier and no title speaks against it, or a title
    and its authors.
    """
    groups: dict[str, list[Reference]] = defaultdict(list)
    originals: dict[int, int] = {}
    for reference in references:
        for key in _keys(reference):
            first = next((other for other in groups[key] if _same_work(reference, other)), None)
            if first is not None and reference.number != first.number:
                originals.setdefault(reference.number, originals.get(first.number, first.number))
            groups[key] = [*groups[key][:MOST_IN_A_GROUP], reference]
    return originals


MOST_IN_A_GROUP = 20
"""The entries of one title that a further one is compared with."""


def _keys(reference: Reference) -> Iterator[str]:
    fields = reference.fields
    for kind, value in (("doi", bare_doi(fields)), ("arxiv", bare_arxiv(fields)), ("title", letters_of(fields.title))):
        if value:
            yield f"{kind} {value}"


def _same_work(one: Reference, other: Reference) -> bool:
    ours, theirs = one.fields, other.fields
    title = letters_of(ours.title) == letters_of(theirs.title)
    if same_identifier(ours, theirs):
        return title or not (ours.title and theirs.title)
    authors = compare_authors(ours, theirs)
    return title and (authors.shared > 0 or (authors.verdict.agrees is None and is_distinct(ours.title)))
